import { expect, test } from "vitest";
import { packageVersion } from "../../src/ground/package-version.ts";
import { readList } from "../../src/nodes/node-list.ts";
import { type Service, startService, until } from "../support/harness.ts";
import { createWorld, lobbyVersion } from "../support/runtime-world.ts";
import { install } from "./installation.ts";

const listNodes = async (node: Service) => (await node.admin("GET", "/cloud/nodes")).nodes;

test("[OP1] a node without Redis lists itself, under the same id after a restart", async () => {
  const service = await startService("sqlite", { nodeRegions: ["near"], maxLobbyProcesses: 7 });
  const [own, ...others] = await listNodes(service);
  await service.close();
  expect(others).toEqual([]);
  expect(own).toEqual({
    node_id: expect.stringMatching(/^node-[0-9a-f]{12}$/),
    version: packageVersion(),
    start_ts: expect.stringMatching(/Z$/),
    regions: ["near"],
    lobby_processes: 0,
    lobby_processes_max: 7,
    has_lease: true,
    clock_offset_ms: null,
    is_self: true,
  });
  const again = await startService("sqlite", { dataDir: service.dataDir });
  const [restarted] = await listNodes(again);
  await again.close();
  expect(restarted).toMatchObject({ node_id: own.node_id, regions: null });
});

test("[OP1] each node lists all that are up, with their processes, the lease and their clocks", async () => {
  const installation = await install();
  const a = await installation.start("a", { maxLobbyProcesses: 3, nodeRegions: ["local"] });
  const b = await installation.start("b", { maxLobbyProcesses: 0 });
  const world = await createWorld(a, lobbyVersion());
  await a.request("POST", "/matchmaker/lobbies/find", { token: world.publicToken, body: { game_modes: ["duel"] } });
  const isSettled = async (node: Service) => {
    const nodes = await listNodes(node);
    return nodes.length === 2 && nodes[0].lobby_processes === 1 && nodes[1].clock_offset_ms !== null;
  };
  for (const node of [a, b]) await until(() => isSettled(node));

  const shared = { version: packageVersion(), start_ts: expect.any(String), clock_offset_ms: expect.any(Number) };
  const nodeA = { node_id: "a", ...shared, regions: ["local"], lobby_processes: 1, lobby_processes_max: 3 };
  const nodeB = { node_id: "b", ...shared, regions: null, lobby_processes: 0, lobby_processes_max: 0 };
  for (const [node, selfId] of [[a, "a"] as const, [b, "b"] as const]) {
    expect(await listNodes(node)).toEqual([
      { ...nodeA, has_lease: true, is_self: selfId === "a" },
      { ...nodeB, has_lease: false, is_self: selfId === "b" },
    ]);
  }

  await installation.stop(a);
  await until(async () => (await listNodes(b)).length === 1 && (await listNodes(b))[0].has_lease);
  expect(await listNodes(b)).toEqual([{ ...nodeB, has_lease: true, is_self: true }]);
});

test("[OP1] a report that no node writes is left out, and the others are read", () => {
  const good = `1000 ${JSON.stringify({ regions: null, room: 2, instanceId: "x" })}`;
  const bad = [
    "",
    "1000",
    "1000 {",
    "1000 null",
    "1000 7",
    "1000 []",
    '1000 {"regions":7,"room":1}',
    '1000 {"regions":null}',
  ]
    .concat('1000 {"regions":null,"room":1,"held":null}', '1000 {"regions":null,"room":1,"asked":1}')
    .concat('1000 {"regions":null,"room":1,"builds":{}}', '1000 {"regions":null,"room":1,"builds":7}')
    .concat('1000 {"regions":null,"room":1,"builds":{"ready":[],"failed":null}}')
    .concat('1000 {"regions":null,"room":1,"nodeUrl":"//"}', '1000 {"regions":null,"room":1,"nodeUrl":7}')
    .flatMap((said, index) => [`bad ${index}`, said]);
  expect(readList([...bad, "good", good, "bad last", "x"], 2000).map(({ nodeId }) => nodeId)).toEqual(["good"]);
});

test("[OP1] a node of an earlier Foyer is listed with null for what it does not say", () => {
  const said = `1000 ${JSON.stringify({ regions: null, room: 2, instanceId: "x" })}`;
  expect(readList(["old", said], 1500)).toMatchObject([
    { nodeId: "old", version: null, startedAt: null, clockOffsetMs: null, places: 2, isAlive: true },
  ]);
});
