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
import { beginFilling } from "./fill-state.ts";
import type { Row } from "./old-rows.ts";
import type { Lobby, NamespaceRecord, Player } from "./records.ts";
import { type Entity, entities } from "./schema.ts";
import { createState, ensurePool, type State } from "./state.ts";

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
  const filling = beginFilling(state);
  let namespace: NamespaceRecord | null = null;
  // Time continues from the last recorded time, even if the machine's clock was set back.
  let latest = 0;
  const findPool = (versionId: string, gameMode: string, region: string) =>
    ensurePool(state, versionId, gameMode, region);
  return {
    add({ entity, id, row }) {
      if (entity === "player") {
        const player = decodePlayer(id, row);
        filling.addPlayer(player);
        latest = Math.max(latest, latestOfPlayer(player));
      } else if (entity === "lobby") {
        const lobby = decodeLobby(id, row, findPool);
        filling.addLobby(lobby);
        latest = Math.max(latest, latestOfLobby(lobby));
      } else if (entity === "key") {
        filling.addKey(decodeKey(id, row));
      } else {
        namespace = decodeNamespace(row);
      }
    },
    finish() {
      filling.finish(namespace);
      state.now = Math.max(latest, namespace?.removedAt ?? 0);
      return state;
    },
  };
}

function latestOfLobby({ createdAt, readyAt, emptySince, silentSince, stoppedAt }: Lobby): number {
  return Math.max(createdAt, readyAt ?? 0, emptySince, silentSince ?? 0, stoppedAt ?? 0);
}

function latestOfPlayer({ reservedAt, connectedAt, heldAt, endedAt }: Player): number {
  return Math.max(reservedAt, connectedAt ?? 0, heldAt ?? 0, endedAt ?? 0);
}
