import type { Change } from "../../src/matchmaker/changes.ts";
import { keyRow, lobbyRow, namespaceRow, playerRow } from "../../src/matchmaker/codec.ts";
import type { State } from "../../src/matchmaker/state.ts";

/** Everything, as if it had all just changed. */
export function allChanges(state: State): Change[] {
  const changes: Change[] = [];
  if (state.namespace !== null) {
    changes.push({ entity: "namespace", id: state.namespaceId, value: namespaceRow(state.namespace) });
  }
  for (const lobby of state.lobbies.values()) changes.push({ entity: "lobby", id: lobby.id, value: lobbyRow(lobby) });
  for (const player of state.players.values()) {
    changes.push({ entity: "player", id: player.id, value: playerRow(player) });
  }
  for (const key of state.keys.values()) changes.push({ entity: "key", id: key.id, value: keyRow(key) });
  return changes;
}

/** Equal for states with the same facts. It compares states; it is no protection against an adversary. */
export function stateHash(state: State): string {
  const lines = allChanges(state).map(({ entity, id, value }) => `${entity} ${id} ${canonical(value)}`);
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
