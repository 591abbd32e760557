import { once } from "node:events";
import { createServer, get, request } from "node:http";
import { type AddressInfo, createServer as createNetServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { createBounds } from "./bounds.ts";
import { createGateway } from "./gateway.ts";

const lobbyId = "0193aaaa-0000-7000-8000-000000000001";

/** A gateway to a lobby at that port, which has 200 ms to begin its answer. */
async function openGateway(port: number) {
  const gateway = createGateway({
    routes: {
      find: async () => ({
        ...{ lobbyId, namespaceId: lobbyId, protocol: "http" as const, connectionsMax: 1, clientConnectionsMax: 1 },
        target: { kind: "lobby" as const, host: "127.0.0.1", port },
      }),
      admit: async () => null,
      isBlocked: async () => false,
      hasSeat: async () => false,
      onStopped() {},
    },
    checkEdge: ({ headers: { host = "" } }) => ({
      ...{ client: "a", network: null, isCounted: false, isLocal: true, isPassedOn: false, wrongHost: null },
      forwarded: { for: "127.0.0.1", proto: "http", host },
    }),
    bounds: createBounds({ all: 1, perClient: 1 }),
    proveNode: () => [],
    headMs: 200,
    nodeConnectMs: 200,
    checkNode: async () => true,
    idleMs: 60_000,
    newRequestId: () => "request-1",
    onNodeUnreachable() {},
    onError() {},
  });
  const server = createServer((request, response) => gateway.handle(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/lobby/${lobbyId}/web` };
}

test("[GW22] a lobby that does not begin its answer in time is 504", async () => {
  const sockets: Socket[] = [];
  const silent = createNetServer((socket) => sockets.push(socket)).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { server, url } = await openGateway((silent.address() as AddressInfo).port);
  const [answer] = await once(get(url), "response");
  expect(answer.statusCode).toBe(504);
  let text = "";
  for await (const piece of answer) text += piece;
  expect(JSON.parse(text)).toMatchObject({ code: "API_LOBBY_TIMEOUT", request_id: "request-1" });
  server.close();
  server.closeAllConnections();
  silent.close();
  for (const socket of sockets) socket.destroy();
});

test("[GW22] an upload may take longer than that: the time begins at its end", async () => {
  const lobby = createServer((request, response) => {
    request.resume().once("end", () => setTimeout(() => response.end("received"), 100));
  }).listen(0, "127.0.0.1");
  await once(lobby, "listening");
  const { server, url } = await openGateway((lobby.address() as AddressInfo).port);
  const sent = request(url, { method: "POST" });
  const answered = once(sent, "response");
  for (let piece = 0; piece < 8; piece++) {
    sent.write("piece");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  sent.end();
  const [answer] = await answered;
  expect(answer.statusCode).toBe(200);
  for (const one of [server, lobby]) {
    one.close();
    one.closeAllConnections();
  }
});
