import { type Field, type Fields, type NamedField, namedFields } from "../../matchmaker/field-kinds.ts";
import { readSince } from "../../matchmaker/record-format.ts";
import { lobbyFields, lobbyShown, namespaceFields, playerFields, playerShown } from "../../matchmaker/schema.ts";

/** Which fields of schema.ts are where in Redis, and what Redis keeps besides. The table of keys is in ARCHITECTURE.md. */

/** Beside the facts, in the same hash: what they are derived to, so that a script need not look at other keys. */
export const lobbyInRedis = {
  /** Version, game mode and region with spaces between. */
  pool: { kind: "text" },
  /** JSON; absent without tags. */
  tagKeys: { kind: "text?" },
  /** The server token that registered it, if one did. */
  registeredBy: { kind: "text?" },
  reserved: { kind: "number" },
  connected: { kind: "number" },
  held: { kind: "number", absent: 0 },
  dueAt: { kind: "time?" },
} as const satisfies Fields;

export const playerInRedis = {
  /** The operation that took the seat, and whether it made the lobby. */
  op: { kind: "text" },
} as const satisfies Fields;

export const namespaceInRedis = {
  now: { kind: "time", absent: 0 },
  /** When a node last reached the namespace, by Redis' clock. */
  touched: { kind: "time?" },
  fence: { kind: "number?" },
  startingCount: { kind: "number", absent: 0 },
  readyCount: { kind: "number", absent: 0 },
  reservedCount: { kind: "number", absent: 0 },
  connectedCount: { kind: "number", absent: 0 },
  heldCount: { kind: "number", absent: 0 },
  /** Where a sweep over all lobbies has come to, before which nothing else happens. */
  sweepFrom: { kind: "text?" },
  /** Where the steps after a deploy have come to. */
  retireFrom: { kind: "text?" },
  /** Whether the lists of the nodes' lobbies are complete; not so in what an earlier Foyer wrote. */
  hasNodeIndex: { kind: "flag" },
  heardFrom: { kind: "time", absent: 0 },
  /** As text: it is only compared. */
  hearingSince: { kind: "text?" },
} as const satisfies Fields;

/** In the text that a lobby is made with, which no rule looks into. What rules need of it is in the hash as well. */
const isInMade = ({ isGiven, redis }: Field) => redis === "made" || (isGiven === true && redis !== "text");
export const isInHash = ({ redis }: Field) => redis === undefined;
export const isInTexts = ({ redis }: Field) => redis === "text";

const isFreeText = ({ kind }: Field) => kind === "text" || kind === "text?";

/** A view of a lobby is its id, a line, the text it was made with, and texts that may hold anything. */
export const lobbyMade: readonly NamedField[] = namedFields(
  lobbyFields,
  (field) => isInMade(field) && field.isHidden !== true,
);
export const lobbyLine: readonly NamedField[] = bySince([
  ...namedFields(lobbyFields, (field) => isInHash(field) && !isInMade(field) && !field.isHidden && !isFreeText(field)),
  ...namedFields(lobbyShown),
]);
export const lobbyTexts: readonly NamedField[] = [
  ...namedFields(lobbyFields, isInTexts),
  ...namedFields(lobbyFields, (field) => isInHash(field) && isFreeText(field) && !field.isHidden),
];

/** A view of a player is a list of these, after the id. */
export const playerView: readonly NamedField[] = [
  ...namedFields(playerFields, (field) => !field.isHidden),
  ...namedFields(playerShown),
];

/** The idle minimums have a hash of their own. */
export const namespaceFacts: readonly NamedField[] = namedFields(namespaceFields, ({ kind }) => kind !== "counts");

/** Newer fields last, so that a line of an earlier format is the beginning of a later one. */
function bySince(fields: readonly NamedField[]): NamedField[] {
  return [...fields].sort(([, a], [, b]) => readSince(a) - readSince(b));
}
