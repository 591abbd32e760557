import { Redis } from "ioredis";
import { describe, expect, inject, onTestFinished, test, vi } from "vitest";
import type { RedisEngine } from "../../src/engine/redis/redis.ts";
import type { Event } from "../../src/matchmaker/commands.ts";
import type { RedisLink } from "../../src/redis/interface.ts";
import { closeAfterEach, openEngine, underTest } from "../support/redis-engine.ts";
import { createWorld, listen, rememberedMs, type World } from "../support/world.ts";

closeAfterEach();

const url = () => inject("redisUrl");

/** A world on an engine, and further engines on the same keys. */
async function createNodes(count: number): Promise<{ world: World; others: World[]; prefix: string }> {
  const one = await openEngine(url());
  const world = await createWorld(async () => underTest(one, url()));
  const others: World[] = [];
  for (let i = 1; i < count; i++) {
    const other = await openEngine(url(), { prefix: one.prefix });
    others.push(Object.assign(Object.create(world) as World, { under: underTest(other, url()) }));
  }
  return { world, others, prefix: one.prefix };
}

const types = (events: readonly Event[]) => events.map(({ type }) => type);

describe("events in Redis", () => {
  test("[RD9] every node receives what any node does, in one order", async () => {
    const { world, others } = await createNodes(3);
    const received = [world, ...others].map(listen);
    const { id } = await world.ready({ maxPlayers: 50 });
    await Promise.all([world, ...others].flatMap((node) => Array.from({ length: 10 }, () => node.join(id))));
    const [first, ...rest] = await Promise.all(received.map((receive) => receive(32)));
    expect(types(first!).slice(0, 3)).toEqual(["lobby.created", "lobby.ready", "player.reserved"]);
    for (const other of rest) expect(other).toEqual(first);
  });

  test("[RD9] [RD10] an entry that this Foyer cannot read counts as lost, and later ones are received", async () => {
    const { world, prefix } = await createNodes(1);
    const engine = world.under.engine as RedisEngine;
    const gaps: string[] = [];
    engine.onGap((namespaceId) => gaps.push(namespaceId));
    const received = listen(world);
    await world.starting();
    const before = await engine.position(world.namespaceId);
    const client = new Redis(url());
    onTestFinished(() => client.disconnect());
    await client.xadd(`${prefix}:{${world.namespaceId}}:events`, "*", "type", "lobby.of-tomorrow", "shape", "round");
    await world.starting();
    expect(types(await received(2))).toEqual(["lobby.created", "lobby.created"]);
    expect(gaps).toEqual([world.namespaceId]);
    expect(await engine.eventsAfter(world.namespaceId, before, 10)).toBeNull();
    expect(types(await engine.latest(world.namespaceId, 2))).toEqual(["lobby.created"]);
  });

  test("[RD9] a listener receives nothing that its node was answered before it subscribed", async () => {
    const { world } = await createNodes(1);
    for (let i = 0; i < 20; i++) {
      await world.starting();
      const received = listen(world);
      await world.configure();
      expect(types(await received(1))).toEqual(["namespace.configured"]);
    }
  });

  test("[RD9] [TL4] events without a wake-up message are read when a caller asks for the latest position", async () => {
    // Without the sweep, which finds it as well, a little later.
    vi.useFakeTimers({ toFake: ["setInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { world, prefix } = await createNodes(1);
    const wrap = (link: RedisLink): RedisLink => ({
      ...link,
      subscribe: (channel, _onMessage, onGap) => link.subscribe(channel, () => {}, onGap),
    });
    const deaf = await openEngine(url(), { prefix, wrap });
    const received = listen(Object.assign(Object.create(world) as World, { under: underTest(deaf, url()) }));
    await world.starting();
    const end = await deaf.engine.position(world.namespaceId);
    const [created] = await received(1);
    expect([created!.type, created!.position]).toEqual(["lobby.created", end]);
  });

  test("[RD10] a node that reads so late that events are gone learns after which position; one that is only late does not", async () => {
    vi.useFakeTimers({ toFake: ["setInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { world, prefix } = await createNodes(1);
    world.isAudited = false;
    const { id } = await world.ready({ isExternal: true });
    const change = () =>
      Promise.all(
        Array.from({ length: 1200 }, () => world.execute<"setState">({ type: "setState", lobbyId: id, state: "1" })),
      );
    const wrap = (link: RedisLink): RedisLink => ({
      ...link,
      subscribe: (channel, _onMessage, onGap) => link.subscribe(channel, () => {}, onGap),
    });
    const { engine: deaf } = await openEngine(url(), { prefix, wrap });
    const received: string[] = [];
    deaf.onGap((namespaceId, position) => received.push(`gap in ${namespaceId} after ${position}`));
    void (async () => {
      for await (const { position } of deaf.events()) received.push(position);
    })();
    const untilHeard = async () => {
      const end = await deaf.position(world.namespaceId);
      await vi.waitUntil(() => received.at(-1) === end, { timeout: 20_000 });
      return end;
    };

    await change();
    const before = await untilHeard();
    expect(received).toHaveLength(1200);
    await change();
    const redis = new Redis(url());
    await redis.xtrim(`${prefix}:{${world.namespaceId}}:events`, "MAXLEN", 700);
    redis.disconnect();
    await untilHeard();
    expect(received[1200]).toBe(`gap in ${world.namespaceId} after ${before}`);
    expect(received).toHaveLength(1200 + 1 + 700);
  });

  test("[RD9] events of a namespace that is created later are received from its beginning", async () => {
    const { world, others } = await createNodes(2);
    const received = listen(others[0]!);
    const neighbour = await world.neighbour();
    await neighbour.starting();
    expect(types(await received(2))).toEqual(["namespace.configured", "lobby.created"]);
  });

  test("[RD10] events after a position can be read on any node while they are kept", async () => {
    const { world, others } = await createNodes(2);
    const [engine, other] = [engineOf(world), engineOf(others[0]!)];
    const received = listen(world);
    const { id } = await world.ready();
    await world.stop(id);
    const events = await received(3);
    const { namespaceId } = world;
    const toldAfter = (at: number, max = 100) => other.eventsAfter(namespaceId, events[at]!.position, max);
    expect(await toldAfter(0)).toEqual(events.slice(1));
    expect(await toldAfter(0, 1)).toEqual(events.slice(1, 2));
    expect(await toldAfter(2)).toEqual([]);
    expect(types((await engine.eventsAfter(namespaceId, "0-0", 100))!)[0]).toBe("namespace.configured");
    expect(await engine.eventsAfter(namespaceId, "99999999999999-0", 100)).toBeNull();
    expect(await engine.eventsAfter(namespaceId, "nonsense", 100)).toBeNull();
    expect(await engine.eventsAfter("unknown", events[0]!.position, 100)).toBeNull();
  });

  test("[RD10] at least 10,000 are kept, and a lost part is reported", { timeout: 240_000 }, async () => {
    const { world } = await createNodes(1);
    world.isAudited = false;
    const engine = engineOf(world);
    const { id } = await world.ready({ isExternal: true });
    const [first] = (await engine.eventsAfter(world.namespaceId, "0-0", 1))!;
    const change = (times: number) =>
      Promise.all(
        Array.from({ length: times }, () => world.execute<"setState">({ type: "setState", lobbyId: id, state: "1" })),
      );
    for (let count = 3; count < 10_001; count += 500) await change(Math.min(500, 10_001 - count));
    expect(await engine.eventsAfter(world.namespaceId, first!.position, 20_000)).toHaveLength(10_000);
    await change(200);
    expect(await engine.eventsAfter(world.namespaceId, first!.position, 1)).toBeNull();
  });

  test("[RD10] a forgotten namespace's stream is gone after ten minutes, and a position in it is of no use", async () => {
    const { world, prefix } = await createNodes(1);
    const engine = engineOf(world);
    const [first] = (await engine.eventsAfter(world.namespaceId, "0-0", 1))!;
    await world.execute<"removeNamespace">({ type: "removeNamespace", force: true });
    await world.pass(rememberedMs);
    const redis = new Redis(url());
    await redis.del(`${prefix}:{${world.namespaceId}}:events`);
    redis.disconnect();
    expect(await engine.eventsAfter(world.namespaceId, first!.position, 10)).toBeNull();
  });
});

/** The engine itself, with what only this kind of engine has. */
function engineOf(world: World): RedisEngine {
  const { engine } = world.under;
  if (!("eventsAfter" in engine)) throw new Error("This is not an engine on Redis.");
  return engine as RedisEngine;
}
