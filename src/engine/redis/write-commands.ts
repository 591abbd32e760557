import { nameClient } from "../../matchmaker/client-ranges.ts";
import type {
  Command,
  CreateReason,
  FindRequest,
  NamespaceQueryOf,
  NamespaceQueryType,
  NewLobby,
} from "../../matchmaker/commands.ts";
import { compile, objectText } from "../../matchmaker/compile.ts";
import { type Needed, namedFields } from "../../matchmaker/field-kinds.ts";
import { listTagKeys } from "../../matchmaker/records.ts";
import { lobbyFields } from "../../matchmaker/schema.ts";
import { lobbyMade } from "./redis-fields.ts";

/** Commands and queries as scripts read them: nulls are left out, for Lua has its own trouble with them. */

/**
 * The command; the lobby to make, as far as rules look into it; the lobby to make as it is shown later on. What differs
 * from lobby to lobby is in the command, so that finds with the same wishes have the same two texts, which are sent once for
 * all that run together.
 */
export type Written = readonly [command: string, create: string, made: string];

export function writeCommand(command: Command): Written {
  if (command.type === "find") {
    const { type, now, fence, revision } = command;
    const idempotency = command.idempotency ?? undefined;
    const find = { type, now, fence, revision, idempotency, ...toRequest(command) };
    return [JSON.stringify(find), ...writeLobby(command.create, "found")];
  }
  if (command.type === "createLobby") {
    const { lobby, reason, clientId, ...rest } = command;
    const made = toOwn(lobby, command.registeredBy ?? clientId);
    return [withoutNulls({ ...rest, reason, clientId, made }), ...writeLobby(lobby, reason)];
  }
  if (command.type === "configure") {
    const { limits, ...rest } = command;
    return [withoutNulls({ ...rest, ...limits }), "", ""];
  }
  return [withoutNulls(command), "", ""];
}

export function writeQuery(query: NamespaceQueryOf<NamespaceQueryType>): Written {
  if (query.type !== "previewFind") return [withoutNulls(query), "", ""];
  const preview = { now: query.now, revision: query.revision, ...toRequest(query) };
  return [JSON.stringify(preview), ...writeLobby(query.create, "found")];
}

function toRequest(request: FindRequest) {
  const { clientId, pairs, tags, playerIds, keys, areKeysVouched, createRefusal, startRefusal, explain } = request;
  const seats = { clientId, playerIds, keys, areKeysVouched };
  const made = request.create === null ? undefined : toOwn(request.create, nameClient(clientId));
  return { ...seats, pairs, tagKeys: listTagKeys(tags), createRefusal, startRefusal, explain, made };
}

/** What the lobby to make has for itself: its id, the codes to choose from, and who caused it. */
function toOwn({ lobbyId, codes }: NewLobby, createdBy: string | null) {
  return { lobbyId, codes, createdBy: JSON.stringify(createdBy) };
}

/** The lobby to make as rules look into it, and as one text that travels there and back. */
function writeLobby(lobby: NewLobby | null, createReason: CreateReason): [string, string] {
  if (lobby === null) return ["", ""];
  return [
    JSON.stringify(toRules(lobby, listTagKeys(lobby.tags))),
    JSON.stringify(toMade({ ...lobby, createReason, createdBy: null })),
  ];
}

/** The pool it belongs to is for rules too, though it is in the hash in another way. */
const toRules = compile<(lobby: NewLobby, tagKeys: readonly string[]) => object>(
  ["lobby", "tagKeys"],
  objectText([
    ...["versionId", "gameMode", "region"].map((name) => [name, `lobby.${name}`] as const),
    ...namedFields(lobbyFields, (field) => field.isGiven === true && field.redis !== "made").map(
      ([name]) => [name, `lobby.${name} ?? undefined`] as const,
    ),
    ["tagKeys", "tagKeys"],
  ]),
);

/** The rule chooses the code; the script adds who caused the lobby. */
const toMade = compile<(facts: Omit<Needed<typeof lobbyFields>, "code">) => object>(
  ["facts"],
  objectText(lobbyMade.filter(([name]) => name !== "createdBy").map(([name]) => [name, `facts.${name}`] as const)),
);

function withoutNulls(value: object): string {
  return JSON.stringify(value, (_, part: unknown) => (part === null ? undefined : part));
}
