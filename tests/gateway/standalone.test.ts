import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { arenaOf } from "../support/arena.ts";
import { listenTo } from "../support/event-streams.ts";
import { expectRefusal } from "../support/expectations.ts";
import { clientOf, startService, until } from "../support/harness.ts";
import { sendAndReset, tooManyHeadersWithOffer, uncaughtDuring } from "../support/raw.ts";
import { ensureServerBuilt } from "../support/server.ts";
import { openThrough, secret, type Through } from "./through.ts";
import { closeOf, handshakeRefusal, nextMessage, openWebSocket, startGameLobby } from "./web-sockets.ts";
import { type GatewayWorld, openGatewayWorld, startWebLobby } from "./world.ts";

let world: GatewayWorld;
let gateway: Through;
let through: ReturnType<typeof clientOf>;
let close: () => Promise<void>;

beforeAll(async () => {
  // The gateway proves itself with the time, and one of them is a process of its own.
  world = await openGatewayWorld(
    "sqlite",
    { gatewayUrl: "https://gw.example.com" },
    {},
    { clock: { now: Date.now, advance() {} } },
  );
  close = world.close;
  gateway = await openThrough(world.service.url);
  through = clientOf("sqlite", gateway.url, world.service.adminToken);
});
afterAll(async () => {
  await gateway?.close();
  await close?.();
});

test("[GW40] everything that is not for a lobby goes to the service, which sees the client", async () => {
  const { arena } = world;
  const seen = arenaOf(through, arena.namespace, arena);
  expect((await through.request("GET", "/healthz")).status).toBe(200);
  expect((await seen.list()).json).toMatchObject({ lobbies: expect.any(Array) });
  expectRefusal(await through.request("GET", "/nowhere"), "API_NOT_FOUND");
  const name = { display_name: "N", name_id: "n" };
  const validate = `${arena.namespace.game.path}/namespaces/validate`;
  expect(await through.admin("POST", validate, name)).toEqual({ errors: [] });
  expect((await through.request("GET", "/docs/settings")).bytes.length).toBeGreaterThan(10_000);

  const stream = await listenTo(through, `${arena.namespace.path}/events`, { token: through.adminToken });
  await through.admin("PUT", `${arena.namespace.path}/blocks`, { client: "192.0.2.60" });
  const find = await seen.find({ game_modes: ["match"] }, { client: "192.0.2.60" });
  expectRefusal(find, "MATCHMAKER_CLIENT_BLOCKED");
  expect(await stream.first(1)).toHaveLength(1);
  stream.leave();
});

test("[GW40] [GW41] lobbies are reached through it, with the same checks", async () => {
  const game = await startGameLobby();
  const web = await startWebLobby();
  const gameAt = await world.lobbyAt(game.port);
  const webAt = await world.lobbyAt(web.port);
  const answer = await through.request("POST", `${webAt.web}/x?y=1`, {
    rawBody: "body",
    headers: { "x-forwarded-for": "198.51.100.7", "content-type": "text/plain" },
  });
  expect([answer.status, answer.text]).toEqual([200, "hello"]);
  expect(web.seen[0]).toMatchObject({ url: "/x?y=1", body: "body", headers: { "x-forwarded-for": "198.51.100.7" } });
  const client = await openWebSocket(through.port, gameAt.game);
  const answered = nextMessage(client);
  client.send("hello");
  expect(await answered).toBe("hello");
  client.terminate();

  const nil = "/lobby/00000000-0000-0000-0000-000000000000";
  expect(await handshakeRefusal(through.port, `${nil}/game`)).toEqual([404, "MATCHMAKER_LOBBY_NOT_FOUND"]);
  expectRefusal(await through.request("GET", `${gameAt.game}`), "API_UPGRADE_REQUIRED");
  expectRefusal(await through.request("GET", webAt.web, { headers: { host: "evil.example" } }), "API_WRONG_HOST");
  // The service has said that this is a host for lobbies; it checks the others itself.
  expect((await through.request("GET", webAt.web, { headers: { host: "gw.example.com" } })).status).toBe(200);
  expectRefusal(await through.request("GET", "/healthz", { headers: { host: "evil.example" } }), "API_WRONG_HOST");
  const blocked = { "x-forwarded-for": "192.0.2.60" };
  await world.service.admin("PUT", `${world.arena.namespace.path}/blocks`, { client: "192.0.2.60" });
  const fresh = await world.lobbyAt(game.port);
  expect(await handshakeRefusal(through.port, fresh.game, blocked)).toEqual([403, "MATCHMAKER_CLIENT_BLOCKED"]);
  // Only the gateway may ask where a lobby is.
  expectRefusal(await world.service.request("GET", `/lobby/${fresh.lobbyId}`), "API_NOT_FOUND");
  game.close();
  web.close();
});

test("[GW40] [T47] an offer of another protocol with too many headers and a reset behind them ends nothing else", async () => {
  const uncaught = await uncaughtDuring(async () => {
    for (let round = 0; round < 20; round++) await sendAndReset(through.port, tooManyHeadersWithOffer);
    for (let round = 0; round < 5; round++) expect((await through.request("GET", "/healthz")).status).toBe(200);
  });
  expect(uncaught).toEqual([]);
});

test("[GW42] killing foyer gateway ends its own connections and nothing else", async () => {
  const lobby = await startGameLobby();
  const { game } = await world.lobbyAt(lobby.port);
  const child = await startGatewayProcess(world.service.url, world.service.dataDir);
  const own = await openWebSocket(child.port, game);
  const other = await openWebSocket(through.port, game);
  const answered = nextMessage(own);
  own.send("through a process of its own");
  expect(await answered).toBe("through a process of its own");
  const closed = closeOf(own);
  child.process.kill("SIGKILL");
  expect(await closed).toBe(1006);
  const still = nextMessage(other);
  other.send("still here");
  expect(await still).toBe("still here");
  expect((await world.service.request("GET", "/readyz")).status).toBe(200);
  other.terminate();
  lobby.close();
});

test("[GW41] a restart of the service drops no connection, and known lobbies stay reachable meanwhile", async () => {
  const lobby = await startGameLobby();
  const { game } = await world.lobbyAt(lobby.port);
  const unknown = await world.lobbyAt(lobby.port);
  const client = await openWebSocket(through.port, game);
  const { dataDir, port, databaseUrl } = world.service;
  await world.close();

  const answered = nextMessage(client);
  client.send("while the service is away");
  expect(await answered).toBe("while the service is away");
  (await openWebSocket(through.port, game)).terminate();
  expect(await handshakeRefusal(through.port, unknown.game)).toEqual([503, "API_UNAVAILABLE"]);
  expectRefusal(await through.request("GET", "/healthz"), "API_UNAVAILABLE");

  const overrides = { dataDir, port, databaseUrl, trustedProxies: ["127.0.0.1"], rateAddress: 0 };
  const again = await startService("sqlite", overrides, { runtime: world.runtime, now: world.clock.now });
  close = again.close;
  await until(async () => (await through.request("GET", "/readyz")).status === 200);
  expect(await handshakeRefusal(through.port, unknown.game)).toBe(null);
  const later = nextMessage(client);
  client.send("after it");
  expect(await later).toBe("after it");
  client.terminate();
  lobby.close();
});

/** The built command as a process of its own. */
async function startGatewayProcess(
  serviceUrl: string,
  dataDir: string,
): Promise<{ port: number; process: ChildProcess }> {
  await ensureServerBuilt();
  const program = join(fileURLToPath(new URL("../..", import.meta.url)), "dist/cli/foyer.js");
  const flags = ["--gateway-port=0", `--service-url=${serviceUrl}`, "--log-level=error"];
  const child = spawn(process.execPath, [program, "gateway", ...flags], {
    cwd: dataDir,
    env: { PATH: process.env.PATH, FOYER_SECRET: secret },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
    output += piece;
  });
  const ended = once(child, "close").then(() => {
    throw new Error(`The gateway ended before it was ready:\n${output}`);
  });
  ended.catch(() => undefined);
  while (!output.includes("Stop with Ctrl-C")) await Promise.race([ended, once(child.stderr!, "data")]);
  return { port: Number(new URL(/players +(\S+)/.exec(output)![1]!).port), process: child };
}
