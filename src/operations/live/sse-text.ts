import type { Event } from "../../matchmaker/commands.ts";
import { toLobbyReply } from "../cloud/lobby-reply.ts";
import { toTimestamp } from "../cloud/pagination.ts";

/** An event as it is sent: id, name and JSON in the API's words. */
export function eventText(id: string, event: Event): string {
  return sentEvent(id, event.type, { event: event.type, at: toTimestamp(event.at), ...dataOf(event) });
}

/** Tells a listener that events between its last one and now are not known any more. */
export function resetText(id: string, now: number): string {
  return sentEvent(id, "reset", { event: "reset", at: toTimestamp(now) });
}

/** JSON holds no line break, so one line of data is always enough. */
export function sentEvent(id: string, name: string, data: object): string {
  return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

function dataOf(event: Event): object {
  if ("lobby" in event) return { lobby: toLobbyReply(event.lobby) };
  if ("playerId" in event) {
    const { lobbyId, playerId, status, reason } = event;
    return { lobby_id: lobbyId, player_id: playerId, status, ...(reason && { reason }) };
  }
  return { version_id: event.deployedVersionId };
}
