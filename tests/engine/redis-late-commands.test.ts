import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { commandScripts } from "../../src/engine/redis/scripts.ts";
import { EngineUnavailable } from "../../src/ground/unavailable.ts";
import type { RedisLink } from "../../src/redis/interface.ts";
import { closeAfterEach, openEngine, underTest } from "../support/redis-engine.ts";
import { type RedisServer, startRedis } from "../support/services/redis.ts";
import { openSlowWay, type SlowWay } from "../support/services/slow-way.ts";
import { World } from "../support/world.ts";

closeAfterEach();

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());

const ways: SlowWay[] = [];
afterEach(async () => {
  for (const way of ways.splice(0)) await way.close();
});

const rounds = [1, 2, 3, 4, 5, 6, 7, 8];
const patient = { timeout: 240_000 };

/** Two nodes that share a namespace, and the way of the first one to Redis. */
async function twoNodes(name: string) {
  const way = await openSlowWay(server.port);
  ways.push(way);
  const direct = await openEngine(server.url);
  const far = await openEngine(`redis://127.0.0.1:${way.port}`, { prefix: direct.prefix });
  const ids = { next: 0 };
  const near = new World(underTest(direct, server.url), name, ids);
  await near.configure();
  const farAway = new World(underTest(far, server.url), name, ids);
  farAway.revision = near.revision;
  for (const world of [near, farAway]) world.isAudited = false;
  return { near, farAway, way };
}

test(
  "[RD11] an opening that was answered as failed does not undo a later close, however late it arrives",
  patient,
  async () => {
    const play = async (round: number) => {
      const { near, farAway, way } = await twoNodes(`opening-${round}`);
      const { id } = await near.ready({ maxPlayers: 8, party: 1 });
      // Redis has the script from here on; else it would not do what it is asked even if it were in time.
      for (const isClosed of [false, true]) await farAway.setClosed(id, isClosed);
      way.hold();
      await expect(farAway.setClosed(id, false)).rejects.toThrow(EngineUnavailable);
      expect(await near.setClosed(id, true)).toMatchObject({ ok: true });
      await way.release();
      expect(await near.route()).toBe("NO_AVAILABLE_LOBBIES");
      expect(await near.lobby(id)).toMatchObject({ isClosed: true });
      // The way is free again, and so are commands.
      expect(await farAway.setClosed(id, false)).toMatchObject({ ok: true });
    };
    await Promise.all(rounds.map(play));
  },
);

test("[RD11] neither does a state, nor finds that are sent together", patient, async () => {
  const play = async (round: number) => {
    const { near, farAway, way } = await twoNodes(`state-${round}`);
    const { id } = await near.ready({ maxPlayers: 40, party: 1 });
    const setState = (world: World, state: string) =>
      world.execute<"setState">({ type: "setState", lobbyId: id, state });
    await setState(farAway, '"first"');
    await farAway.find();
    way.hold();
    const late = [setState(farAway, '"late"'), ...Array.from({ length: 20 }, () => farAway.find())];
    const outcomes = await Promise.allSettled(late);
    expect(outcomes.map(({ status }) => status)).toEqual(late.map(() => "rejected"));
    await setState(near, '"later"');
    await way.release();
    expect(await near.lobby(id)).toMatchObject({ state: '"later"', reserved: 2 });
  };
  await Promise.all(rounds.map(play));
});

test("[RD11] the moment at which the caller gives up decides alone, even if all else that the command carries is new", async () => {
  let earlierMs = 0;
  const wrap = (link: RedisLink): RedisLink => ({
    ...link,
    run(script, key, args, giveUpAt) {
      if (script !== commandScripts.setClosed) return link.run(script, key, args, giveUpAt);
      const moment = String(Number(args[6]) - earlierMs);
      return link.run(script, key, [...args.slice(0, 6), moment, ...args.slice(7)], giveUpAt);
    },
  });
  const world = new World(underTest(await openEngine(server.url, { wrap }), server.url), "moment", { next: 0 });
  await world.configure();
  const { id } = await world.ready();
  expect(await world.setClosed(id, true)).toMatchObject({ ok: true });
  // As if the command had been on its way for longer than any caller waits.
  earlierMs = 6_000;
  await expect(world.setClosed(id, false)).rejects.toThrow(EngineUnavailable);
  expect(await world.lobby(id)).toMatchObject({ isClosed: true });
});
