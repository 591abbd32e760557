import { encodeRecord, type StoredRecord } from "../../src/matchmaker/changes.ts";
import type { Entity } from "../../src/matchmaker/schema.ts";
import type { State } from "../../src/matchmaker/state.ts";

/** Everything that a journal of this state would hold. */
export function allRecords(state: State): StoredRecord[] {
  const read = (entity: Entity, ids: Iterable<string>) =>
    [...ids].map((id): StoredRecord => ({ entity, id, row: JSON.parse(encodeRecord(state, entity, id)!) }));
  return [
    ...read("namespace", state.namespace === null ? [] : [state.namespaceId]),
    ...read("lobby", state.lobbies.keys()),
    ...read("player", state.players.keys()),
    ...read("key", state.keys.keys()),
  ];
}

/** Equal for states with the same facts. It compares states; it is no protection against an adversary. */
export function stateHash(state: State): string {
  const lines = allRecords(state).map(({ entity, id, row }) => `${entity} ${id} ${canonical(row)}`);
  lines.sort();
  let first = 0xdeadbeef;
  let second = 0x41c6ce57;
  for (const line of lines) {
    for (let i = 0; i < line.length; i++) {
      const code = line.charCodeAt(i);
      first = Math.imul(first ^ code, 2654435761);
      second = Math.imul(second ^ code, 1597334677);
    }
    first ^= first >>> 16;
    second ^= second >>> 13;
  }
  return [first, second, lines.length].map((part) => (part >>> 0).toString(16).padStart(8, "0")).join("");
}

/** Tags and idle minimums are sets: their order is no fact. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (part === null || typeof part !== "object") return part;
    if (Array.isArray(part)) return part.every(Array.isArray) ? part.map((item) => JSON.stringify(item)).sort() : part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
