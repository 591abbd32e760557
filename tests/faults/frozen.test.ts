import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { openConnection } from "../histories/connection.ts";
import { createNamespace, ensureServerBuilt, startServer } from "../support/server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

beforeAll(ensureServerBuilt, 120_000);

const heartbeatS = 1;
/** A lobby that is silent for ten periods is stopped; with the one before that it would be over. */
const frozenMs = 13_000;

test("[FG6] more connections than Node's own 511 wait for a service that has no time", async () => {
  const server = await startServer(temporaryFolder());
  onTestFinished(() => server.kill());
  server.process.kill("SIGSTOP");
  const count = Math.min(1000, Number(readFileSync("/proc/sys/net/core/somaxconn", "utf8")));
  const sockets = Array.from({ length: count }, () => connect(server.port, "127.0.0.1"));
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
  server.process.kill("SIGCONT");
  expect((await fetch(`http://127.0.0.1:${server.port}/healthz`)).status).toBe(200);
});

test("[FA3] a service that was frozen ends no lobby whose heartbeats were waiting in its sockets", {
  timeout: 240_000,
}, async () => {
  const server = await startServer(temporaryFolder());
  onTestFinished(() => server.kill());
  const limits = { lobby_count_max: 10, max_players: 100, max_players_per_client: null };
  const mode = { max_players: 4, timeouts: { heartbeat_s: heartbeatS } };
  const { path, serverToken, publicToken } = await createNamespace(server, "frozen", mode, limits);
  const connection = await openConnection(server.port);
  const ports = { default: { hostname: "127.0.0.1", port: 7777, is_tls: false } };
  const body = { game_mode: "duel", region: "local", ports };
  const { json: lobby } = await connection.send("POST", "/matchmaker/lobbies/register", serverToken, body);
  await connection.send("POST", "/matchmaker/lobbies/ready", lobby.token);

  server.process.kill("SIGSTOP");
  const heartbeat = connection.send("POST", "/matchmaker/lobbies/heartbeat", lobby.token, {});
  await new Promise((resolve) => setTimeout(resolve, frozenMs));
  server.process.kill("SIGCONT");

  expect((await heartbeat).status).toBe(200);
  const { lobbies } = await server.admin("GET", `${path}/lobbies?include_stopped=true`);
  expect(lobbies).toMatchObject([{ status: "ready" }]);
  const keepAlive = await connection.send("POST", "/matchmaker/lobbies/heartbeat", lobby.token, {});
  expect(keepAlive.status).toBe(200);
  const found = await connection.send("POST", "/matchmaker/lobbies/find", publicToken, { game_modes: ["duel"] });
  expect(found.json.lobby.lobby_id).toBe(lobby.lobby_id);
  connection.close();
});
