import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { type Child, newDataDir, startChild } from "../support/child.ts";
import { listenTo } from "../support/event-streams.ts";
import { until } from "../support/harness.ts";
import { connectTo, createWorld, lobbyPids, lobbyVersion, type World, worldOf } from "../support/runtime-world.ts";
import { freePort } from "../support/services/programs.ts";
import { isRunning, ownRange, testFolder } from "./driver.ts";

/** A service as a process of its own, always on the same port, since its lobbies know that one. */
async function openHouse({ stopGraceS = 2 } = {}) {
  const dataDir = newDataDir();
  const port = await freePort();
  const flags = [`--port=${port}`, `--lobby-ports=${ownRange(4)}`, `--lobby-root=${testFolder}`];
  const flagsFor = (graceS: number) => [...flags, `--lobby-stop-grace-s=${graceS}`];
  let child = await startChild(dataDir, flagsFor(stopGraceS));
  const house = {
    dataDir,
    port,
    adminToken: () => readFileSync(`${dataDir}/admin-token`, "utf8").trim(),
    child: () => child,
    pids: () => lobbyPids(dataDir),
    async signal(signal: NodeJS.Signals): Promise<number | null> {
      child.process.kill(signal);
      return child.ended;
    },
    async startAgain(): Promise<Child> {
      child = await startChild(dataDir, flagsFor(2));
      return child;
    },
  };
  houses.push(house);
  return house;
}

const houses: { child(): Child; pids(): number[]; signal(signal: NodeJS.Signals): Promise<number | null> }[] = [];

afterEach(async () => {
  for (const house of houses.splice(0)) {
    if (house.child().process.exitCode === null) await house.signal("SIGKILL");
    for (const pid of house.pids().filter(isRunning)) process.kill(-pid, "SIGKILL");
  }
});

const reopen = (child: Child, { game, namespace, publicToken }: World) =>
  worldOf(child.client, game, namespace, publicToken);

describe("lobbies and the end of the service", () => {
  test("[RT8] after kill -9 the lobby keeps running with its connections and is taken over; one that died in between is ended", async () => {
    const house = await openHouse();
    const world = await createWorld(house.child().client, lobbyVersion({ max_players: 1 }));
    const [kept, lost] = [await world.find(), await world.find()];
    const [player, other] = [await connectTo(kept), await connectTo(lost)];
    const [pid] = (await player.ask("before")).split(" ");
    expect(await player.ask(`connect ${kept.json.player.token}`)).toBe("200");

    await house.signal("SIGKILL");
    expect(await player.ask("while it is down")).toBe(`${pid} while it is down`);
    other.socket.on("error", () => undefined).write("crash\n");
    await until(() => house.pids().filter(isRunning).length === 1);

    const again = reopen(await house.startAgain(), world);
    expect((await again.lobbies()).map(({ lobby_id }) => lobby_id)).toEqual([kept.json.lobby.lobby_id]);
    expect(await again.lobbies(true)).toContainEqual(
      expect.objectContaining({ lobby_id: lost.json.lobby.lobby_id, stop_reason: "crashed" }),
    );
    expect(await player.ask("after")).toBe(`${pid} after`);
    // The lobby's own calls are taken as before, and so is the end of its process.
    expect(await player.ask(`leave ${kept.json.player.token}`)).toBe("204");
    player.socket.on("error", () => undefined).write("crash\n");
    await until(async () => (await again.lobbies()).length === 0);
  });

  test("[VF3] a lobby that called ready on a closed port gets no seats, also after kill -9, until it listens", async () => {
    const house = await openHouse();
    const signal = `${house.dataDir}/listen-now`;
    const early = { BEHAVIOUR: "ready-first", LISTEN_WHEN: signal };
    const world = await createWorld(house.child().client, lobbyVersion({ max_players: 1 }, early));
    const waiting = world.find().catch(() => null);
    const isWaiting = async ({ lobbies }: World) => {
      const [lobby] = await lobbies();
      return lobby?.status === "starting" && lobby.ports.default !== undefined;
    };
    await until(() => isWaiting(world));
    const [{ lobby_id }] = await world.lobbies();
    const logOf = async ({ client, namespace }: World) =>
      (await client.admin("GET", `${namespace.path}/lobbies/${lobby_id}/logs`)).text;
    await until(async () => (await logOf(world)).includes("ready: 204"));
    await house.signal("SIGKILL");
    await waiting;

    const again = reopen(await house.startAgain(), world);
    const warning = "a lobby has called ready, but nothing listens on its port";
    await until(() => house.child().output().includes(warning));
    expect(await isWaiting(again)).toBe(true);
    writeFileSync(signal, "");
    await until(async () => (await again.lobbies())[0]?.status === "ready");
  });

  test("[RT17] [RT8] after kill -9 following a log continues, and nothing that was written in between is missing", async () => {
    const house = await openHouse();
    const world = await createWorld(house.child().client, lobbyVersion());
    const found = await world.find();
    const player = await connectTo(found);
    const path = `${world.namespace.path}/lobbies/${found.json.lobby.lobby_id}/logs?follow=true`;
    const token = house.adminToken();
    const before = await listenTo(house, path, { token });
    await before.first(2);
    await house.signal("SIGKILL");
    await before.ended;
    await player.ask('say "while it is down\\n"');
    await house.startAgain();
    const after = await listenTo(house, path, { token, lastEventId: before.lastId() });
    await player.ask('say "after\\n"');
    const texts = (await after.first(2)).map(({ data }) => data.text);
    expect(texts).toEqual(["while it is down", "after"]);
    after.leave();
  });

  test("[RT8] after kill -9 in the middle of starting lobbies none runs that the service does not know", async () => {
    const house = await openHouse();
    const world = await createWorld(house.child().client, lobbyVersion({ max_players: 1 }));
    const finds = Array.from({ length: 8 }, () => world.find().catch(() => null));
    await until(() => house.pids().length >= 2);
    await house.signal("SIGKILL");
    await Promise.all(finds);
    const again = reopen(await house.startAgain(), world);
    // A lobby that wanted to say ready while the service was down has ended, which may be noticed a moment later.
    await until(async () => {
      const living = await again.lobbies();
      const pids = house.pids();
      const isKnown = pids.length === living.length && pids.every(isRunning);
      return isKnown && living.every(({ ports }) => ports.default !== undefined);
    });
  });

  test("[RT8] SIGTERM ends the service and not its lobbies; the next one takes them over", async () => {
    const house = await openHouse();
    const world = await createWorld(house.child().client, lobbyVersion());
    const found = await world.find();
    const player = await connectTo(found);
    expect(await house.signal("SIGTERM")).toBe(0);
    const [pid] = (await player.ask("still here")).split(" ");
    expect(isRunning(Number(pid))).toBe(true);
    const again = reopen(await house.startAgain(), world);
    expect(await again.lobbies()).toMatchObject([{ lobby_id: found.json.lobby.lobby_id, status: "ready" }]);
    expect((await again.find()).json.lobby.lobby_id).toBe(found.json.lobby.lobby_id);
  });

  test("[RT14] SIGTERM does not wait for a lobby that is slow to stop; the next service stops it", async () => {
    const house = await openHouse({ stopGraceS: 60 });
    const world = await createWorld(house.child().client, lobbyVersion({}, { BEHAVIOUR: "stubborn" }));
    const found = await world.find();
    const player = await connectTo(found);
    const pid = Number((await player.ask("hello")).split(" ")[0]);
    const path = `${world.namespace.path}/lobbies/${found.json.lobby.lobby_id}`;
    await house.child().client.admin("DELETE", path);
    const log = `${house.dataDir}/lobbies/${found.json.lobby.lobby_id}/stdout.log`;
    await until(() => readFileSync(log, "utf8").includes("not yet"));
    expect(await house.signal("SIGTERM")).toBe(0);
    expect(isRunning(pid)).toBe(true);
    const again = reopen(await house.startAgain(), world);
    await until(() => !isRunning(pid));
    expect(await again.lobbies(true)).toMatchObject([{ status: "stopped", stop_reason: "operator" }]);
  });

  test("[RT14] SIGINT ends the lobbies too, those that do not want to end as well", async () => {
    const house = await openHouse();
    const mode = (behaviour: string) => ({
      max_players: 1,
      runtime: { process: { command: "node", args: ["lobby.mjs"], cwd: ".", env: { BEHAVIOUR: behaviour } } },
    });
    const modes = { duel: mode(""), stubborn: mode("stubborn"), family: mode("child") };
    const world = await createWorld(house.child().client, { regions: { local: {} }, game_modes: modes });
    for (const name of Object.keys(modes)) expect((await world.find({ game_modes: [name] })).status).toBe(200);
    const pids = house.pids();
    expect(pids).toHaveLength(3);
    expect(await house.signal("SIGINT")).toBe(0);
    expect(pids.filter(isRunning)).toEqual([]);
    expect(house.pids()).toEqual([]);
    const again = reopen(await house.startAgain(), world);
    const reasons = (await again.lobbies(true)).map(({ stop_reason }) => stop_reason);
    expect(reasons).toEqual(["operator", "operator", "operator"]);
    const { lobbies } = await again.client.admin("GET", `${world.namespace.path}/lobby-history`);
    expect(lobbies).toHaveLength(3);
  });
});
