import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { expect, inject, onTestFinished, test } from "vitest";
import { expectRefusal } from "../support/expectations.ts";
import { until } from "../support/harness.ts";
import { createWorld, lobbyVersion, worldOf } from "../support/runtime-world.ts";
import { install } from "./installation.ts";

/** What each node said last, with when, by node. */
function watchBeats(redisPrefix: string) {
  const client = new Redis(inject("redisUrl"));
  onTestFinished(() => client.disconnect());
  const beats = async () => {
    const said = Object.entries(await client.hgetall(`${redisPrefix}:{nodes}:list`));
    return new Map(said.map(([nodeId, text]) => [nodeId, { at: Number.parseInt(text, 10), text }]));
  };
  return async function whenAllHeard(words: string): Promise<void> {
    await until(async () => [...(await beats()).values()].some(({ text }) => text.includes(words)));
    const before = await beats();
    await until(async () => [...(await beats())].every(([nodeId, { at }]) => at > (before.get(nodeId)?.at ?? 0)));
  };
}

test("[SH6] on two nodes the slots that a game took are shared with one that asks another node", async () => {
  const redisPrefix = `test-${randomUUID()}`;
  const installation = await install();
  const settings = { redisPrefix, maxLobbyProcesses: 2 };
  const [here, there] = [await installation.start("here", settings), await installation.start("there", settings)];
  const whenAllHeard = watchBeats(redisPrefix);
  const greedy = await createWorld(here, lobbyVersion({ max_players: 1 }));
  const modest = await createWorld(there, lobbyVersion({ max_players: 1 }));
  for (let count = 0; count < 4; count++) expect((await greedy.find()).status).toBe(200);
  expectRefusal(await modest.find(), "MATCHMAKER_LOBBY_START_FAILED");
  await whenAllHeard(`local ${modest.namespace.namespaceId}`);

  const greedyThere = worldOf(there, greedy.game, greedy.namespace, greedy.publicToken);
  for (let round = 1; round <= 2; round++) {
    const [lobby] = await greedy.lobbies();
    await here.admin("DELETE", `${greedy.namespace.path}/lobbies/${lobby.lobby_id}`);
    await until(async () => {
      for (const world of [greedy, greedyThere]) expectRefusal(await world.find(), "MATCHMAKER_LOBBY_START_FAILED");
      return (await modest.find()).status === 200;
    });
    expect((await modest.lobbies()).length).toBe(round);
  }
  for (const { namespace } of [greedy, modest]) await here.admin("DELETE", `${namespace.path}?force=true`);
});
