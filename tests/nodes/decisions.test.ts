import { expect, test } from "vitest";
import { arenaOf, createArena } from "../support/arena.ts";
import type { Service } from "../support/harness.ts";
import { install } from "./installation.ts";

test("[DE5] decisions of two nodes are one list on either, with pages, there as soon as the calls are answered", async () => {
  const installation = await install();
  const [a, b] = [await installation.start("a"), await installation.start("b")];
  const arena = await createArena(a);
  const onB = arenaOf(b, arena.namespace, arena);
  await arena.find({ tags: { on: "a" } });
  await onB.find({ tags: { on: "b" } });
  await onB.join("00000000-0000-4000-8000-000000000000");
  const read = (node: Service, query = "") => node.admin("GET", `${arena.namespace.path}/decisions${query}`);
  for (const node of [a, b]) {
    const { decisions, is_partial } = await read(node);
    expect(is_partial).toBe(false);
    expect(decisions.map(({ asked }: { asked: { tags?: object } }) => asked.tags)).toEqual([
      undefined,
      { on: "b" },
      { on: "a" },
    ]);
    expect(decisions.map(({ explain }: { explain?: object }) => explain !== undefined)).toEqual([false, true, true]);
    const first = await read(node, "?limit=2&outcome=MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expect(first.decisions.map(({ asked }: { asked: { tags: object } }) => asked.tags)).toEqual([
      { on: "b" },
      { on: "a" },
    ]);
    const onePage = await read(node, "?limit=1");
    const next = await read(node === a ? b : a, `?limit=1&cursor=${onePage.cursor}`);
    expect(next.decisions[0].asked.tags).toEqual({ on: "b" });
  }
});
