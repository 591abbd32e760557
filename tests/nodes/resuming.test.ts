import { describe, expect, test } from "vitest";
import { type Arena, createArena } from "../support/arena.ts";
import { listenTo } from "../support/event-streams.ts";
import { type Service, until } from "../support/harness.ts";
import { install } from "./installation.ts";

const version = {
  regions: { local: {} },
  game_modes: { duel: { max_players: 2, max_players_direct: 2, runtime: { external: {} } } },
};

/** Leaves and comes back on one node after the other, always with the last id it has seen; returns all ids it received. */
async function follow(nodes: readonly Service[], { namespace }: Arena, from: string, isOver: () => boolean) {
  const received: string[] = [];
  let lastEventId = from;
  for (let turn = 0; !isOver(); turn++) {
    const node = nodes[turn % nodes.length]!;
    const listener = await listenTo(node, `${namespace.path}/events`, { token: node.adminToken, lastEventId });
    const seen = 1 + (turn % 5);
    await until(() => listener.events().length >= seen || isOver());
    listener.leave();
    await listener.ended;
    const events = listener.events();
    expect(events.filter(({ event }) => event === "reset")).toEqual([]);
    received.push(...events.map(({ id }) => id));
    lastEventId = events.at(-1)?.id ?? lastEventId;
  }
  const rest = await listenTo(nodes[0]!, `${namespace.path}/events`, { token: nodes[0]!.adminToken, lastEventId });
  return { received, rest };
}

describe.each(["redis", "cluster"] as const)("coming back to event streams on %s", (kind) => {
  test("[EV2] [EV8] listeners that reconnect again and again under load get each event once, in order", async () => {
    const installation = await install(kind);
    const nodes = [await installation.start("here"), await installation.start("there")];
    const arena = await createArena(nodes[0]!, version);
    const lobbies = await Promise.all(Array.from({ length: 8 }, () => arena.ready()));
    const all = await listenTo(nodes[0]!, `${arena.namespace.path}/events`, { token: nodes[0]!.adminToken });
    await until(() => all.lastId() !== "");
    const start = all.lastId();

    const changes = 40;
    let isOver = false;
    const followers = Array.from({ length: 12 }, () => follow(nodes, arena, start, () => isOver));
    const activity = lobbies.map(async (lobby, index) => {
      const send = (isClosed: boolean) =>
        nodes[index % 2]!.request("PUT", "/matchmaker/lobbies/closed", {
          token: lobby.token,
          body: { is_closed: isClosed },
        });
      for (let change = 0; change < changes; change++) expect((await send(change % 2 === 0)).status).toBe(204);
    });
    await Promise.all(activity);
    const count = lobbies.length * changes;
    const ids = (await all.first(count)).map(({ id }) => id);
    isOver = true;
    for (const { received, rest } of await Promise.all(followers)) {
      await until(() => received.length + rest.events().length >= count);
      rest.leave();
      expect([...received, ...rest.events().map(({ id }) => id)]).toEqual(ids);
    }
    all.leave();
  });
});
