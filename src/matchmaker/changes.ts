import {
  keyRow,
  lobbyRow,
  namespaceRow,
  playerRow,
  type Row,
  readKeyRow,
  readLobbyRow,
  readNamespaceRow,
  readPlayerRow,
} from "./codec.ts";
import type { Key, Lobby, Player } from "./records.ts";
import {
  createState,
  type Entity,
  ensurePool,
  fillState,
  type NamespaceRecord,
  putNamespace,
  type State,
} from "./state.ts";

/** One entity as it is after a command; a null value: it is gone. All changes of one command are stored together. */
export interface Change {
  readonly entity: Entity;
  readonly id: string;
  readonly value: Row | null;
}

/** What changed since the last time, each entity once. */
export function takeChanges(state: State): Change[] {
  const changes: Change[] = [];
  for (const { entity, id } of state.changed.values()) changes.push({ entity, id, value: rowOf(state, entity, id) });
  // Another one, not the same one cleared: V8 makes a cleared map point from its old table to its new one, so that whatever
  // was in any of them is kept until the next full collection.
  if (changes.length > 0) state.changed = new Map();
  return changes;
}

function rowOf(state: State, entity: Entity, id: string): Row | null {
  if (entity === "namespace") return state.namespace === null ? null : namespaceRow(state.namespace);
  if (entity === "lobby") return mapped(state.lobbies.get(id), lobbyRow);
  if (entity === "player") return mapped(state.players.get(id), playerRow);
  return mapped(state.keys.get(id), keyRow);
}

function mapped<T>(record: T | undefined, toRow: (record: T) => Row): Row | null {
  return record === undefined ? null : toRow(record);
}

/** The state that these entities describe, in whatever order they come. Heartbeat clocks wait for `restarted`. */
export function loadState(namespaceId: string, changes: Iterable<Change>): State {
  const loader = createStateLoader(namespaceId);
  for (const change of changes) loader.add(change);
  return loader.finish();
}

/** Takes entities one by one, so that their rows need not be kept until all are there. */
export interface StateLoader {
  add(change: Change): void;
  /** Call it once, after the last one. */
  finish(): State;
}

export function createStateLoader(namespaceId: string): StateLoader {
  const state = createState(namespaceId);
  const lobbies: Lobby[] = [];
  const players: Player[] = [];
  const keys: Key[] = [];
  let namespace: NamespaceRecord | null = null;
  const poolOf = (versionId: string, gameMode: string, region: string) =>
    ensurePool(state, versionId, gameMode, region);
  return {
    add({ entity, id, value }) {
      if (value === null) return;
      if (entity === "player") players.push(readPlayerRow(id, value));
      else if (entity === "lobby") lobbies.push(readLobbyRow(id, value, poolOf));
      else if (entity === "key") keys.push(readKeyRow(id, value));
      else namespace = readNamespaceRow(value);
    },
    finish() {
      if (namespace !== null) putNamespace(state, namespace);
      fillState(state, lobbies, players, keys);
      state.changed = new Map();
      state.now = latestTime(state);
      return state;
    },
  };
}

/** Time goes on from the last thing that is known to have happened, even if the machine's clock was set back. */
function latestTime(state: State): number {
  let latest = state.namespace?.removedAt ?? 0;
  for (const lobby of state.lobbies.values()) {
    latest = Math.max(latest, lobby.createdAt, lobby.readyAt ?? 0, lobby.emptySince, lobby.silentSince ?? 0);
    latest = Math.max(latest, lobby.stoppedAt ?? 0);
  }
  for (const player of state.players.values()) {
    latest = Math.max(latest, player.reservedAt, player.connectedAt ?? 0, player.endedAt ?? 0);
  }
  return latest;
}
