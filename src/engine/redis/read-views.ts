import type {
  Event,
  LobbyEvent,
  LobbyStatus,
  LobbyView,
  PlayerEvent,
  SeatStatus,
  StopReason,
} from "../../matchmaker/commands.ts";
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

export function readView([lobbyId, line, madeText, ports, state, exit, nodeId]: WrittenView): LobbyView {
  const made = JSON.parse(madeText) as MadeLobby;
  const facts = line.split(",");
  const silentSince = timeOf(facts[8]);
  return {
    ...made,
    lobbyId,
    ports,
    state,
    exit,
    nodeId,
    status: facts[0] as LobbyStatus,
    isClosed: facts[1] === "1",
    isOutdated: facts[2] === "1",
    reserved: Number(facts[3]),
    connected: Number(facts[4]),
    createdAt: Number(facts[5]),
    readyAt: timeOf(facts[6]),
    lastHeartbeatAt: timeOf(facts[7]),
    isSilent: silentSince !== null,
    silentSince,
    emptySince: timeOf(facts[9]),
    peakSeats: Number(facts[10]),
    stoppedAt: timeOf(facts[11]),
    stopReason: facts[12] === "" ? null : (facts[12] as StopReason),
  };
}

/** Nothing is null. */
export function timeOf(text: string | undefined): number | null {
  return text === undefined || text === "" ? null : Number(text);
}

/** An entry of the stream: its id, which is its position, and names and values in turn. */
export type WrittenEvent = readonly [position: string, fields: readonly string[]];

export function readEvent(namespaceId: string, [position, fields]: WrittenEvent): Event {
  const entry: Record<string, string | undefined> = {};
  for (let at = 0; at < fields.length; at += 2) entry[fields[at]!] = fields[at + 1];
  const { type = "", lobby: lobbyId = "", line, made } = entry;
  const base = { namespaceId, at: Number(entry.at), position };
  if (type === "namespace.configured") {
    return { ...base, type, revision: Number(entry.revision), deployedVersionId: entry.version ?? null };
  }
  if (line === undefined || made === undefined) {
    const { player = "", status } = entry;
    return { ...base, type: type as PlayerEvent["type"], lobbyId, playerId: player, status: status as SeatStatus };
  }
  const texts = [entry.ports ?? null, entry.state ?? null, entry.exit ?? null, entry.node ?? null] as const;
  return { ...base, type: type as LobbyEvent["type"], lobby: readView([lobbyId, line, made, ...texts]) };
}
