import { expect, test } from "vitest";
import { createNodeProofs } from "../../src/gateway/node-proof.ts";
import { secretFromText } from "../../src/ground/data-folder.ts";
import { install } from "../nodes/installation.ts";
import { type Arena, createArena } from "../support/arena.ts";
import { expectRefusal } from "../support/expectations.ts";
import { createFakeRuntime } from "../support/fake-runtime.ts";
import { type Service, until } from "../support/harness.ts";
import { freePort } from "../support/services/programs.ts";
import { closeOf, handshakeRefusal, nextMessage, openWebSocket, startGameLobby } from "./web-sockets.ts";
import { routedConfig, startRawLobby, startWebLobby } from "./world.ts";

const trusted = { trustedProxies: ["127.0.0.1"], rateAddress: 0, rateFind: 0, rateCreate: 0 };

/** A lobby on that node, whose ports are that port. */
async function lobbyOn(arena: Arena, runtime: ReturnType<typeof createFakeRuntime>, port: number): Promise<string> {
  runtime.choosePort = () => port;
  runtime.onceStarted = ({ lobbyId, env }) => arena.lobby(lobbyId, env.FOYER_TOKEN!).ready();
  const answer = await arena.create({ region: "local" });
  return answer.json.lobby.lobby_id;
}

test("[GW30] [GW31] every node passes players on to the node that runs the lobby, if it says where it is", async () => {
  const installation = await install();
  const runtime = createFakeRuntime();
  const nodePort = await freePort();
  const nodeUrl = `http://127.0.0.1:${nodePort}`;
  // Only the first one runs lobbies.
  const first = await installation.start("first", { ...trusted, port: nodePort, nodeUrl }, { runtime });
  const second = await installation.start("second", { ...trusted, runtimes: ["external"] });
  const arena = await createArena(first, routedConfig());
  const web = await startWebLobby();
  const game = await startGameLobby();
  const webId = await lobbyOn(arena, runtime, web.port);
  const gameId = await lobbyOn(arena, runtime, game.port);

  const headers = { "x-forwarded-for": "198.51.100.7", "x-forwarded-proto": "https", host: "gw.example.com" };
  const path = `/lobby/${webId}/web`;
  const answer = await askOn(second, path, headers);
  expect([answer.status, answer.text]).toEqual([200, "hello"]);
  expect(answer.headers["content-security-policy"]).toBe(
    "sandbox allow-scripts allow-forms allow-modals allow-pointer-lock",
  );
  expect(web.seen[0]?.headers).toMatchObject({
    "x-forwarded-for": "198.51.100.7",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "localhost",
    "x-forwarded-prefix": path,
  });
  expect(web.seen[0]?.headers).not.toHaveProperty("x-foyer-node");

  const client = await openWebSocket(second.port, `/lobby/${gameId}/game`);
  const answered = nextMessage(client);
  client.send("over two nodes");
  expect(await answered).toBe("over two nodes");
  const closed = closeOf(client);
  await first.admin("DELETE", `${arena.namespace.path}/lobbies/${gameId}`);
  expect(await closed).toBe(1006);
  expect(await handshakeRefusal(second.port, `/lobby/${gameId}/game`)).toEqual([410, "MATCHMAKER_LOBBY_STOPPED"]);

  // Blocks apply on every node from the answer on.
  await first.admin("PUT", `${arena.namespace.path}/blocks`, { client: "198.51.100.7" });
  expectRefusal(await askOn(second, path, headers), "MATCHMAKER_CLIENT_BLOCKED");

  // A request that claims to have been passed on is not passed on again.
  const secret = secretFromText("the secret of the tests, which is long enough");
  const [name = "", proof = ""] = createNodeProofs({
    secret,
    previousSecret: null,
    nodeId: "x",
    now: Date.now,
  }).prove();
  const proved = { [name]: proof, "x-forwarded-for": "198.51.100.8" };
  expectRefusal(await second.request("GET", path, { headers: proved }), "API_LOBBY_UNREACHABLE");
  expect((await first.request("GET", path, { headers: proved })).status).toBe(200);
  expect(web.seen.at(-1)?.headers["x-forwarded-for"]).toBe("198.51.100.8");
  web.close();
  game.close();
});

function askOn(node: Service, path: string, headers: Record<string, string>) {
  return node.request("GET", path, { headers: { ...headers, host: "localhost" } });
}

test("[GW30] without a node_url other nodes answer 502", async () => {
  const installation = await install();
  const runtime = createFakeRuntime();
  const first = await installation.start("first", trusted, { runtime });
  const second = await installation.start("second", { ...trusted, runtimes: ["external"] });
  const arena = await createArena(first, routedConfig());
  const web = await startWebLobby();
  const path = `/lobby/${await lobbyOn(arena, runtime, web.port)}/web`;
  expect((await first.request("GET", path)).status).toBe(200);
  expectRefusal(await second.request("GET", path), "API_LOBBY_UNREACHABLE");
  await until(async () => (await second.request("GET", `/lobby/${arena.versionId}/web`)).status === 404);
  web.close();
});

test("[GW32] a node that accepts connections and answers nothing is 502, one without reports at once", async () => {
  const installation = await install();
  const runtime = createFakeRuntime();
  // As a process that was stopped with SIGSTOP: its system accepts connections for it.
  const frozen = await startRawLobby((socket) => socket.pause());
  const nodeUrl = `http://127.0.0.1:${frozen.port}`;
  const first = await installation.start("first", { ...trusted, nodeUrl }, { runtime });
  const second = await installation.start("second", { ...trusted, runtimes: ["external"] });
  const arena = await createArena(first, routedConfig());
  const lobbyId = await lobbyOn(arena, runtime, 9);
  const unreachable = [502, "API_LOBBY_UNREACHABLE"];
  const answers = await Promise.all([
    second.request("GET", `/lobby/${lobbyId}/web`).then(({ status, json }) => [status, json.code]),
    handshakeRefusal(second.port, `/lobby/${lobbyId}/game`),
  ]);
  expect(answers).toEqual([unreachable, unreachable]);
  const before = frozen.sockets.length;
  await installation.stop(first);
  // Its reports have ended, so the second node does not even try.
  await until(async () => {
    const { status } = await second.request("GET", `/lobby/${lobbyId}/web`);
    return status === 410 || (status === 502 && frozen.sockets.length === before);
  });
  frozen.close();
});
