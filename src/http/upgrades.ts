import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { ParsedSocket } from "./parsed-requests.ts";

/**
 * Takes the upgrades that are wanted. Every other request with an Upgrade header stays an ordinary request: some HTTP
 * clients offer another protocol with each first request.
 */
export function takeUpgrades(
  server: Server,
  isWanted: (request: IncomingMessage) => boolean,
  upgrade: (request: IncomingMessage, socket: Socket, head: Buffer) => void,
): void {
  // A server with this listener treats every such request as an upgrade, unless the request says that it is none.
  server.on("upgrade", (request, socket, head) => upgrade(request, socket as Socket, head));
  server.on("connection", (socket: ParsedSocket) => {
    const { parser } = socket;
    const handle = parser?.onIncoming;
    if (!parser || !handle) return;
    parser.onIncoming = (request, isKeptAlive) => {
      if (request.upgrade && request.method !== "CONNECT" && !isWanted(request)) {
        request.upgrade = false;
      }
      return handle(request, isKeptAlive);
    };
  });
}
