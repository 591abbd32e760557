import type { Json } from "../remote/client.ts";

/** What differs between two version documents: one line for each field that was added, removed or changed. */
export function describeDifference(before: Json, after: Json, path = ""): string[] {
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return names.flatMap((name) =>
      describeDifference(before[name], after[name], path === "" ? name : `${path}.${name}`),
    );
  }
  const [from, to] = [JSON.stringify(before), JSON.stringify(after)];
  if (from === to) return [];
  if (before === undefined) return [`+ ${path}: ${to}`];
  return after === undefined ? [`- ${path}: ${from}`] : [`~ ${path}: ${from} → ${to}`];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
