import { nameClient } from "../../matchmaker/client-ranges.ts";
import type {
  Command,
  CreateReason,
  Find,
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
 * The command; the lobby to make, as far as rules look into it; the lobby to make as it is shown later on; a find's wishes.
 * What finds with the same wishes have in common is in the last three, which are sent once for all that run together.
 */
export type Written = readonly [command: string, create: string, made: string, wishes: string];

export function writeCommand(command: Command): Written {
  if (command.type === "find") return writeFind(command);
  if (command.type === "createLobby") {
    const { lobby, clientId, ...rest } = command;
    const createdBy = JSON.stringify(command.registeredBy ?? clientId);
    return [withoutNulls({ ...rest, clientId, ...toOwn(lobby), createdBy }), ...writeLobby(lobby, command.reason), ""];
  }
  if (command.type === "configure") {
    const { limits, ...rest } = command;
    return [withoutNulls({ ...rest, ...limits }), "", "", ""];
  }
  return [withoutNulls(command), "", "", ""];
}

export function writeQuery(query: NamespaceQueryOf<NamespaceQueryType>): Written {
  if (query.type !== "previewFind") return [withoutNulls(query), "", "", ""];
  const { now, revision } = query;
  const preview = { now, revision, ...toSeats(query), ...toWishes(query) };
  return [JSON.stringify(preview), ...writeLobby(query.create, "found"), ""];
}

function writeFind(find: Find): Written {
  const { type, now, fence, revision } = find;
  const own = { now, fence, idempotency: find.idempotency ?? undefined, ...toSeats(find) };
  const wishes = { type, revision, ...toWishes(find) };
  return [JSON.stringify(own), ...writeLobby(find.create, "found"), JSON.stringify(wishes)];
}

/** Who asks for which seats, and what the lobby to make would have for itself. */
function toSeats({ clientId, playerIds, keys, create }: FindRequest) {
  const seats = { clientId, playerIds, keys };
  return create === null ? seats : { ...seats, ...toOwn(create), createdBy: JSON.stringify(nameClient(clientId)) };
}

function toOwn({ lobbyId, codes }: NewLobby) {
  return { newLobbyId: lobbyId, codes };
}

function toWishes({ pairs, tags, areKeysVouched, createRefusal, startRefusal, explain }: FindRequest) {
  return { pairs, tagKeys: listTagKeys(tags), areKeysVouched, createRefusal, startRefusal, explain };
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
