import { createRecent } from "../../ground/bounded-cache.ts";
import type {
  KeyShown,
  LobbyEvent,
  LobbyView,
  PlayerEvent,
  PlayerView,
  SeatStatus,
} from "../../matchmaker/commands.ts";
import { compile, objectText } from "../../matchmaker/compile.ts";
import { absentValue, type Field, type Kind } from "../../matchmaker/field-kinds.ts";
import type { PlacedEvent } from "../engine.ts";
import { flattenMade, reorderOldLine } from "./old-views.ts";
import { lobbyLine, lobbyMade, lobbyTexts, playerView } from "./redis-fields.ts";

/**
 * Reads lobbies and players from the answers of scripts, in the order of redis-fields.ts. The casts are safe: only
 * Foyer's own scripts write these.
 */

const asIs = (text: string) => text;
const orNull = (read: (text: string) => string) => (text: string) => `(${text} === "" ? null : ${read(text)})`;
const asNumber = (text: string) => `Number(${text})`;

const textReaders: { readonly [K in Kind]: (text: string) => string } = {
  text: asIs,
  "text?": orNull(asIs),
  number: asNumber,
  "number?": orNull(asNumber),
  time: asNumber,
  "time?": orNull(asNumber),
  flag: (text) => `(${text} === "1")`,
  choice: asIs,
  "choice?": orNull(asIs),
  tags: (text) => `JSON.parse(${text})`,
  ids: (text) => `${text}.split(" ")`,
  counts: (text) => `new Map(JSON.parse(${text}))`,
};

/** The lobby's id, its changing facts in one line, the text it was made with, and its other texts. */
export type WrittenView = readonly [id: string, line: string, made: string, ...texts: (string | null)[]];

export function readView(view: WrittenView): LobbyView {
  return makeView(view[0], view[1].split(","), readMade(view[0], view[2]), view);
}

/** The text that a lobby was made with never changes, and the same lobbies are read again and again. */
const latestMade = createRecent<{ readonly text: string; readonly made: object }>(2_000);

function readMade(lobbyId: string, text: string): object {
  const known = latestMade.get(lobbyId);
  if (known?.text === text) return known.made;
  const made = flattenMade(JSON.parse(text));
  latestMade.set(lobbyId, { text, made });
  return made;
}

const textsFrom = 3;

const makeView = compile<(id: string, line: readonly string[], made: unknown, view: WrittenView) => LobbyView>(
  ["id", "line", "made", "view"],
  objectText([
    ["lobbyId", "id"],
    ...lobbyMade.map(([name, field]) => [name, orAbsent(`made.${name}`, name, field)] as const),
    ...lobbyLine.map(([name, field], at) => [name, readText(`line[${at}]`, name, field)] as const),
    ...lobbyTexts.map(([name], at) => [name, `view[${textsFrom + at}]`] as const),
  ]),
);

/** The id, then the fields of playerView. */
export type WrittenPlayer = readonly string[];

export const readPlayer = compile<(texts: WrittenPlayer) => PlayerView>(
  ["texts"],
  objectText([
    ["playerId", "texts[0]"],
    ...playerView.map(([name, field], at) => [name, readText(`texts[${at + 1}]`, name, field)] as const),
  ]),
);

/** What was written before there was such a field does not have it. */
function readText(text: string, name: string, field: Field): string {
  const value = textReaders[field.kind](text);
  return field.since === undefined ? value : `(${text} === undefined ? ${absentText(name, field)} : ${value})`;
}

function orAbsent(value: string, name: string, field: Field): string {
  return field.since === undefined ? value : `(${value} ?? ${absentText(name, field)})`;
}

function absentText(name: string, field: Field): string {
  return JSON.stringify(absentValue(name, field));
}

/** Nothing is null. */
export function parseTime(text: string | undefined): number | null {
  return text === undefined || text === "" ? null : Number(text);
}

/** An entry of the stream: its id, which is its position, and names and values in turn. */
export type WrittenEvent = readonly [position: string, fields: readonly string[]];

/** Every find sends one of these to every node, so this builds nothing that is not needed. */
export function readEvent(namespaceId: string, [position, fields]: WrittenEvent): PlacedEvent {
  if (fields.length === 2) return readPlayerEvent(namespaceId, position, fields);
  const field = (name: string) => {
    for (let at = 0; at < fields.length; at += 2) if (fields[at] === name) return fields[at + 1];
    return undefined;
  };
  const type = field("type") ?? "";
  const at = Number(field("at"));
  if (type === "namespace.configured") {
    const deployedVersionId = field("version") ?? null;
    return { namespaceId, at, position, type, revision: Number(field("revision")), deployedVersionId };
  }
  const oldLine = field("line");
  const line = oldLine === undefined ? (field("facts") ?? "") : reorderOldLine(oldLine);
  const texts = lobbyTexts.map(([name]) => field(name === "nodeId" && oldLine !== undefined ? "node" : name) ?? null);
  const view: WrittenView = [field("lobby") ?? "", line, field("made") ?? "", ...texts];
  return { namespaceId, at, position, type: type as LobbyEvent["type"], lobby: readView(view) };
}

/** A player's key, as seat-keys.lazy.lua shows it. */
export function readKey(shown: string | undefined): KeyShown {
  if (shown === undefined || shown === "") return {};
  return { key: shown.slice(1), isKeyVouched: shown.startsWith("v") };
}

/** One field of the event's name: time, lobby, player, the seat's status and, seldom, why it ended and the player's key. */
function readPlayerEvent(namespaceId: string, position: string, fields: readonly string[]): PlacedEvent {
  const [type, line = ""] = fields as readonly [PlayerEvent["type"], string?];
  const [at, lobbyId = "", playerId = "", status, reason, key] = line.split(" ");
  const event = { namespaceId, at: Number(at), position, type, lobbyId, playerId, status: status as SeatStatus };
  if (reason === undefined) return event;
  return { ...event, ...readKey(key), ...(reason !== "-" && { reason: reason as "blocked" }) };
}
