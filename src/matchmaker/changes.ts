import {
  decodeKey,
  decodeLobby,
  decodeNamespace,
  decodePlayer,
  encodeKey,
  encodeLobby,
  encodeNamespace,
  encodePlayer,
  quote,
} from "./codec.ts";
import type { Row } from "./old-rows.ts";
import type { Key, Lobby, NamespaceRecord, Player } from "./records.ts";
import { type Entity, entities } from "./schema.ts";
import { createState, ensurePool, fillState, putNamespace, type State } from "./state.ts";

/**
 * Records as they are after a command, in the text that the journal writes: a line for each, with the number of its
 * kind, its id and its row, which are JSON and so contain neither a tab nor a line break. Without a row: the record was
 * deleted. All changes of one command are stored together.
 */
export interface Changes {
  readonly count: number;
  readonly text: string;
}

export const noChanges: Changes = { count: 0, text: "" };

/** What changed since the last time, each record once. */
export function takeChanges(state: State): Changes {
  const count = state.changed.size;
  if (count === 0) return noChanges;
  let text = "";
  for (const { entity, id } of state.changed.values()) text += changeLine(entity, id, encodeRecord(state, entity, id));
  // Another one, not the same one cleared: V8 makes a cleared map point from its old table to its new one, so that whatever
  // was in any of them is kept until the next full collection.
  state.changed = new Map();
  return { count, text };
}

export function changeLine(entity: Entity, id: string, row: string | null): string {
  return `${entityNumbers[entity]}\t${quote(id)}\t${row ?? ""}\n`;
}

// The cast is safe: the entries are those of the list.
const entityNumbers = Object.fromEntries(entities.map((entity, number) => [entity, number])) as Record<Entity, number>;

/** Null: there is no such record. */
export function encodeRecord(state: State, entity: Entity, id: string): string | null {
  if (entity === "player") return encodeIfThere(state.players.get(id), encodePlayer);
  if (entity === "lobby") return encodeIfThere(state.lobbies.get(id), encodeLobby);
  if (entity === "key") return encodeIfThere(state.keys.get(id), encodeKey);
  return encodeIfThere(state.namespace ?? undefined, encodeNamespace);
}

function encodeIfThere<T>(record: T | undefined, encode: (record: T) => string): string | null {
  return record === undefined ? null : encode(record);
}

/** A record as the journal gives it back. */
export interface StoredRecord {
  readonly entity: Entity;
  readonly id: string;
  readonly row: Row;
}

/** The state that these records describe, in whatever order they come. Heartbeat clocks wait for `restarted`. */
export function loadState(namespaceId: string, records: Iterable<StoredRecord>): State {
  const loader = createStateLoader(namespaceId);
  for (const record of records) loader.add(record);
  return loader.finish();
}

/** Takes records one by one, so that their rows need not be kept until all are there. */
export interface StateLoader {
  add(record: StoredRecord): void;
  /** Call it once, after the last one. */
  finish(): State;
}

export function createStateLoader(namespaceId: string): StateLoader {
  const state = createState(namespaceId);
  const lobbies: Lobby[] = [];
  const players: Player[] = [];
  const keys: Key[] = [];
  let namespace: NamespaceRecord | null = null;
  const findPool = (versionId: string, gameMode: string, region: string) =>
    ensurePool(state, versionId, gameMode, region);
  return {
    add({ entity, id, row }) {
      if (entity === "player") players.push(decodePlayer(id, row));
      else if (entity === "lobby") lobbies.push(decodeLobby(id, row, findPool));
      else if (entity === "key") keys.push(decodeKey(id, row));
      else namespace = decodeNamespace(row);
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

/** Time continues from the last recorded time, even if the machine's clock was set back. */
function latestTime(state: State): number {
  let latest = state.namespace?.removedAt ?? 0;
  for (const lobby of state.lobbies.values()) {
    latest = Math.max(latest, lobby.createdAt, lobby.readyAt ?? 0, lobby.emptySince, lobby.silentSince ?? 0);
    latest = Math.max(latest, lobby.stoppedAt ?? 0);
  }
  for (const player of state.players.values()) {
    latest = Math.max(latest, player.reservedAt, player.connectedAt ?? 0, player.heldAt ?? 0, player.endedAt ?? 0);
  }
  return latest;
}
