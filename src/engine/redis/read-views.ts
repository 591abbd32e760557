import type {
  LobbyEvent,
  LobbyStatus,
  LobbyView,
  OperatorClose,
  PlayerEvent,
  SeatStatus,
  StopReason,
} from "../../matchmaker/commands.ts";
import type { PlacedEvent } from "../engine.ts";
import type { MadeLobby } from "./write-commands.ts";

/** What views.lua writes. Every shape here is a border: only our own scripts write these. */

/** The lobby's id, its changing facts in one line, the text it was made with, its ports, state, exit and node. */
export type WrittenView = readonly [
  id: string,
  line: string,
  made: string,
  ports: string | null,
  state: string | null,
  exit: string | null,
  nodeId: string | null,
];

/** Field by field: copying the made lobby as a whole and adding to it takes twenty times as long. */
export function readView([lobbyId, line, madeText, ports, state, exit, nodeId]: WrittenView): LobbyView {
  const made = JSON.parse(madeText) as MadeLobby;
  const facts = line.split(",");
  const silentSince = timeOf(facts[8]);
  return {
    lobbyId,
    versionId: made.versionId,
    gameMode: made.gameMode,
    region: made.region,
    maxPlayers: made.maxPlayers,
    maxPlayersDirect: made.maxPlayersDirect,
    isExternal: made.isExternal,
    isPrivate: made.isPrivate,
    isJoinable: made.isJoinable,
    tags: made.tags,
    timeouts: made.timeouts,
    ports,
    lobbyConfig: made.lobbyConfig,
    status: facts[0] as LobbyStatus,
    isClosed: facts[1] === "1",
    operatorClose: closeOf(facts[13]),
    isSilent: silentSince !== null,
    isOutdated: facts[2] === "1",
    reserved: Number(facts[3]),
    connected: Number(facts[4]),
    state,
    nodeId,
    createReason: made.createReason,
    createdBy: made.createdBy,
    createdAt: Number(facts[5]),
    readyAt: timeOf(facts[6]),
    lastHeartbeatAt: timeOf(facts[7]),
    silentSince,
    emptySince: timeOf(facts[9]),
    peakSeats: Number(facts[10]),
    stoppedAt: timeOf(facts[11]),
    stopReason: facts[12] === "" ? null : (facts[12] as StopReason),
    exit,
  };
}

/** Nothing is null, and so is what was written before there was such a flag. */
export function closeOf(text: string | undefined): OperatorClose | null {
  return text === undefined || text === "" ? null : (text as OperatorClose);
}

/** Nothing is null. */
export function timeOf(text: string | undefined): number | null {
  return text === undefined || text === "" ? null : Number(text);
}

/** An entry of the stream: its id, which is its position, and names and values in turn. */
export type WrittenEvent = readonly [position: string, fields: readonly string[]];

/** Every find tells one of these to every node, so nothing is put together that need not be. */
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
  const texts = [field("ports") ?? null, field("state") ?? null, field("exit") ?? null, field("node") ?? null] as const;
  const lobby = readView([field("lobby") ?? "", field("line") ?? "", field("made") ?? "", ...texts]);
  return { namespaceId, at, position, type: type as LobbyEvent["type"], lobby };
}

/** One field of the event's name: time, lobby, player, the seat's status and, seldom, why it ended. */
function readPlayerEvent(namespaceId: string, position: string, fields: readonly string[]): PlacedEvent {
  const [type, line = ""] = fields as readonly [PlayerEvent["type"], string?];
  const [at, lobbyId = "", playerId = "", status, reason] = line.split(" ");
  const event = { namespaceId, at: Number(at), position, type, lobbyId, playerId, status: status as SeatStatus };
  return reason === undefined ? event : { ...event, reason: reason as "blocked" };
}
