import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createNetServer, type Server as NetServer, type Socket } from "node:net";
import type { Config } from "../../src/config/config.ts";
import { type Arena, config, createArena, type Matchmaker, startMatchmaker, tokensOf } from "../support/arena.ts";
import { until } from "../support/harness.ts";
import type { ServiceKind } from "../support/services/stores.ts";

/** A service whose lobbies' ports are servers of the test. */
export interface GatewayWorld extends Matchmaker {
  readonly arena: Arena;
  /** A ready lobby with a seat of that client, whose ports `web` (http) and `game` (ws) are that port of this machine. */
  lobbyAt(port: number, client?: string): Promise<RoutedLobby>;
  close(): Promise<void>;
}

interface RoutedLobby {
  readonly lobbyId: string;
  /** `/lobby/<lobby_id>/web` and `…/game`. */
  readonly web: string;
  readonly game: string;
  readonly playerToken: string;
  /** Its player is there. */
  connect(): Promise<unknown>;
  stop(): Promise<void>;
}

const routedPorts = {
  web: { protocol: "http", routing: "gateway" },
  game: { protocol: "ws", routing: "gateway" },
  direct: { protocol: "ws" },
};

/** Lobbies of the mode `match`, for two players, four by joins. */
export function routedConfig(mode: object = {}) {
  const { regions, game_modes } = config({ ports: routedPorts, ...mode });
  return { regions, game_modes: { match: game_modes.match } };
}

export async function openGatewayWorld(
  kind: ServiceKind = "sqlite",
  overrides: Partial<Config> = {},
  mode: object = {},
  parts: Parameters<typeof startMatchmaker>[2] = {},
): Promise<GatewayWorld> {
  const matchmaker = await startMatchmaker(kind, overrides, parts);
  const { service, runtime } = matchmaker;
  // On a busy machine a service that has just started may still find itself overloaded.
  await until(async () => (await service.request("GET", "/readyz")).status === 200);
  const arena = await createArena(service, routedConfig(mode));
  return {
    ...matchmaker,
    arena,
    async lobbyAt(port, client) {
      runtime.choosePort = () => port;
      let token = "";
      runtime.onceStarted = ({ lobbyId, env }) => {
        token = env.FOYER_TOKEN!;
        return arena.lobby(lobbyId, token).ready();
      };
      const answer = await arena.create({ publicity: "public" }, client === undefined ? {} : { client });
      const lobbyId: string = answer.json.lobby.lobby_id;
      return {
        lobbyId,
        web: `/lobby/${lobbyId}/web`,
        game: `/lobby/${lobbyId}/game`,
        playerToken: tokensOf(answer)[0]!,
        connect: () => arena.lobby(lobbyId, token).connect(tokensOf(answer)[0]!),
        stop: async () => {
          await service.admin("DELETE", `${arena.namespace.path}/lobbies/${lobbyId}`);
        },
      };
    },
    close: () => service.close(),
  };
}

interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

interface WebLobby {
  readonly port: number;
  readonly server: Server;
  /** Every request that arrived whole, in order. */
  readonly seen: SeenRequest[];
  close(): void;
}

/** An HTTP server that notes what arrives, and then answers. */
export async function startWebLobby(answer: RequestListener = (_request, response) => response.end("hello")) {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece) => {
      body += piece;
    });
    request.once("end", () => {
      const { method = "", url = "", headers, rawHeaders } = request;
      seen.push({ method, url, headers, rawHeaders, body });
      answer(request, response);
    });
  });
  const port = await listenOn(server);
  return { port, server, seen, close: () => closeServer(server) } satisfies WebLobby;
}

export interface RawLobby {
  readonly port: number;
  readonly sockets: Socket[];
  /** The next connection. */
  connection(): Promise<Socket>;
  close(): void;
}

/** A server that does with each connection what the test says. */
export async function startRawLobby(onConnection: (socket: Socket) => void = () => {}): Promise<RawLobby> {
  const sockets: Socket[] = [];
  const server = createNetServer((socket) => {
    socket.on("error", () => undefined);
    sockets.push(socket);
    onConnection(socket);
  });
  const port = await listenOn(server);
  return {
    port,
    sockets,
    async connection() {
      const before = sockets.length;
      await until(() => sockets.length > before);
      return sockets[before]!;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Answers every connection's first bytes with this text. */
export function answering(text: string | Buffer) {
  return (socket: Socket) => {
    socket.once("data", () => socket.write(text));
  };
}

export async function listenOn(server: NetServer): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

function closeServer(server: Server): void {
  server.close();
  server.closeAllConnections();
}
