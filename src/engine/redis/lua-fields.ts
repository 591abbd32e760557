import { type Field, type Kind, type NamedField, namedFields } from "../../matchmaker/field-kinds.ts";
import {
  constants,
  keyFields,
  lobbyFields,
  type lobbyShown,
  playerFields,
  type playerShown,
} from "../../matchmaker/schema.ts";
import {
  isInHash,
  isInTexts,
  lobbyInRedis,
  lobbyLine,
  lobbyTexts,
  namespaceFacts,
  namespaceInRedis,
  playerInRedis,
  playerView,
} from "./redis-fields.ts";

/** What a view of a lobby shows besides its facts, as views.ts has it. `taken` is how many seats are taken. */
const lobbyExpressions: { readonly [N in keyof typeof lobbyShown]: string } = {
  isSilent: 'lobby.silentSince and "1" or "0"',
  isOutdated: 'foyer.isDeployed(foyer.poolOf(lobby.pool)) and "0" or "1"',
  reserved: "foyer.textOf(lobby.reserved)",
  connected: "foyer.textOf(lobby.connected)",
  held: "foyer.textOf(lobby.held)",
  emptySince: 'taken == 0 and lobby.emptySince or ""',
  peakSeats: "foyer.textOf(math.max(lobby.peakBefore, taken))",
};

/** The same for players. `dueAt` is when the reservation or the hold ends. */
const playerExpressions: { readonly [N in keyof typeof playerShown]: string } = {
  expiresAt: 'dueAt == foyer.never and "" or tostring(dueAt)',
};

/**
 * The values of `$name` in scripts: constants, and every list of fields, made from schema.ts. So no script names all
 * fields of a record, and none is forgotten.
 */
export const luaParts: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(constants).map(([name, value]) => [name, String(value)])),
  ...lobbyParts(),
  ...playerParts(),
  ...keyParts(),
  ...namespaceParts(),
};

function lobbyParts(): Record<string, string> {
  const facts = namedFields(lobbyFields, isInHash);
  const kept = [...facts, ...namedFields(lobbyInRedis)];
  const texts = namedFields(lobbyFields, isInTexts);
  const givenTexts = texts.filter(([, { isGiven }]) => isGiven);
  const expressions: Readonly<Record<string, string>> = lobbyExpressions;
  const inLobbyLine = ([name, field]: NamedField) => expressions[name] ?? inLine("lobby", name, field);
  // Seats that are taken change nothing before this.
  const headLength = lobbyLine.findIndex(([name]) => name in expressions);
  return {
    "lobby.blank": blanks(kept),
    "lobby.convert": conversions("lobby", kept),
    "lobby.first": firstValues(facts, "made"),
    "lobby.lineHead": list(lobbyLine.slice(0, headLength), inLobbyLine),
    "lobby.lineTail": list(lobbyLine.slice(headLength), inLobbyLine),
    "lobby.textNames": quotedNames(texts),
    "lobby.textValues": list(texts, ([name], at) => `${name} = values[${at + 2}] or nil`),
    "lobby.isText": texts.map(([name]) => `field == "${name}"`).join(" or "),
    "lobby.putTexts": givenTexts.map(([name]) => `foyer.put(lobby.texts, "${name}", made.${name})`).join("\n"),
    "lobby.shownTexts": list(lobbyTexts, ([name, field]) => `${isInTexts(field) ? "texts" : "lobby"}.${name} or false`),
    "lobby.shownTextNames": quotedNames(lobbyTexts),
  };
}

function playerParts(): Record<string, string> {
  const facts = namedFields(playerFields, isInHash);
  const kept = [...facts, ...namedFields(playerInRedis)];
  const isAlwaysThere = ([, { kind, first }]: NamedField) => !isNullable(kind) && first !== false;
  const optional = facts.filter((fact) => !isAlwaysThere(fact) && fact[1].first === undefined);
  const expressions: Readonly<Record<string, string>> = playerExpressions;
  return {
    "player.blank": blanks(kept),
    "player.convert": conversions("player", kept),
    "player.first": firstValues(facts, "needed"),
    "player.pairs": pairs("player", facts.filter(isAlwaysThere)),
    "player.optionalPairs": optional
      .map(([name]) => `if player.${name} then call("HSET", key, "${name}", player.${name}) end`)
      .join("\n"),
    "player.view": list(playerView, ([name, field]) => expressions[name] ?? asText("player", name, field)),
  };
}

function keyParts(): Record<string, string> {
  const facts = namedFields(keyFields, isInHash);
  return { "key.first": firstValues(facts, "needed"), "key.pairs": pairs("key", facts) };
}

function namespaceParts(): Record<string, string> {
  const kept = [...namespaceFacts, ...namedFields(namespaceInRedis)];
  return {
    "namespace.blank": list(kept, ([name]) => `${name} = nil`),
    "namespace.convert": conversions("namespace", kept),
    "namespace.factNames": quotedNames(namespaceFacts),
    "namespace.names": quotedNames(kept),
  };
}

/** Names the fields that every record of a kind has: a table that grows field by field is made again each time it doubles. */
function blanks(fields: readonly NamedField[]): string {
  const values: { readonly [K in Kind]?: string } = { text: '""', choice: '""', number: "0", time: "0", flag: "false" };
  const present = fields.filter(([, { kind }]) => kind in values);
  return list(present, ([name, { kind }]) => `${name} = ${values[kind]}`);
}

/** Everything that Redis keeps is text. */
function conversions(record: string, fields: readonly NamedField[]): string {
  const lines = fields.map(([name, { kind, absent }]) => {
    const value = `${record}.${name}`;
    const orAbsent = absent === undefined ? "" : ` or ${JSON.stringify(absent)}`;
    if (kind === "flag") return `${value} = ${value} == "1"`;
    if (isNumber(kind)) return `${value} = tonumber(${value})${orAbsent}`;
    return orAbsent === "" ? "" : `${value} = ${value}${orAbsent}`;
  });
  return lines.filter((line) => line !== "").join("\n");
}

/** What a new record begins with; null is left out. `source` has what no first value is said for. */
function firstValues(fields: readonly NamedField[], source: string): string {
  const present = fields.filter(([, { first }]) => first !== null);
  return list(present, ([name, { first }]) => {
    if (first === undefined) return `${name} = ${source}.${name}`;
    return `${name} = ${first === "now" ? "foyer.namespace.now" : JSON.stringify(first)}`;
  });
}

/** Names and values in turn, as HSET takes them. */
function pairs(record: string, fields: readonly NamedField[]): string {
  return list(fields, ([name, { kind }]) => {
    const value = `${record}.${name}`;
    return `"${name}", ${isNumber(kind) ? `foyer.textOf(${value})` : value}`;
  });
}

/** In a line with commas between, so nothing that may hold one. */
function inLine(record: string, name: string, { kind }: Field): string {
  if (kind === "flag") return `${record}.${name} and 1 or 0`;
  return isNullable(kind) ? `${record}.${name} or ""` : `${record}.${name}`;
}

function asText(record: string, name: string, { kind }: Field): string {
  if (kind === "flag") return `${record}.${name} and "1" or "0"`;
  const value = isNullable(kind) ? `${record}.${name} or ""` : `${record}.${name}`;
  return isNumber(kind) ? `tostring(${value})` : value;
}

function isNullable(kind: Kind): boolean {
  return kind.endsWith("?");
}

function isNumber(kind: Kind): boolean {
  return kind.startsWith("number") || kind.startsWith("time");
}

function quotedNames(fields: readonly NamedField[]): string {
  return list(fields, ([name]) => `"${name}"`);
}

/** With commas between, in lines that can be read. */
function list(fields: readonly NamedField[], write: (field: NamedField, at: number) => string): string {
  const widthMax = 100;
  const lines: string[] = [];
  for (const item of fields.map(write)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + item.length > widthMax) lines.push(item);
    else lines[lines.length - 1] = `${last}, ${item}`;
  }
  return lines.join(",\n");
}
