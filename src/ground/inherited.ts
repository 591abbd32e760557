import type { StdioOptions } from "node:child_process";
import { openSync, readdirSync, readFileSync } from "node:fs";

/** The descriptors above 2 that this process was started with and that every child would have too. */
let inherited: readonly number[] | null = null;
let nothing: number | null = null;

/**
 * For `spawn`: with /dev/null over inherited descriptors. Node marks those that it opens itself, and at its start the
 * first ones that it inherited; it does not find those behind a gap.
 */
export function withoutInherited(stdio: readonly ("ignore" | number)[]): StdioOptions {
  inherited ??= findInherited();
  if (inherited.length === 0) return [...stdio];
  nothing ??= openSync("/dev/null", "r+");
  const all: ("ignore" | number)[] = [...stdio];
  for (const descriptor of inherited) {
    while (all.length < descriptor) all.push("ignore");
    all[descriptor] = nothing;
  }
  return all;
}

const closeOnExec = 0o2000000;

function findInherited(): number[] {
  try {
    return readdirSync(folder)
      .map(Number)
      .filter(isPassedOn)
      .sort((a, b) => a - b);
  } catch {
    // Only Linux shows them.
    return [];
  }
}

const folder = "/proc/self/fdinfo";

function isPassedOn(descriptor: number): boolean {
  try {
    const [, flags] = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`${folder}/${descriptor}`, "utf8")) ?? [];
    return descriptor > 2 && flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // That of this listing.
    return false;
  }
}
