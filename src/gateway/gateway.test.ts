import { once } from "node:events";
import { Agent, createServer, get, type IncomingMessage, request } from "node:http";
import { type AddressInfo, createServer as createNetServer, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { createBounds } from "./bounds.ts";
import { createGateway } from "./gateway.ts";

const lobbyId = "0193aaaa-0000-7000-8000-000000000001";

/** A gateway to a lobby at that port, which has that time to begin its answer. */
async function openGateway(
  port: number,
  headMs = 200,
  isBlocked = async () => false,
  hasSeat?: () => Promise<boolean>,
) {
  const gateway = createGateway({
    routes: {
      find: async () => ({
        ...{ lobbyId, namespaceId: lobbyId, protocol: "http" as const, connectionsMax: 1, clientConnectionsMax: 1 },
        target: { kind: "lobby" as const, host: "127.0.0.1", port },
      }),
      admit: async () => null,
      isBlocked,
      hasSeat: hasSeat ?? (async () => false),
      onStopped() {},
    },
    checkEdge: ({ headers: { host = "" } }) => ({
      ...{
        client: "a",
        network: null,
        isCounted: hasSeat !== undefined,
        isLocal: true,
        isPassedOn: false,
        wrongHost: null,
      },
      forwarded: { for: "127.0.0.1", proto: "http", host },
    }),
    bounds: createBounds({ all: 1, perClient: 1 }),
    proveNode: () => [],
    headMs,
    nodeConnectMs: 200,
    checkNode: async () => true,
    idleMs: 60_000,
    newRequestId: () => "request-1",
    onNodeUnreachable() {},
    onError() {},
  });
  const server = createServer((request, response) => gateway.handle(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { gateway, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/lobby/${lobbyId}/web` };
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

test("[GW18] while it is slow to learn who is blocked, the gateway asks once and ends the connection", async () => {
  const sockets: Socket[] = [];
  const lobby = createNetServer((socket) => sockets.push(socket)).listen(0, "127.0.0.1");
  await once(lobby, "listening");
  let asked = 0;
  let say = (_isBlocked: boolean) => {};
  const verdict = new Promise<boolean>((resolve) => {
    say = resolve;
  });
  const { gateway, server, url } = await openGateway((lobby.address() as AddressInfo).port, 60_000, () => {
    asked += 1;
    return verdict;
  });
  const answered = once(get(url), "response");
  await once(lobby, "connection");
  const runs = [gateway.closeBlocked(), gateway.closeBlocked()];
  await new Promise(setImmediate);
  runs.push(gateway.closeBlocked());
  expect(asked).toBe(1);
  say(true);
  await Promise.all(runs);
  const [answer] = await answered;
  expect([answer.statusCode, asked]).toEqual([403, 1]);
  answer.resume();
  server.close();
  server.closeAllConnections();
  lobby.close();
  for (const socket of sockets) socket.destroy();
});

test("[GW20] a client that leaves while its seat is looked up keeps no connection of the lobby", async () => {
  const lobby = createServer((_request, response) => response.end("hello")).listen(0, "127.0.0.1");
  await once(lobby, "listening");
  const answers: ((hasSeat: boolean) => void)[] = [];
  const hasSeat = () => new Promise<boolean>((resolve) => answers.push(resolve));
  const { server, url } = await openGateway((lobby.address() as AddressInfo).port, 60_000, undefined, hasSeat);
  const connected = once(server, "connection");
  const left = get(url).on("error", () => undefined);
  const [socket] = (await connected) as [Socket];
  while (answers.length === 0) await new Promise(setImmediate);
  const closed = once(socket, "close");
  left.destroy();
  await closed;
  answers.shift()!(true);
  await new Promise(setImmediate);
  const answered = once(get(url), "response");
  while (answers.length === 0) await new Promise(setImmediate);
  answers.shift()!(true);
  const [answer] = (await answered) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  answer.resume();
  for (const one of [server, lobby]) {
    one.close();
    one.closeAllConnections();
  }
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

test("[GW24] 5,000 answers on one connection, some without a body, keep nothing", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const lobby = createServer(({ url }, response) => {
    response.statusCode = Number(/(204|304)$/.exec(url ?? "")?.[1] ?? 200);
    if (response.statusCode !== 200) return void response.end();
    // Without it Node's client does not keep the connection after a HEAD.
    response.setHeader("content-length", 5);
    response.end("hello");
  }).listen(0, "127.0.0.1");
  await once(lobby, "listening");
  const { server, url } = await openGateway((lobby.address() as AddressInfo).port, 60_000);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sockets = new Set<unknown>();
  let before = 0;
  for (let index = 0; index < 5_000; index++) {
    const kind = index % 10 === 0 ? (["204", "304", "HEAD"] as const)[(index / 10) % 3]! : "200";
    const sent = request(`${url}/${kind}`, { agent, method: kind === "HEAD" ? "HEAD" : "GET" }).end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    expect(answer.statusCode).toBe(kind === "HEAD" ? 200 : Number(kind));
    sockets.add(sent.socket);
    answer.resume();
    await once(answer, "end");
    if (index === 1_000) before = heap();
  }
  expect(sockets.size).toBe(1);
  expect(heap() - before).toBeLessThan(4 * 1024 * 1024);
  agent.destroy();
  for (const one of [server, lobby]) {
    one.close();
    one.closeAllConnections();
  }
}, 600_000);
