import type { Event } from "../../matchmaker/commands.ts";
import { toLobbyReply } from "../cloud/lobby-reply.ts";
import { toTimestamp } from "../cloud/pagination.ts";
import { toKeyReply } from "../matchmaking/key-reply.ts";
import type { ShowLobby } from "./show-lobby.ts";

/** An event as text: id, name and the JSON of the API. */
export function eventText(id: string, event: Event, show: ShowLobby): string {
  return sentEvent(id, event.type, { event: event.type, at: toTimestamp(event.at), ...toData(event, show) });
}

/** Reports to a listener that events since its last one were lost. */
export function resetText(id: string, now: number): string {
  return sentEvent(id, "reset", { event: "reset", at: toTimestamp(now) });
}

/** JSON holds no line break, so one line of data is always enough. */
export function sentEvent(id: string, name: string, data: object): string {
  return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

function toData(event: Event, show: ShowLobby): object {
  if ("lobby" in event) return { lobby: toLobbyReply(event.lobby, show) };
  if ("playerId" in event) {
    const { lobbyId, playerId, status, reason } = event;
    const player = { lobby_id: lobbyId, player_id: playerId, status, ...toKeyReply(event) };
    return reason === undefined ? player : { ...player, reason };
  }
  return { version_id: event.deployedVersionId };
}
