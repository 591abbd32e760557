import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { listenOn } from "./world.ts";

/** As much of the package `ws`, which has no types of its own, as these tests use. */
export interface WebSocketClient {
  readonly protocol: string;
  readonly readyState: number;
  readonly _socket: Socket;
  send(data: string | Buffer): void;
  close(code?: number): void;
  terminate(): void;
  pause(): void;
  on(event: string, listener: (...args: never[]) => void): this;
  once(event: string, listener: (...args: never[]) => void): this;
}

interface WsPackage {
  readonly WebSocket: new (url: string, protocols?: string[], options?: object) => WebSocketClient;
  readonly WebSocketServer: new (
    options: object,
  ) => {
    handleUpgrade(
      request: IncomingMessage,
      socket: unknown,
      head: Buffer,
      done: (client: WebSocketClient) => void,
    ): void;
    readonly clients: Set<WebSocketClient>;
  };
}

// Border: the package is JavaScript.
const { WebSocket, WebSocketServer } = createRequire(import.meta.url)("ws") as WsPackage;

export interface GameLobby {
  readonly port: number;
  /** The handshakes, in order. */
  readonly seen: IncomingMessage[];
  readonly clients: ReadonlySet<WebSocketClient>;
  close(): void;
}

/** A lobby that sends every message back, unless the test says otherwise. */
export async function startGameLobby(onClient: (client: WebSocketClient) => void = echo): Promise<GameLobby> {
  const seen: IncomingMessage[] = [];
  const server = createServer((_request, response) => response.end("page"));
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: true,
    handleProtocols: (offered: Set<string>) => [...offered][0],
  });
  server.on("upgrade", (request, socket, head) => {
    seen.push(request);
    sockets.handleUpgrade(request, socket, head, onClient);
  });
  const port = await listenOn(server);
  return {
    port,
    seen,
    clients: sockets.clients,
    close() {
      server.close();
      for (const client of sockets.clients) client.terminate();
    },
  };
}

function echo(client: WebSocketClient): void {
  client.on("message", (data: Buffer, isBinary: boolean) => client.send(isBinary ? data : data.toString()));
}

/** Connects, or rejects with the status of the answer. */
export async function openWebSocket(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  protocols: string[] = [],
): Promise<WebSocketClient> {
  const client = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols, { headers, handshakeTimeout: 60_000 });
  client.on("error", () => undefined);
  const refused = new Promise<never>((_, reject) => {
    client.once("unexpected-response", (_request: unknown, response: IncomingMessage) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      response.once("end", () => reject(new RefusedHandshake(response, text)));
    });
    client.once("error", reject);
  });
  await Promise.race([once(client as never, "open"), refused]);
  return client;
}

class RefusedHandshake extends Error {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;

  constructor({ statusCode = 0, headers }: IncomingMessage, text: string) {
    super(`${statusCode} ${text}`);
    this.status = statusCode;
    this.headers = headers;
    this.text = text;
  }
}

/** The status and the code of the refusal of a handshake; null: it was accepted. */
export async function handshakeRefusal(port: number, path: string, headers: Record<string, string> = {}) {
  try {
    (await openWebSocket(port, path, headers)).terminate();
    return null;
  } catch (error) {
    if (!(error instanceof RefusedHandshake)) throw error;
    return [error.status, JSON.parse(error.text).code];
  }
}

export async function nextMessage(client: WebSocketClient): Promise<string> {
  const [data] = (await once(client as never, "message")) as [Buffer];
  return data.toString();
}

export async function closeOf(client: WebSocketClient): Promise<number> {
  const [code] = (await once(client as never, "close")) as [number];
  return code;
}
