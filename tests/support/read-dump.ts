import { idsOf } from "../../src/engine/redis/read-outcomes.ts";
import { closeOf, timeOf } from "../../src/engine/redis/read-views.ts";
import type { MadeLobby } from "../../src/engine/redis/write-commands.ts";
import type { LobbyStatus, SeatStatus, StopReason } from "../../src/matchmaker/commands.ts";
import { createPool } from "../../src/matchmaker/pools.ts";
import {
  type Key,
  keyKind,
  type Lobby,
  lobbyKind,
  type Player,
  playerKind,
  tagKeysOf,
} from "../../src/matchmaker/records.ts";
import type { NamespaceRecord } from "../../src/matchmaker/state.ts";

/** Everything of a namespace as dump.lua gives it. Every shape here is cast: only our own scripts write these. */
export interface Dump {
  readonly namespace: Facts;
  readonly minimums: Facts;
  readonly lobbies: readonly DumpedLobby[];
  readonly players: readonly { readonly id: string; readonly facts: Facts }[];
  readonly keys: readonly { readonly id: string; readonly facts: Facts }[];
  readonly timers: readonly (readonly [member: string, dueAt: number])[];
  readonly clients: Facts;
  readonly pools: readonly DumpedPool[];
}

export type Facts = Readonly<Record<string, string | undefined>>;

export interface DumpedLobby {
  readonly id: string;
  readonly facts: Facts;
  readonly texts: Facts;
  readonly seated: readonly string[];
}

export interface DumpedPool {
  readonly key: string;
  readonly counts: Facts;
  readonly idle: readonly string[];
  readonly barred: readonly string[];
  readonly listed: readonly string[];
  readonly groups: readonly (readonly [
    tagKey: string,
    size: string,
    count: number,
    scored: readonly (readonly [string, number])[],
  ])[];
}

type Flat = readonly string[];

export function readDump(written: unknown): Dump {
  const [namespace, minimums, lobbies, players, keys, timers, clients, pools] = written as readonly [
    Flat,
    Flat,
    readonly (readonly [string, Flat, Flat, Flat])[],
    readonly (readonly [string, Flat])[],
    readonly (readonly [string, Flat])[],
    Flat,
    Flat,
    readonly (readonly [string, Flat, Flat, Flat, Flat, readonly (readonly [string, string, string, Flat])[]])[],
  ];
  return {
    namespace: factsOf(namespace),
    minimums: factsOf(minimums),
    lobbies: lobbies.map(([id, facts, texts, seated]) => ({
      id,
      facts: factsOf(facts),
      texts: factsOf(texts),
      seated,
    })),
    players: players.map(([id, facts]) => ({ id, facts: factsOf(facts) })),
    keys: keys.map(([id, facts]) => ({ id, facts: factsOf(facts) })),
    timers: scoredOf(timers),
    clients: factsOf(clients),
    pools: pools.map(([key, counts, idle, barred, listed, groups]) => ({
      key,
      counts: factsOf(counts),
      idle,
      barred,
      listed,
      groups: groups.map(([tagKey, size, count, scored]) => [tagKey, size, Number(count), scoredOf(scored)]),
    })),
  };
}

function factsOf(flat: Flat): Facts {
  return Object.fromEntries(scored(flat));
}

function scoredOf(flat: Flat): (readonly [string, number])[] {
  return scored(flat).map(([member, score]) => [member, Number(score)]);
}

function scored(flat: Flat): [string, string][] {
  const entries: [string, string][] = [];
  for (let at = 0; at < flat.length; at += 2) entries.push([flat[at]!, flat[at + 1]!]);
  return entries;
}

export function namespaceOf({ namespace, minimums }: Dump): NamespaceRecord | null {
  if (namespace.revision === undefined) return null;
  const idle = Object.entries(minimums).map(([pair, min]) => [pair.replace(" ", "/"), Number(min)] as const);
  return {
    revision: Number(namespace.revision),
    limits: {
      lobbyCountMax: Number(namespace.lobbyCountMax),
      maxPlayers: Number(namespace.maxPlayers),
      maxPlayersPerClient: timeOf(namespace.maxPlayersPerClient),
    },
    deployedVersionId: namespace.deployedVersionId ?? null,
    idleMinimums: new Map(idle),
    removedAt: timeOf(namespace.removedAt),
  };
}

/** Only its facts: loading them computes what is derived. */
export function lobbyOf({ id, facts, texts }: DumpedLobby): Lobby {
  const { createReason, createdBy, tags, lobbyConfig } = JSON.parse(texts.made ?? "") as MadeLobby;
  const [versionId = "", gameMode = "", region = ""] = facts.pool?.split(" ") ?? [];
  return {
    kind: lobbyKind,
    id,
    pool: createPool(versionId, gameMode, region),
    maxPlayers: Number(facts.maxPlayers),
    maxPlayersDirect: Number(facts.maxPlayersDirect),
    isExternal: facts.isExternal === "1",
    isPrivate: facts.isPrivate === "1",
    isJoinable: facts.isJoinable === "1",
    tags,
    readyMs: Number(facts.readyMs),
    reservationMs: Number(facts.reservationMs),
    heartbeatMs: Number(facts.heartbeatMs),
    emptyMs: Number(facts.emptyMs),
    lobbyConfig,
    createReason,
    createdBy,
    createdAt: Number(facts.createdAt),
    ports: texts.ports ?? null,
    state: texts.state ?? null,
    nodeId: facts.nodeId ?? null,
    status: facts.status as LobbyStatus,
    isClosed: facts.isClosed === "1",
    operatorClose: closeOf(facts.operatorClose),
    readyAt: timeOf(facts.readyAt),
    silentSince: timeOf(facts.silentSince),
    emptySince: Number(facts.emptySince),
    peakBefore: Number(facts.peakBefore),
    stoppedAt: timeOf(facts.stoppedAt),
    stopReason: (facts.stopReason as StopReason | undefined) ?? null,
    exit: texts.exit ?? null,
    lastHeartbeatAt: timeOf(facts.lastHeartbeatAt),
    tagKeys: tagKeysOf(tags),
    reserved: 0,
    connected: 0,
    players: [],
    dueAt: Infinity,
  };
}

export function playerOf(id: string, facts: Facts): Player {
  return {
    kind: playerKind,
    id,
    lobbyId: facts.lobbyId ?? "",
    clientId: facts.clientId ?? "",
    reservedAt: Number(facts.reservedAt),
    status: facts.status as SeatStatus,
    connectedAt: timeOf(facts.connectedAt),
    endedAt: timeOf(facts.endedAt),
    isMissing: facts.isMissing === "1",
    dueAt: Infinity,
    slot: -1,
  };
}

export function keyOf(id: string, facts: Facts): Key {
  const { bodyHash = "", lobbyId = "", playerIds, createdAt } = facts;
  return {
    kind: keyKind,
    id,
    bodyHash,
    lobbyId,
    playerIds: idsOf(playerIds),
    createdAt: Number(createdAt),
    dueAt: Infinity,
  };
}
