import { compile, objectText } from "./compile.ts";
import { type Fields, type Needed, namedFields } from "./field-kinds.ts";
import {
  type Key,
  keyKind,
  type Lobby,
  listTagKeys,
  lobbyKind,
  type Player,
  type Pool,
  playerKind,
} from "./records.ts";
import { keyFields, lobbyFields, playerFields } from "./schema.ts";

/** Makes records in memory: new ones here, stored ones in codec.ts. Both come out alike, field for field. */

export interface RecordShape {
  readonly kind: number;
  readonly fields: Fields;
  /** How what is derived begins. `fact` gives the text by which a fact is reached. */
  derived(fact: (name: string) => string): Readonly<Record<string, string>>;
}

export const lobbyShape: RecordShape = {
  kind: lobbyKind,
  fields: lobbyFields,
  derived: (fact) => ({
    pool: `findPool(${fact("versionId")}, ${fact("gameMode")}, ${fact("region")})`,
    tagKeys: `listTagKeys(${fact("tags")})`,
    reserved: "0",
    connected: "0",
    held: "0",
    players: "[]",
    dueAt: "Infinity",
  }),
};

export const playerShape: RecordShape = {
  kind: playerKind,
  fields: playerFields,
  derived: () => ({ dueAt: "Infinity", slot: "-1" }),
};

export const keyShape: RecordShape = { kind: keyKind, fields: keyFields, derived: () => ({ dueAt: "Infinity" }) };

export type FindPool = (versionId: string, gameMode: string, region: string) => Pool;

/** What rules have to say of a new record is `Needed`; everything else has its first value. */
export const newLobby =
  compileMaker<(id: string, needed: Needed<typeof lobbyFields>, now: number, findPool: FindPool) => Lobby>(lobbyShape);
export const newPlayer =
  compileMaker<(id: string, needed: Needed<typeof playerFields>, now: number) => Player>(playerShape);
export const newKey = compileMaker<(id: string, needed: Needed<typeof keyFields>, now: number) => Key>(keyShape);

function compileMaker<F>({ kind, fields, derived }: RecordShape): F {
  const first = (name: string) => {
    const value = fields[name]?.first;
    if (value === undefined) return `needed.${name}`;
    return value === "now" ? "now" : JSON.stringify(value);
  };
  return compileRecord(["id", "needed", "now", "findPool"], kind, fields, first, derived(first));
}

/** The kind and the id, then the facts, then what is derived. */
export function compileRecord<F>(
  parameters: readonly string[],
  kind: number,
  fields: Fields,
  fact: (name: string) => string,
  derived: Readonly<Record<string, string>>,
): F {
  const facts = namedFields(fields).map(([name]) => [name, fact(name)] as const);
  const text = objectText([["kind", String(kind)], ["id", "id"], ...facts, ...Object.entries(derived)]);
  return compile(parameters, text, { listTagKeys });
}
