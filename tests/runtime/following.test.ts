import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listenTo } from "../support/event-streams.ts";
import { createCloudToken, type Service, until } from "../support/harness.ts";
import {
  connectTo,
  createWorld,
  lobbyPids,
  lobbyVersion,
  startRuntimeService,
  type World,
} from "../support/runtime-world.ts";

describe("who reads logs", () => {
  let service: Service;
  let world: World;

  beforeAll(async () => {
    service = await startRuntimeService();
    world = await createWorld(service, lobbyVersion({ max_players: 1 }));
  });
  afterAll(async () => {
    await service.admin("DELETE", `${world.namespace.path}?force=true`);
    await until(() => lobbyPids(service.dataDir).length === 0);
    await service.close();
  });

  async function openLobby() {
    const found = await world.find();
    const player = await connectTo(found);
    player.socket.on("error", () => undefined);
    const path = `${world.namespace.path}/lobbies/${found.json.lobby.lobby_id}`;
    const text = async () => (await service.admin("GET", `${path}/logs`)).text as string;
    await until(async () => (await text()).includes("ready: 204"));
    return { path, player, text, say: (words: string) => player.ask(`say ${JSON.stringify(words)}`) };
  }

  test("[RT9] [RT17] half a token is shown neither by the newest part, nor from its middle on, nor by the last lines of a lobby that crashed", async () => {
    const { path, player, text, say } = await openLobby();
    const token = JSON.parse(await player.ask("env")).FOYER_TOKEN as string;
    const [half, rest] = [token.slice(0, 50), token.slice(50)];
    const places = "starting\nready: 204\n".length;
    // What is asked for begins in the middle of it.
    await say(`${half}${rest}${"\n".padEnd(256 * 1024 - rest.length, "x")}`);
    expect(await text()).not.toContain(rest);
    const listener = await listenTo(service, `${path}/logs?follow=true`, {
      token: service.adminToken,
      lastEventId: `stdout-${places + 50}`,
    });
    await listener.first(1);
    expect(listener.text()).not.toContain(rest);
    listener.leave();
    // 16 KiB are read, and 4096 characters of them are kept; each begins in the middle of one.
    const kept = `${token}${"\n".padEnd(4096 - rest.length, "x")}`;
    const before = `${token}${"\n".padEnd(16 * 1024 - rest.length - kept.length, "x")}`;
    await player.ask(`complain ${JSON.stringify(before + kept)}`);
    player.socket.write("crash\n");
    await until(async () => (await service.admin("GET", path)).lobby.status === "stopped");
    const { lobby } = await service.admin("GET", path);
    expect(lobby.log_tail).toMatch(/^x*lobby_\[redacted\]\nx+$/);
    expect(lobby.exit_message).not.toContain(rest);
  });

  test("[RT17] [EV6] a stream ends when its token is revoked", async () => {
    const { path } = await openLobby();
    const cloud = await createCloudToken(service, world.game);
    const listener = await listenTo(service, `${path}/logs?follow=true`, { token: cloud.token });
    await listener.first(2);
    await service.admin("DELETE", `${world.game.path}/tokens/${cloud.token_id}`);
    await listener.ended;
  });

  test("[RT17] [EV5] a listener that does not read delays no other, and continues where it was", async () => {
    const { path, say } = await openLobby();
    const stuck = request({
      hostname: "127.0.0.1",
      port: service.port,
      path: `${path}/logs?follow=true`,
      headers: { authorization: `Bearer ${service.adminToken}` },
    });
    let received = "";
    const read = new Promise<() => void>((resolve) => {
      // Without a listener for data nothing is taken from the connection.
      stuck.once("response", (response) => {
        response.on("error", () => undefined);
        resolve(() =>
          response.setEncoding("utf8").on("data", (piece: string) => {
            received += piece;
          }),
        );
      });
    });
    stuck.on("error", () => undefined).end();
    const readNow = await read;
    const listener = await listenTo(service, `${path}/logs?follow=true`, { token: service.adminToken });
    const line = "z".repeat(999);
    for (let round = 0; round < 8; round++) await say(`${line}\n`.repeat(1000));
    await say("the last one\n");
    await until(() => listener.text().includes("the last one"));
    readNow();
    await until(() => received.includes("the last one"));
    const dataOf = (text: string) => [...text.matchAll(/^data: .*$/gm)].map(([data]) => data);
    expect(dataOf(received)).toEqual(dataOf(listener.text()));
    listener.leave();
    stuck.destroy();
  });
});
