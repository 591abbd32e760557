import { expect, test } from "vitest";
import { replay } from "../http/matchmaker/watching.suite.ts";
import { arenaOf, config, createArena } from "../support/arena.ts";
import { listenTo } from "../support/event-streams.ts";
import { until } from "../support/harness.ts";
import { install } from "./installation.ts";

test("[WA8] a watch on one node shows what happens on the other, a deploy and a block included", async () => {
  const installation = await install();
  const trustedProxies = ["127.0.0.1"];
  const [a, b] = [await installation.start("a"), await installation.start("b", { trustedProxies })];
  const arena = await createArena(a);
  const onB = arenaOf(b, arena.namespace, arena);
  const path = "/matchmaker/lobbies/watch";
  const watcher = await listenTo(b, path, { token: arena.pub });
  expect((await watcher.first(1))[0]!.data).toEqual({ event: "snapshot", lobbies: [], is_truncated: false });
  const lobby = await arena.ready();
  await until(() => replay(watcher).get(lobby.lobbyId) === 0);
  await arena.find();
  await until(() => replay(watcher).get(lobby.lobbyId) === 1);
  await onB.find();
  await until(() => replay(watcher).get(lobby.lobbyId) === 2);

  await arena.deploy(config({ max_players: 3 }));
  await until(() => replay(watcher).size === 0);
  await arena.redeploy(arena.versionId);
  await until(() => replay(watcher).get(lobby.lobbyId) === 2);

  const blocked = onB.play("GET", "lobbies/watch", undefined, { client: "192.0.2.7" });
  await a.admin("PUT", `${arena.namespace.path}/blocks`, { client: "192.0.2.7" });
  expect([200, 403]).toContain((await blocked).status);
  expect((await onB.play("GET", "lobbies/watch", undefined, { client: "192.0.2.7" })).status).toBe(403);
  watcher.leave();
});
