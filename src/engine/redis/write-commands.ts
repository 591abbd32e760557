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

/** The command; the lobby to make, as far as rules look into it; the lobby to make as it is shown later on. */
export type Written = readonly [command: string, create: string, made: string];

export function writeCommand(command: Command): Written {
  if (command.type === "find") {
    const { type, now, fence, revision, create, clientId } = command;
    const idempotency = command.idempotency ?? undefined;
    const find = { type, now, fence, revision, idempotency, ...toRequest(command) };
    return [JSON.stringify(find), ...writeLobby(create, "found", nameClient(clientId))];
  }
  if (command.type === "createLobby") {
    const { lobby, reason, clientId, ...rest } = command;
    const createdBy = command.registeredBy ?? clientId;
    return [withoutNulls({ ...rest, reason, clientId }), ...writeLobby(lobby, reason, createdBy)];
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
  return [JSON.stringify(preview), ...writeLobby(query.create, "found", nameClient(query.clientId))];
}

function toRequest(request: FindRequest) {
  const { clientId, pairs, tags, playerIds, keys, areKeysVouched, createRefusal, startRefusal, explain } = request;
  const seats = { clientId, playerIds, keys, areKeysVouched };
  return { ...seats, pairs, tagKeys: listTagKeys(tags), createRefusal, startRefusal, explain };
}

/** The lobby to make as rules look into it, and as one text that travels there and back. */
function writeLobby(lobby: NewLobby | null, createReason: CreateReason, createdBy: string | null): [string, string] {
  if (lobby === null) return ["", ""];
  return [
    JSON.stringify(toRules(lobby, listTagKeys(lobby.tags))),
    JSON.stringify(toMade({ ...lobby, createReason, createdBy })),
  ];
}

/** Names and the pool it belongs to are for rules too, though they are in the hash in another way. */
const toRules = compile<(lobby: NewLobby, tagKeys: readonly string[]) => object>(
  ["lobby", "tagKeys"],
  objectText([
    ...["lobbyId", "versionId", "gameMode", "region"].map((name) => [name, `lobby.${name}`] as const),
    ...namedFields(lobbyFields, (field) => field.isGiven === true && field.redis !== "made").map(
      ([name]) => [name, `lobby.${name} ?? undefined`] as const,
    ),
    ["tagKeys", "tagKeys"],
    ["codes", "lobby.codes"],
  ]),
);

/** The rule chooses the code. */
const toMade = compile<(facts: Omit<Needed<typeof lobbyFields>, "code">) => object>(
  ["facts"],
  objectText(lobbyMade.map(([name]) => [name, `facts.${name}`] as const)),
);

function withoutNulls(value: object): string {
  return JSON.stringify(value, (_, part: unknown) => (part === null ? undefined : part));
}
