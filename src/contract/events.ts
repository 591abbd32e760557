import { keyShown, named, nullable, timestamp, uuid } from "./common.ts";
import type { Operation } from "./define.ts";
import { cloud } from "./games.ts";
import { operatorLobby } from "./namespace-lobbies.ts";
import { Type } from "./type.ts";

const at = timestamp("As of when it happened.");

/** `lobby.created` is LobbyCreatedEvent. */
function eventName(event: string): string {
  return `${event.split(".").map(capitalize).join("")}Event`;
}

function capitalize(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function lobbyEvent<Name extends string>(event: Name) {
  return named(eventName(event), { event: Type.Literal(event), at, lobby: operatorLobby });
}

function playerEvent<Name extends string>(event: Name) {
  return named(eventName(event), {
    event: Type.Literal(event),
    at,
    lobby_id: uuid("The lobby of the seat."),
    player_id: uuid("The player."),
    ...keyShown,
    status: Type.String({
      description: "reserved, connected, held, expired, left, released, not_returned, or ended with the lobby",
    }),
    reason: Type.Optional(Type.String({ description: "`blocked`: the seat ended with a block of its client." })),
  });
}

export const events = {
  "games.namespaces.events": {
    ...cloud,
    method: "GET",
    path: "/cloud/games/{game_id}/namespaces/{namespace_id}/events",
    summary: "Streams the events of a namespace from now on, or after the event that Last-Event-ID names.",
    reply: null,
    stream: {
      "lobby.created": lobbyEvent("lobby.created"),
      "lobby.ready": lobbyEvent("lobby.ready"),
      "lobby.closed": lobbyEvent("lobby.closed"),
      "lobby.opened": lobbyEvent("lobby.opened"),
      "lobby.changed": lobbyEvent("lobby.changed"),
      "lobby.stopped": lobbyEvent("lobby.stopped"),
      "player.reserved": playerEvent("player.reserved"),
      "player.connected": playerEvent("player.connected"),
      "player.held": playerEvent("player.held"),
      "player.returned": playerEvent("player.returned"),
      "player.left": playerEvent("player.left"),
      "player.expired": playerEvent("player.expired"),
      "namespace.configured": named("NamespaceConfiguredEvent", {
        event: Type.Literal("namespace.configured"),
        at,
        version_id: nullable(uuid("The deployed version; null: none.")),
      }),
      reset: named(
        "ResetEvent",
        { event: Type.Literal("reset"), at },
        "The events after Last-Event-ID are no longer available: read your data again, then continue from here.",
      ),
    },
    errors: ["CLOUD_GAME_NOT_FOUND", "CLOUD_NAMESPACE_NOT_FOUND", "API_UNAVAILABLE"],
  },
} as const satisfies Record<string, Operation>;
