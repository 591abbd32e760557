import type {
  Command,
  CreateReason,
  FindRequest,
  NamespaceQueryOf,
  NamespaceQueryType,
  NewLobby,
} from "../../matchmaker/commands.ts";
import { tagKeysOf } from "../../matchmaker/records.ts";

/** Commands and queries as scripts read them: nulls are left out, for Lua has its own trouble with them. */

/** The command; the lobby to make, as far as rules look into it; the lobby to make as it is shown later on. */
export type Written = readonly [command: string, create: string, made: string];

export function writeCommand(command: Command): Written {
  if (command.type === "find") {
    const { type, now, fence, revision, create, clientId } = command;
    const idempotency = command.idempotency ?? undefined;
    const find = { type, now, fence, revision, idempotency, ...requestOf(command) };
    return [JSON.stringify(find), ...writeLobby(create, "found", clientId)];
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
  const preview = { now: query.now, revision: query.revision, ...requestOf(query) };
  return [JSON.stringify(preview), ...writeLobby(query.create, "found", query.clientId)];
}

function requestOf({ clientId, pairs, tags, playerIds, createRefusal, startRefusal, explain }: FindRequest) {
  return { clientId, pairs, tagKeys: tagKeysOf(tags), playerIds, createRefusal, startRefusal, explain };
}

/** What of a lobby never changes and no rule asks for travels as one text, there and back. */
export interface MadeLobby extends Omit<NewLobby, "lobbyId" | "ports"> {
  readonly createReason: CreateReason;
  readonly createdBy: string | null;
}

function writeLobby(lobby: NewLobby | null, createReason: CreateReason, createdBy: string | null): [string, string] {
  if (lobby === null) return ["", ""];
  const { lobbyId, ports, lobbyConfig, tags, ...rest } = lobby;
  const made: MadeLobby = { ...rest, tags, lobbyConfig, createReason, createdBy };
  return [withoutNulls({ ...rest, lobbyId, ports, tagKeys: tagKeysOf(tags) }), JSON.stringify(made)];
}

function withoutNulls(value: object): string {
  return JSON.stringify(value, (_, part: unknown) => (part === null ? undefined : part));
}
