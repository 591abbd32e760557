import { flattenMade } from "../../src/engine/redis/old-views.ts";
import type { StoredRecord } from "../../src/matchmaker/changes.ts";
import { storedFields } from "../../src/matchmaker/codec.ts";
import type { Field, Fields, Kind } from "../../src/matchmaker/field-kinds.ts";
import { recordFormat } from "../../src/matchmaker/record-format.ts";
import { keyFields, lobbyFields, namespaceFields, playerFields } from "../../src/matchmaker/schema.ts";

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
  /** The ids of lobbies by their codes. */
  readonly codes: Facts;
  readonly seatKeys: Facts;
  readonly keyed: readonly string[];
  /** The lobbies of each node. */
  readonly nodes: readonly (readonly [nodeId: string, lobbyIds: readonly string[]])[];
}

export type Facts = Readonly<Record<string, string | undefined>>;

interface DumpedLobby {
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
  const [namespace, minimums, lobbies, players, keys, timers, clients, pools, codes, seatKeys, keyed, nodes] =
    written as readonly [
      Flat,
      Flat,
      readonly (readonly [string, Flat, Flat, Flat])[],
      readonly (readonly [string, Flat])[],
      readonly (readonly [string, Flat])[],
      Flat,
      Flat,
      readonly (readonly [string, Flat, Flat, Flat, Flat, readonly (readonly [string, string, string, Flat])[]])[],
      Flat,
      Flat,
      Flat,
      readonly (readonly [string, Flat])[],
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
    codes: factsOf(codes),
    seatKeys: factsOf(seatKeys),
    keyed,
    nodes,
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

/** Rows as the journal would have them, of nothing but facts: the reader works out what is derived. */
export function recordsOf(namespaceId: string, dump: Dump): StoredRecord[] {
  const { namespace, minimums } = dump;
  const idle = Object.entries(minimums).map(([pair, min]) => [pair.replace(" ", "/"), Number(min)]);
  const records: StoredRecord[] = [];
  if (namespace.revision !== undefined) {
    const row = toRow(namespaceFields, (name, { kind }) =>
      kind === "counts" ? idle : readFact(kind, namespace[name]),
    );
    records.push({ entity: "namespace", id: namespaceId, row });
  }
  for (const lobby of dump.lobbies) records.push({ entity: "lobby", id: lobby.id, row: lobbyRow(lobby) });
  for (const { id, facts } of dump.players)
    records.push({ entity: "player", id, row: toRow(playerFields, from(facts)) });
  for (const { id, facts } of dump.keys) records.push({ entity: "key", id, row: toRow(keyFields, from(facts)) });
  return records;
}

function lobbyRow({ facts, texts }: DumpedLobby): Row {
  const made = flattenMade(JSON.parse(texts.made ?? "")) as Record<string, unknown>;
  return toRow(lobbyFields, (name, field) => {
    if (field.redis === "made") return made[name];
    return readFact(field.kind, field.redis === "text" ? texts[name] : facts[name]);
  });
}

type Row = StoredRecord["row"];

function toRow(fields: Fields, read: (name: string, field: Field) => unknown): Row {
  return [recordFormat, ...storedFields(fields, recordFormat).map(([name, field]) => read(name, field))];
}

const from =
  (facts: Facts) =>
  (name: string, { kind }: Field) =>
    readFact(kind, facts[name]);

/** A flag is 1 or absent, and so is null. */
function readFact(kind: Kind, text: string | undefined): unknown {
  if (kind === "flag") return text === "1" ? 1 : 0;
  if (text === undefined) return null;
  if (kind.startsWith("number") || kind.startsWith("time")) return Number(text);
  return kind === "ids" ? text.split(" ") : text;
}
