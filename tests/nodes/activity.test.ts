import { expect, test } from "vitest";
import { arenaOf, createArena } from "../support/arena.ts";
import { type Service, until } from "../support/harness.ts";
import { install } from "./installation.ts";

test("[AC5] figures of two nodes are merged on either, and a lobby is counted once", async () => {
  const installation = await install();
  const [a, b] = [await installation.start("a"), await installation.start("b")];
  const arena = await createArena(a);
  const onB = arenaOf(b, arena.namespace, arena);
  const lobby = await arena.ready();
  await arena.find();
  await onB.find();
  await onB.join(lobby.lobbyId, { party_size: 64 });
  const read = (node: Service) => node.admin("GET", `${arena.namespace.path}/activity?window_s=120`);
  const sum = (series: (number | null)[]) => series.reduce((all: number, one) => all + (one ?? 0), 0);
  for (const node of [a, b]) {
    await until(async () => sum((await read(node)).series.lobbies_created) === 1);
    await until(async () => (await read(node)).series.players.includes(2));
    const { is_partial, series } = await read(node);
    expect(is_partial).toBe(false);
    expect(
      [series.finds, series.joins, series.lobbies_created, series.refusals.MATCHMAKER_LOBBY_FULL].map(sum),
    ).toEqual([2, 0, 1, 1]);
    expect(series.lobbies.filter((count: number | null) => count !== null && count > 1)).toEqual([]);
  }
});
