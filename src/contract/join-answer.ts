import { named, nullable, object, record, uuid } from "./common.ts";
import { explanation } from "./explanation.ts";
import { Type } from "./type.ts";

/** What find, join and create answer. */

const portOut = named("LobbyPort", {
  hostname: Type.String(),
  host: Type.Optional(Type.String({ description: "`hostname:port`" })),
  port: Type.Optional(Type.Integer()),
  port_range: Type.Optional(object({ min: Type.Integer(), max: Type.Integer() })),
  is_tls: Type.Boolean(),
  url: Type.Optional(
    Type.String({
      description:
        "Of http and ws ports: `ws://hostname:port`, or `wss://` with TLS; through the gateway, `wss://hostname/lobby/<lobby_id>/<label>`. That of an http port ends in `/`.",
    }),
  ),
});
export const portsOut = record(portOut);
const playerTicket = object({
  token: Type.String({ description: "Pass it to the lobby, which calls players.connected." }),
});

const explain = Type.Optional(explanation);

export const lobbyCode = Type.String({
  description: "What friends can join the lobby by, where its game mode has codes.",
});

export const joinAnswer = named("JoinAnswer", {
  lobby: named("JoinedLobby", {
    lobby_id: uuid("The lobby."),
    region: object({ region_id: Type.String(), display_name: Type.String() }),
    ports: portsOut,
    player: playerTicket,
    code: Type.Optional(lobbyCode),
  }),
  ports: portsOut,
  player: playerTicket,
  players: Type.Array(object({ player_id: uuid("The player."), token: Type.String() })),
  explain,
});

/** The lobby that a find would choose. */
export const previewedLobby = nullable(
  object(
    {
      lobby_id: uuid("The lobby."),
      region: object({ region_id: Type.String(), display_name: Type.String() }),
    },
    "The lobby that find would choose. Null: it would create one.",
  ),
);

export const dryRunAnswer = named("FindDryRunAnswer", {
  lobby: previewedLobby,
  would_create: Type.Boolean({ description: "No lobby fits, and find would create one." }),
  explain,
});

/** What a lobby has to know of its own times. */
