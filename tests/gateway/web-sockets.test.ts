import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../support/harness.ts";
import { openRaw } from "../support/raw.ts";
import { closeOf, handshakeRefusal, nextMessage, openWebSocket, startGameLobby } from "./web-sockets.ts";
import { answering, type GatewayWorld, openGatewayWorld, startRawLobby } from "./world.ts";

let world: GatewayWorld;
beforeAll(async () => {
  world = await openGatewayWorld("sqlite", { gatewayIdleS: 3 });
});
afterAll(() => world?.close());

const open = (path: string, headers = {}, protocols: string[] = []) =>
  openWebSocket(world.service.port, path, headers, protocols);

test("[GW15] WebSockets pass through ws and http ports, with subprotocols, extensions and large messages", async () => {
  const lobby = await startGameLobby();
  const { game, web } = await world.lobbyAt(lobby.port);
  for (const path of [game, `${web}/room?x=1`]) {
    const client = await open(path, { cookie: "a=1", "x-foyer-x": "1", "x-own": "1" }, ["chess", "go"]);
    expect(client.protocol).toBe("chess");
    for (const text of ["hello", "x".repeat(300_000)]) {
      const answered = nextMessage(client);
      client.send(text);
      expect((await answered) === text).toBe(true);
    }
    client.close(4001);
    expect(await closeOf(client)).toBe(4001);
  }
  const [first, second] = lobby.seen;
  expect(first?.url).toBe("/");
  expect(second?.url).toBe("/room?x=1");
  expect(first?.headers).toMatchObject({
    "x-own": "1",
    "x-forwarded-prefix": game,
    "x-forwarded-proto": "http",
    "sec-websocket-extensions": expect.stringContaining("permessage-deflate"),
  });
  expect(first?.headers).not.toHaveProperty("cookie");
  expect(first?.headers).not.toHaveProperty("x-foyer-x");
  lobby.close();
});

test("[GW15] a lobby may send with its handshake, and a client behind its own", async () => {
  const handshake = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nearly";
  let received = "";
  const lobby = await startRawLobby((socket) => {
    socket.once("data", () => {
      socket.write(handshake);
      socket.on("data", (piece) => {
        received += piece.toString();
      });
    });
  });
  const { game } = await world.lobbyAt(lobby.port);
  const client = await openRaw(world.service.port);
  client.write(`GET ${game} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\r\nsoon`);
  expect(await client.answer()).toMatchObject({ status: 101, headers: { upgrade: "websocket" } });
  await until(() => received === "soon");
  client.destroy();
  lobby.close();
});

test("[GW15] the lobby's refusal of a handshake is passed on", async () => {
  const lobby = await startRawLobby((socket) => {
    const body = JSON.stringify({ code: "banned" });
    const head = `HTTP/1.1 403 No\r\nContent-Length: ${body.length}\r\nSet-Cookie: a=1\r\n\r\n`;
    socket.once("data", () => socket.end(`${head}${body}`));
  });
  const { game } = await world.lobbyAt(lobby.port);
  expect(await handshakeRefusal(world.service.port, game)).toEqual([403, "banned"]);
  lobby.close();
});

test("[GW13] handshakes to lobbies that are unknown, stopped or not listening are refused with the error body", async () => {
  const { port } = world.service;
  const nil = "/lobby/00000000-0000-0000-0000-000000000000/game";
  expect(await handshakeRefusal(port, nil)).toEqual([404, "MATCHMAKER_LOBBY_NOT_FOUND"]);
  const lobby = await startGameLobby();
  const routed = await world.lobbyAt(lobby.port);
  lobby.close();
  expect(await handshakeRefusal(port, routed.game)).toEqual([502, "API_LOBBY_UNREACHABLE"]);
  await routed.stop();
  expect(await handshakeRefusal(port, routed.game)).toEqual([410, "MATCHMAKER_LOBBY_STOPPED"]);
});

test("[GW16] when a lobby stops, its connections end at once, and those of other lobbies do not", async () => {
  const lobby = await startGameLobby();
  const [one, other] = [await world.lobbyAt(lobby.port), await world.lobbyAt(lobby.port)];
  const ended = await open(one.game);
  const kept = await open(other.game);
  const closed = closeOf(ended);
  await one.stop();
  expect(await closed).toBe(1006);
  const answered = nextMessage(kept);
  kept.send("still here");
  expect(await answered).toBe("still here");
  kept.terminate();
  lobby.close();
});

test("[GW16] when either side goes away, the other is closed", async () => {
  const lobby = await startGameLobby();
  const { game } = await world.lobbyAt(lobby.port);
  const first = await open(game);
  await until(() => lobby.clients.size === 1);
  const [served] = lobby.clients;
  const served_closed = closeOf(served!);
  first.terminate();
  expect(await served_closed).toBe(1006);
  const second = await open(game);
  await until(() => lobby.clients.size === 1);
  const closed = closeOf(second);
  for (const client of lobby.clients) client.terminate();
  expect(await closed).toBe(1006);
  lobby.close();
});

test("[GW16] a player who leaves before the lobby answers the handshake leaves no connection to it", async () => {
  const lobby = await startRawLobby();
  const { game } = await world.lobbyAt(lobby.port);
  const head = `GET ${game} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
  for (const behind of ["", "early"]) {
    for (const leave of ["end", "destroy", "reset"] as const) {
      const connected = lobby.connection();
      const client = await openRaw(world.service.port);
      client.write(`${head}${behind}`);
      const socket = (await connected).resume();
      client[leave]();
      await until(() => socket.destroyed);
      client.destroy();
    }
  }
  // More than any client sends before it has the answer.
  const connected = lobby.connection();
  const client = await openRaw(world.service.port);
  client.write(`${head}${"x".repeat(1_000_000)}`);
  await client.closed;
  const socket = (await connected).resume();
  await until(() => socket.destroyed);
  lobby.close();
});

test("[GW19] a connection without a byte in either direction is closed, and one with some stays", async () => {
  const lobby = await startGameLobby();
  const { game } = await world.lobbyAt(lobby.port);
  const [idle, busy] = [await open(game), await open(game)];
  let isClosed = false;
  void closeOf(busy).then(() => {
    isClosed = true;
  });
  const timer = setInterval(() => busy.send("x"), 100);
  expect(await closeOf(idle)).toBe(1006);
  expect(isClosed).toBe(false);
  clearInterval(timer);
  busy.terminate();
  lobby.close();
});

test("[GW17] another upgrade, on any path, stays an ordinary request with its body", async () => {
  const { service, arena } = world;
  const headers = {
    connection: "Upgrade, HTTP2-Settings",
    upgrade: "h2c",
    "http2-settings": "AAMAAABkAARAAAAAAAIAAAAA",
  };
  const answer = await service.request("POST", "/matchmaker/lobbies/list", { token: arena.pub, headers });
  expect(answer.status).toBe(405);
  const body = { display_name: "N", name_id: "n" };
  const path = `${arena.namespace.game.path}/namespaces/validate`;
  expect((await service.request("POST", path, { token: service.adminToken, headers, body })).json).toEqual({
    errors: [],
  });
  const web = { connection: "Upgrade", upgrade: "websocket" };
  expect((await service.request("GET", "/healthz", { headers: web })).status).toBe(200);
});

test("[GW17] a handshake behind a request that is not answered is not passed on", async () => {
  const lobby = await startGameLobby();
  const { game, web } = await world.lobbyAt(lobby.port);
  const slow = await startRawLobby(answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  const { web: unanswered } = await world.lobbyAt(slow.port);
  const client = await openRaw(world.service.port);
  const head = "Host: 127.0.0.1\r\n";
  client.write(
    `GET ${unanswered} HTTP/1.1\r\n${head}\r\nGET ${game} HTTP/1.1\r\n${head}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  );
  await client.closed;
  expect(lobby.seen).toEqual([]);
  expect((await world.service.request("GET", web)).text).toBe("page");
  slow.close();
  lobby.close();
});
