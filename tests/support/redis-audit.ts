import { readFileSync } from "node:fs";
import { scriptOnState } from "../../src/engine/redis/scripts.ts";
import { loadState } from "../../src/matchmaker/changes.ts";
import { type OrderedSet, orderedItems } from "../../src/matchmaker/ordered-set.ts";
import { type Lobby, lobbyKind, type Pool, takenSeats } from "../../src/matchmaker/records.ts";
import { countClients, noteHeartbeat, type State } from "../../src/matchmaker/state.ts";
import { computeDueAt, isTimerMoved } from "../../src/matchmaker/timers.ts";
import type { RedisLink } from "../../src/redis/interface.ts";
import { checkInvariants } from "./invariants.ts";
import { type Dump, type DumpedPool, type Facts, readDump, recordsOf } from "./read-dump.ts";

/**
 * Reads everything of a namespace at one moment, loads its facts as the memory engine would, and compares what follows
 * from them with every index, count and timer in Redis. Returns what is wrong, in words; nothing, if all is well.
 */
export async function auditNamespace(link: RedisLink, prefix: string, namespaceId: string): Promise<string[]> {
  const dump = readDump(await dumpNamespace(link, prefix, namespaceId));
  const violations: string[] = [];
  const same = (name: string, kept: unknown, wanted: unknown) => {
    const [shown, right] = [JSON.stringify(kept), JSON.stringify(wanted)];
    if (shown !== right) violations.push(`${name}: Redis has ${shown}, the facts say ${right}`);
  };
  const state = stateOf(namespaceId, dump);
  violations.push(...checkInvariants(state));
  compareLobbies(dump, state, same);
  compareTotals(dump, state, same);
  compareNodes(dump, state, same);
  compareSeatKeys(dump, state, same);
  comparePools(dump, state, same);
  return violations;
}

/** Everything that Redis has of a namespace, as dump.lua gives it. */
export async function dumpNamespace(link: RedisLink, prefix: string, namespaceId: string): Promise<unknown> {
  return link.run(dumpScript, `${prefix}:{${namespaceId}}:ns`, []);
}

const dumpScript = scriptOnState("dump", readFileSync(new URL("dump.lua", import.meta.url), "utf8"));

type Same = (name: string, kept: unknown, wanted: unknown) => void;

function stateOf(namespaceId: string, dump: Dump): State {
  const state = loadState(namespaceId, recordsOf(namespaceId, dump));
  for (const { id, facts } of dump.lobbies) {
    const { lastHeartbeatAt } = facts;
    if (lastHeartbeatAt !== undefined) noteHeartbeat(state, state.lobbies.get(id)!, Number(lastHeartbeatAt));
  }
  state.now = Number(dump.namespace.now ?? 0);
  state.heardFrom = Number(dump.namespace.heardFrom ?? 0);
  for (const lobby of state.lobbies.values()) isTimerMoved(state, lobby);
  return state;
}

function compareLobbies(dump: Dump, state: State, same: Same): void {
  const timers: Timer[] = [];
  for (const { id, facts, seated } of dump.lobbies) {
    const { reserved, connected, held, players } = state.lobbies.get(id)!;
    const kept = [facts.reserved, facts.connected, facts.held].map(numberOf);
    same(`seats of lobby ${id}`, kept, [reserved, connected, held]);
    same(`players of lobby ${id}`, seated, players.map((player) => player.id).sort());
    const dueAt = rightDueAt(state, id, facts);
    same(`deadline of lobby ${id}`, facts.dueAt ?? null, dueAt === Infinity ? null : String(dueAt));
    if (dueAt !== Infinity) timers.push([`${lobbyKind}${id}`, dueAt]);
  }
  for (const { kind, id, dueAt } of orderedItems(state.timers))
    if (kind !== lobbyKind) timers.push([`${kind}${id}`, dueAt]);
  const byDeadline = ([a, dueAt]: Timer, [b, otherAt]: Timer) => dueAt - otherAt || (a < b ? -1 : 1);
  same("timers", dump.timers, timers.sort(byDeadline));
}

type Timer = readonly [member: string, dueAt: number];

/** A timer from before heartbeat clocks started over may still stand where it stood. */
function rightDueAt(state: State, id: string, { dueAt }: Facts): number {
  const lobby = state.lobbies.get(id)!;
  const [least, most] = [computeDueAt(state, lobby, 0), computeDueAt(state, lobby)];
  const kept = Number(dueAt);
  return kept >= least && kept <= most ? kept : most;
}

/** The lobby of each taken seat with a key, by client and key; and all of them by key and lobby. */
function compareSeatKeys({ seatKeys, keyed }: Dump, state: State, same: Same): void {
  const wanted = [...state.seatKeys.seats].map(([scope, { lobbyId }]) => [scope, lobbyId]);
  same("seats by key", sorted(seatKeys), sorted(Object.fromEntries(wanted)));
  const members = [...orderedItems(state.seatKeys.ordered)];
  same(
    "lobbies by key",
    keyed,
    members.map(({ playerKey, lobbyId, clientId }) => `${playerKey} ${lobbyId} ${clientId}`),
  );
}

function compareNodes({ nodes }: Dump, state: State, same: Same): void {
  for (const [nodeId, lobbyIds] of nodes) {
    const own = [...state.lobbies.values()].filter((lobby) => lobby.nodeId === nodeId);
    same(`lobbies of node ${nodeId}`, lobbyIds, own.map(({ id }) => id).sort());
  }
}

function compareTotals({ namespace, clients, codes }: Dump, state: State, same: Same): void {
  const { startingCount, readyCount, reservedCount, connectedCount, heldCount } = state;
  const { startingCount: starting, readyCount: ready } = namespace;
  const kept = [starting, ready, namespace.reservedCount, namespace.connectedCount, namespace.heldCount];
  const wanted = [startingCount, readyCount, reservedCount, connectedCount, heldCount];
  same("totals", kept.map(numberOf), wanted);
  same(
    "seats per client",
    sorted(clients),
    sorted(Object.fromEntries([...countClients(state)].map(([id, n]) => [id, String(n)]))),
  );
  same("codes", sorted(codes), sorted(Object.fromEntries([...state.codes].map(([code, { id }]) => [code, id]))));
}

function comparePools(dump: Dump, state: State, same: Same): void {
  const pools = [...state.pools.values()].map((pool) => ({
    pool,
    key: [pool.versionId, pool.gameMode, pool.region].join(" "),
  }));
  same(
    "pools",
    dump.pools.map(({ key }) => key),
    pools.map(({ key }) => key).sort(),
  );
  for (const { key, pool } of pools) {
    const kept = dump.pools.find((other) => other.key === key);
    if (kept !== undefined) comparePool(kept, pool, same);
  }
}

function comparePool({ key, counts, idle, barred, listed, groups }: DumpedPool, pool: Pool, same: Same): void {
  const { lobbyCount, taken, idleStarting, privateCount } = pool;
  const kept = [counts.lobbies, counts.taken, counts.idleStarting, counts.private];
  same(`counts of pool ${key}`, kept.map(numberOf), [lobbyCount, taken, idleStarting, privateCount]);
  same(`idle lobbies of pool ${key}`, idle, [...orderedItems(pool.idle)].map(ageOf));
  same(`barred lobbies of pool ${key}`, barred, [...orderedItems(pool.barred)].map(ageOf));
  same(`listed lobbies of pool ${key}`, listed, idsOf(pool.listed));
  const wanted = [...pool.groups].flatMap(([tagKey, { sizes }]) =>
    sizes.map(({ isReady, maxPlayers, lobbies }) => {
      const members = [...orderedItems(lobbies)];
      const scored = members.map((lobby) => [ageOf(lobby), 0 - takenSeats(lobby)]);
      return [tagKey, `${isReady ? "r" : "s"}${maxPlayers}`, members.length, scored] as const;
    }),
  );
  same(`groups of pool ${key}`, groups.map(String).sort(), wanted.map(String).sort());
}

function ageOf({ createdAt, id }: Lobby): string {
  return `${String(createdAt).padStart(16, "0")}${id}`;
}

function idsOf(lobbies: OrderedSet<Lobby>): string[] {
  return [...orderedItems(lobbies)].map(({ id }) => id);
}

function numberOf(text: string | undefined): number {
  return Number(text ?? 0);
}

function sorted(entries: Readonly<Record<string, string | undefined>>) {
  return Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1));
}
