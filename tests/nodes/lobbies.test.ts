import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { chooseNode, describePreparation } from "../../src/loops/placement/choose-node.ts";
import { isRunning } from "../runtime/driver.ts";
import { createArena } from "../support/arena.ts";
import { listenTo } from "../support/event-streams.ts";
import { type Service, until } from "../support/harness.ts";
import { connectTo, createWorld, lobbyPids, lobbyVersion, type World } from "../support/runtime-world.ts";
import { install } from "./installation.ts";

const find = (node: Service, world: World, body: object = {}) =>
  node.request("POST", "/matchmaker/lobbies/find", {
    token: world.publicToken,
    body: { game_modes: ["duel"], ...body },
  });

const twoRegions = (mode: object = {}) => ({ ...lobbyVersion(mode), regions: { near: {}, far: {} } });

describe("choosing a node", () => {
  const node = (nodeId: string, room: number, more: object = {}) => ({
    nodeId,
    room,
    places: 8,
    held: new Map(),
    asked: [],
    regions: null,
    isAlive: true,
    ...more,
  });

  test("[ND3] the one with the most room, then the smaller id; of those that are up and serve the region", () => {
    const none = () => [];
    const lobby = { namespaceId: "one", region: "eu" };
    expect(chooseNode([node("a", 2), node("b", 5), node("c", 5)], lobby, none)).toBe("b");
    expect(chooseNode([node("a", 2), node("b", 5)], lobby, (id) => (id === "b" ? Array(4).fill("one") : []))).toBe("a");
    expect(chooseNode([node("a", 2, { regions: ["us"] }), node("b", 1, { regions: ["eu"] })], lobby, none)).toBe("b");
    expect(chooseNode([node("a", 2, { isAlive: false }), node("b", 0)], lobby, none)).toBeNull();
  });

  test("[BU23] among those that have the lobby's build, or do not say", () => {
    const none = () => [];
    const lobby = { namespaceId: "one", region: "eu", buildId: "b1" };
    const holding = (...ready: string[]) => ({ builds: { ready, failed: {} } });
    const choose = (...nodes: Parameters<typeof chooseNode>[0]) => chooseNode(nodes, lobby, none);
    expect(choose(node("a", 5, holding("b2")), node("b", 2, holding("b2", "b1")))).toBe("b");
    expect(choose(node("a", 5, { builds: { ready: [], failed: { b1: "full disk" } } }))).toBeNull();
    expect(choose(node("a", 5, { builds: null }), node("b", 2, holding("b1")))).toBe("a");
    expect(chooseNode([node("a", 5, holding())], { ...lobby, buildId: null }, none)).toBe("a");
  });

  test("[BU23] a lobby waits while a node with room prepares its build, and ends when no node can", () => {
    const wanted = { namespaceId: "one", region: "eu", buildId: "b1" };
    const preparing = { builds: { ready: [], failed: {} } };
    const failed = { builds: { ready: [], failed: { b1: "full disk" } } };
    const of = (...all: Parameters<typeof chooseNode>[0]) => describePreparation(all, wanted);
    expect(of(node("a", 1, failed), node("b", 1, preparing))).toEqual({ isUnderWay: true, failure: null });
    expect(of(node("a", 1, failed), node("b", 0, preparing))).toEqual({ isUnderWay: false, failure: null });
    expect(of(node("a", 1, failed), node("b", 1, { ...preparing, regions: ["us"] }))).toEqual({
      isUnderWay: false,
      failure: "full disk",
    });
    expect(of(node("a", 1, failed), node("b", 0, { ...preparing, places: 0 })).failure).toBe("full disk");
    expect(of(node("a", 1, failed), node("b", 1, { builds: null })).failure).toBeNull();
  });

  test("[SH6] among nodes on which the namespace gets another slot, also counting lobbies assigned a moment ago", () => {
    const none = () => [];
    const greedy = { namespaceId: "greedy", region: "eu" };
    const modest = { namespaceId: "modest", region: "eu" };
    const full = node("a", 2, { held: new Map([["greedy", 6]]) });
    const other = node("b", 1, { held: new Map([["greedy", 7]]) });
    expect(chooseNode([full, other], greedy, none)).toBe("a");
    // Another namespace has asked some node for a lobby of the region, or has had one there.
    expect(chooseNode([full, node("b", 0, { asked: ["eu modest"] })], greedy, none)).toBeNull();
    const inEurope = { ...full, regions: ["eu"] };
    expect(chooseNode([inEurope, node("b", 0, { asked: ["us modest"] })], greedy, none)).toBe("a");
    expect(
      chooseNode(
        [
          node("a", 2, {
            held: new Map([
              ["greedy", 6],
              ["modest", 0],
            ]),
          }),
          other,
        ],
        greedy,
        none,
      ),
    ).toBe("b");
    expect(chooseNode([full, other], modest, none)).toBe("a");
    expect(chooseNode([full, other], modest, (id) => (id === "a" ? ["greedy", "greedy"] : []))).toBe("b");
    const even = node("a", 3, {
      held: new Map([
        ["greedy", 3],
        ["modest", 2],
      ]),
    });
    expect(chooseNode([even], greedy, none)).toBe("a");
    expect(chooseNode([even], greedy, () => ["greedy"])).toBeNull();
    expect(chooseNode([even], modest, () => ["greedy"])).toBe("a");
  });
});

test("[RT22] the operator's view names the node that runs a lobby, on every node and after its end; none for a registered one", async () => {
  const installation = await install();
  const near = await installation.start("near", { nodeRegions: ["near"] });
  const far = await installation.start("far", { nodeRegions: ["far"] });
  const world = await createWorld(near, twoRegions({ max_players: 1 }));
  for (const region of ["near", "far"]) expect((await world.find({ regions: [region] })).status).toBe(200);
  const nodesOf = async (node: Service, more = "") =>
    (await node.admin("GET", `${world.namespace.path}/lobbies${more}`)).lobbies.map(
      (lobby: { region_id: string; node_id: string | null }) => [lobby.region_id, lobby.node_id],
    );
  const expected = [
    ["near", "near"],
    ["far", "far"],
  ].toSorted();
  for (const node of [near, far]) expect((await nodesOf(node)).toSorted()).toEqual(expected.toSorted());
  const [{ lobby_id: lobbyId, node_id: nodeId }] = await world.lobbies();
  await far.admin("DELETE", `${world.namespace.path}/lobbies/${lobbyId}`);
  expect((await near.admin("GET", `${world.namespace.path}/lobbies/${lobbyId}`)).lobby).toMatchObject({
    status: "stopped",
    node_id: nodeId,
  });
  const arena = await createArena(near);
  const registered = await arena.register();
  expect((await registered.seen()).node_id).toBeNull();
});

describe("lobbies on several nodes", () => {
  test("[ND3] a lobby runs on the node of its region, players get its address, and its log is read on any node", async () => {
    const installation = await install();
    const near = await installation.start("near", { nodeRegions: ["near"], lobbyHostname: "localhost" });
    const far = await installation.start("far", { nodeRegions: ["far"] });
    const world = await createWorld(near, twoRegions({ max_players: 1 }));
    const inFar = await find(near, world, { regions: ["far"] });
    const inNear = await find(far, world, { regions: ["near"] });
    expect(inFar.json.ports.default.hostname).toBe("127.0.0.1");
    expect(inNear.json.ports.default.hostname).toBe("localhost");
    expect([lobbyPids(near.dataDir).length, lobbyPids(far.dataDir).length]).toEqual([1, 1]);
    const player = await connectTo(inFar);
    expect(await player.ask(`connect ${inFar.json.player.token}`)).toBe("200");
    await player.ask('say "hello from afar\\n"');
    player.close();

    const logs = `${world.namespace.path}/lobbies/${inFar.json.lobby.lobby_id}/logs`;
    await until(async () => (await near.admin("GET", logs)).text.includes("hello from afar"));
    expect((await far.admin("GET", logs)).text).toContain("hello from afar");
    const following = await listenTo(near, `${logs}?follow=true`, { token: near.adminToken });
    await until(() => following.text().includes("hello from afar"));
    await near.admin("DELETE", `${world.namespace.path}/lobbies/${inFar.json.lobby.lobby_id}`);
    await until(() => following.events().some(({ event }) => event === "end"));
    following.leave();
    await until(() => lobbyPids(far.dataDir).filter(isRunning).length === 0);
  });

  test("[VF3] a lobby that calls ready on another node becomes ready when its own finds that its ports accept", async () => {
    const installation = await install();
    const near = await installation.start("near", { nodeRegions: ["near"] });
    const far = await installation.start("far", { nodeRegions: ["far"] });
    const signal = join(far.dataDir, "listen-now");
    const env = { BEHAVIOUR: "ready-first", LISTEN_WHEN: signal, READY_TO: near.url };
    const world = await createWorld(near, { ...lobbyVersion({}, env), regions: { near: {}, far: {} } });
    const waiting = find(near, world, { regions: ["far"] });
    await until(async () => (await world.lobbies()).length === 1);
    const [{ lobby_id }] = await world.lobbies();
    const logs = `${world.namespace.path}/lobbies/${lobby_id}/logs`;
    await until(async () => (await far.admin("GET", logs)).text.includes("ready: 204"));
    expect((await world.lobbies())[0].status).toBe("starting");
    writeFileSync(signal, "");
    (await connectTo(await waiting)).close();
  });

  test("[ND3] lobbies go to the node with the most room; when no node has any, none is created and find is refused", async () => {
    const installation = await install();
    const small = await installation.start("a-small", { maxLobbyProcesses: 1 });
    const large = await installation.start("b-large", { maxLobbyProcesses: 3 });
    const world = await createWorld(small, lobbyVersion({ max_players: 1 }));
    for (let i = 0; i < 4; i++) expect((await find(i % 2 === 0 ? small : large, world)).status).toBe(200);
    expect([lobbyPids(small.dataDir).length, lobbyPids(large.dataDir).length]).toEqual([1, 3]);
    await until(async () => (await find(small, world)).json.code === "MATCHMAKER_LOBBY_START_FAILED");
    const refused = await find(large, world);
    expect(refused.json).toMatchObject({ code: "MATCHMAKER_LOBBY_START_FAILED" });
    expect(refused.json.message).toMatch(/There is no free slot for another lobby of the game mode duel/);
    expect((await world.lobbies()).length).toBe(4);
  });

  test("[RT5] [ND3] of many concurrent calls to a node as many get a lobby as may run, and no lobby is created needlessly", async () => {
    const installation = await install();
    const node = await installation.start("a", { maxLobbyProcesses: 2 });
    const world = await createWorld(node, lobbyVersion({ max_players: 1 }));
    const answers = await Promise.all(Array.from({ length: 12 }, () => find(node, world)));
    const codes = answers.map(({ status, json }) => json.code ?? status).sort();
    expect(codes).toEqual([200, 200, ...Array.from({ length: 10 }, () => "MATCHMAKER_LOBBY_START_FAILED")]);
    expect(await world.lobbies(true)).toHaveLength(2);
  });

  test("[RT5] [ND3] regions that one node serves share its room, and no room does not count as a failure of the game mode", async () => {
    const installation = await install();
    const node = await installation.start("a", { maxLobbyProcesses: 1 });
    const regions = ["eu", "us", "ap", "sa"];
    const version = { ...lobbyVersion({ max_players: 1, regions }), regions: { eu: {}, us: {}, ap: {}, sa: {} } };
    const world = await createWorld(node, version);
    const answers = await Promise.all(regions.map((region) => find(node, world, { regions: [region] })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 503, 503, 503]);
    expect(await world.lobbies(true)).toHaveLength(1);
    expect((await node.admin("GET", `${world.namespace.path}/lobbies`)).held_back).toEqual([]);
    expect((await find(node, world)).json.message).toMatch(/There is no free slot/);
  });

  test("[ND10] [14] a burst of finds on two nodes starts exactly as many lobbies as needed", async () => {
    const installation = await install();
    const nodes = [await installation.start("a"), await installation.start("b")];
    const world = await createWorld(nodes[0]!, lobbyVersion({ max_players: 10 }));
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => find(nodes[i % 2]!, world)));
    expect(answers.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
    const perLobby = new Map<string, number>();
    for (const { json } of answers) perLobby.set(json.lobby.lobby_id, (perLobby.get(json.lobby.lobby_id) ?? 0) + 1);
    expect([...perLobby.values()]).toEqual([10, 10, 10, 10, 10, 10]);
    expect(nodes.flatMap(({ dataDir }) => lobbyPids(dataDir)).length).toBe(6);
  });

  test("[ND2] [W1] a warm pool is kept once, not once per node, also when the node that kept it stops", async () => {
    const installation = await install();
    const first = await installation.start("a");
    const second = await installation.start("b");
    const world = await createWorld(second, lobbyVersion({ idle_lobbies: { min: 2 } }));
    const ready = async () => (await world.lobbies()).filter(({ status }) => status === "ready").length;
    await until(async () => (await ready()) === 2);
    await installation.stop(first);
    expect((await find(second, world, { party_size: 2 })).status).toBe(200);
    await until(async () => (await ready()) === 3);
    expect((await world.lobbies()).length).toBe(3);
  });
});

describe("warm pools", () => {
  const warm = lobbyVersion({ idle_lobbies: { min: 1 } });
  const readyIn = async (world: World) => (await world.lobbies()).filter(({ status }) => status === "ready").length;

  test("[ND1] [W1] what one node deploys is kept warm by the lease holder, which got no request for it", async () => {
    const installation = await install();
    await installation.start("a-holder");
    const other = await installation.start("b-other");
    const world = await createWorld(other, warm);
    await until(async () => (await readyIn(world)) === 1);
  });

  test("[ND13] warm pools come back by themselves when Redis has lost everything", async () => {
    const installation = await install();
    const node = await installation.start("a");
    const world = await createWorld(node, warm);
    await until(async () => (await readyIn(world)) === 1);
    const pids = lobbyPids(node.dataDir);
    await installation.forgetAll();
    await until(() => lobbyPids(node.dataDir).some((pid) => !pids.includes(pid) && isRunning(pid)));
    await until(() => pids.filter(isRunning).length === 0);
  });
});

describe("nodes that go", () => {
  test("[ND4] a node that returns in time takes its lobbies over, and their players are not affected", async () => {
    const installation = await install();
    // Long enough for another start on a busy machine.
    const nodeGraceS = 10;
    const stays = await installation.start("stays", { maxLobbyProcesses: 0, nodeGraceS });
    const goes = await installation.start("goes", { nodeGraceS });
    const world = await createWorld(stays, lobbyVersion({ max_players: 4 }));
    const answer = await find(stays, world);
    const player = await connectTo(answer);
    await player.ask("before");
    await installation.stop(goes);
    expect(await player.ask("meanwhile")).toContain("meanwhile");
    expect((await find(stays, world)).json.lobby.lobby_id).toBe(answer.json.lobby.lobby_id);
    const back = await installation.start("goes", { dataDir: goes.dataDir, nodeGraceS });
    expect(await player.ask("after")).toContain("after");
    await new Promise((resolve) => setTimeout(resolve, (nodeGraceS + 1) * 1_000));
    expect((await world.lobbies())[0]).toMatchObject({ status: "ready" });
    await back.admin("DELETE", `${world.namespace.path}/lobbies/${answer.json.lobby.lobby_id}`);
    await until(() => lobbyPids(goes.dataDir).filter(isRunning).length === 0);
    player.close();
  });

  test("[ND4] the lobbies of a lost node are ended, and what still runs is stopped when it returns", async () => {
    const installation = await install();
    const goes = await installation.start("goes");
    const stays = await installation.start("stays", { maxLobbyProcesses: 0 });
    const world = await createWorld(stays, lobbyVersion({ max_players: 4 }));
    const answer = await find(stays, world);
    expect(answer.status).toBe(200);
    const pids = lobbyPids(goes.dataDir);
    await installation.stop(goes);
    const lobby = async () =>
      (await stays.admin("GET", `${world.namespace.path}/lobbies/${answer.json.lobby.lobby_id}`)).lobby;
    await until(async () => (await lobby()).status === "stopped");
    expect(await lobby()).toMatchObject({ stop_reason: "node_lost" });
    expect(pids.filter(isRunning)).toEqual(pids);
    await until(async () => {
      const { lobbies } = await stays.admin("GET", `${world.namespace.path}/lobby-history`);
      return lobbies.some(({ stop_reason }: { stop_reason: string }) => stop_reason === "node_lost");
    });
    await installation.start("goes", { dataDir: goes.dataDir });
    await until(() => pids.filter(isRunning).length === 0);
  });

  test("[ND11] a server whose lobby Redis has forgotten is stopped", async () => {
    const installation = await install();
    const node = await installation.start("a");
    const world = await createWorld(node, lobbyVersion({ max_players: 4 }));
    expect((await find(node, world)).status).toBe(200);
    const pids = lobbyPids(node.dataDir);
    expect(pids.filter(isRunning)).toEqual(pids);
    await installation.forget(world.namespace.namespaceId);
    await until(() => pids.filter(isRunning).length === 0);
    expect((await find(node, world)).status).toBe(200);
  });
});
