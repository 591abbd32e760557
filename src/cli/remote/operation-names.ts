import { nearest } from "../../config/nearest.ts";
import { type OperationId, operationIds } from "../../contract/index.ts";
import { UsageError } from "./exit-codes.ts";

/** `games.namespaces.lobbies.list`, however it is written: dots or spaces, any case, with or without hyphens. */
const plain = (name: string) => name.toLowerCase().replaceAll("-", "");

const idByName = new Map(operationIds.map((id) => [plain(id), id]));

/** The operation that the first words name, and the words after it. */
export function findOperation(words: readonly string[]): { id: OperationId; rest: readonly string[] } {
  for (let count = Math.min(words.length, 5); count > 0; count--) {
    const id = idByName.get(plain(words.slice(0, count).join(".")));
    if (id !== undefined) return { id, rest: words.slice(count) };
  }
  throw new UsageError(unknownOperation(words));
}

/** The operations of a group, such as `games namespaces`; none if the words name no group. */
export function operationsBelow(words: readonly string[]): OperationId[] {
  return operationIds.filter((id) => plain(id).startsWith(`${plain(words.join("."))}.`));
}

function unknownOperation(words: readonly string[]): string {
  const given = words.join(".");
  const below = operationsBelow(words);
  if (below.length > 0) return `"${words.join(" ")}" has these operations: ${below.join(", ")}.`;
  const near = nearest(given, operationIds) ?? nearest(words[0] ?? "", operationIds);
  return `"${words.join(" ")}" is not an operation${near ? `; did you mean ${near}?` : "."} foyer call lists them.`;
}
