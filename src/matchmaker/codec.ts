import { compile, objectText } from "./compile.ts";
import { absentValue, type Fields, type Kind, type NamedField, namedFields } from "./field-kinds.ts";
import { type Row, upgradeLobbyRow } from "./old-rows.ts";
import { readSince, recordFormat } from "./record-format.ts";
import { compileRecord, type FindPool, keyShape, lobbyShape, playerShape, type RecordShape } from "./record-makers.ts";
import type { Key, Lobby, NamespaceRecord, Player } from "./records.ts";
import { type Entity, keyFields, lobbyFields, namespaceFields, playerFields } from "./schema.ts";

/** How a field's value becomes JSON text. */
const writers: { readonly [K in Kind]: (value: string) => string } = {
  text: (value) => `quote(${value})`,
  "text?": (value) => `(${value} === null ? "null" : quote(${value}))`,
  number: (value) => value,
  "number?": (value) => value,
  time: (value) => `timeText(${value})`,
  "time?": (value) => `timeText(${value})`,
  flag: (value) => `(${value} ? 1 : 0)`,
  choice: (value) => `quote(${value})`,
  "choice?": (value) => `(${value} === null ? "null" : quote(${value}))`,
  tags: (value) => `JSON.stringify(${value})`,
  ids: (value) => `JSON.stringify(${value})`,
  counts: (value) => `JSON.stringify([...${value}])`,
};

/** What JSON text does not give as it was. */
const readers: { readonly [K in Kind]?: (value: string) => string } = {
  flag: (value) => `(${value} === 1)`,
  counts: (value) => `new Map(${value})`,
};

/**
 * Each record as one row: a list of the format's number and the record's facts, in the order of schema.ts. It becomes JSON
 * text once, here, and is stored as that text.
 */
export const encodeNamespace = compileEncoder<NamespaceRecord>(namespaceFields);
export const encodeLobby = compileEncoder<Lobby>(lobbyFields);
export const encodePlayer = compileEncoder<Player>(playerFields);
export const encodeKey = compileEncoder<Key>(keyFields);

function compileEncoder<T>(fields: Fields): (record: T) => string {
  const values = storedFields(fields, recordFormat).map(([name, { kind }]) => writers[kind](`record.${name}`));
  return compile(["record"], `"[${recordFormat}," + ${values.join(' + "," + ')} + "]"`, { quote, timeText });
}

/** Most texts are ids and need no escape: looking whether that is so is cheaper than JSON. */
export function quote(text: string): string {
  return needsNoEscape.test(text) ? `"${text}"` : JSON.stringify(text);
}

const needsNoEscape = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

let lastTime: number | null = null;
let lastTimeText = "null";

/** Most times in one turn of the event loop are the same, and writing out a large number takes longest of all. */
function timeText(time: number | null): string {
  if (time === null) return "null";
  if (time !== lastTime) {
    lastTime = time;
    lastTimeText = String(time);
  }
  return lastTimeText;
}

/** The first number is the record format, which decides the fields of a row. */
export function decodeLobby(id: string, row: Row, findPool: FindPool): Lobby {
  const upgraded = upgradeLobbyRow(row);
  return findDecoder(lobbyDecoders, "lobby", upgraded)(id, upgraded, findPool);
}

export function decodePlayer(id: string, row: Row): Player {
  return findDecoder(playerDecoders, "player", row)(id, row);
}

export function decodeKey(id: string, row: Row): Key {
  return findDecoder(keyDecoders, "key", row)(id, row);
}

export function decodeNamespace(row: Row): NamespaceRecord {
  return findDecoder(namespaceDecoders, "namespace", row)(row);
}

/** By format: how many elements a row has, and what makes a record of it. */
type Decoders<F> = readonly ({ readonly length: number; readonly decode: F } | undefined)[];

const lobbyDecoders = compileDecoders<(id: string, row: Row, findPool: FindPool) => Lobby>(lobbyShape);
const playerDecoders = compileDecoders<(id: string, row: Row) => Player>(playerShape);
const keyDecoders = compileDecoders<(id: string, row: Row) => Key>(keyShape);
const namespaceDecoders: Decoders<(row: Row) => NamespaceRecord> = eachFormat((format) => {
  const fact = rowFacts(namespaceFields, format);
  const facts = namedFields(namespaceFields).map(([name]) => [name, fact(name)] as const);
  return { length: rowLength(namespaceFields, format), decode: compile(["row"], objectText(facts)) };
});

function compileDecoders<F>({ kind, fields, derived }: RecordShape): Decoders<F> {
  return eachFormat((format) => {
    const fact = rowFacts(fields, format);
    const decode = compileRecord<F>(["id", "row", "findPool"], kind, fields, fact, derived(fact));
    return { length: rowLength(fields, format), decode };
  });
}

function eachFormat<T>(make: (format: number) => T): (T | undefined)[] {
  return Array.from({ length: recordFormat + 1 }, (_, format) => (format === 0 ? undefined : make(format)));
}

function rowLength(fields: Fields, format: number): number {
  return 1 + storedFields(fields, format).length;
}

/** Gives the text that reads a fact from a row of a format. */
function rowFacts(fields: Fields, format: number): (name: string) => string {
  const stored = storedFields(fields, format).map(([name]) => name);
  return (name) => {
    const field = fields[name]!;
    const at = stored.indexOf(name) + 1;
    if (at > 0) return readers[field.kind]?.(`row[${at}]`) ?? `row[${at}]`;
    return JSON.stringify(field.isNotInJournal ? field.first : absentValue(name, field));
  };
}

/** The fields of a row of this format, in their order. */
export function storedFields(fields: Fields, format: number): NamedField[] {
  return namedFields(fields, (field) => !field.isNotInJournal && readSince(field) <= format);
}

function findDecoder<F>(decoders: Decoders<F>, entity: Entity, row: Row): F {
  const format = Number(row[0]);
  const found = decoders[format];
  if (found !== undefined && row.length === found.length) return found.decode;
  throw new Error(
    `A stored ${entity} has format ${format} with ${row.length} fields; this version of Foyer reads up to format ${recordFormat}. ` +
      "It was written by a newer Foyer, or the store is damaged.",
  );
}
