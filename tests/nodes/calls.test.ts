import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { RedisLink } from "../../src/engine/redis/link.ts";
import { createNodeCalls } from "../../src/nodes/calls.ts";
import { openLink } from "./link.ts";

function open(link: RedisLink, prefix: string, nodeId: string, knows: string | null) {
  return createNodeCalls({
    link,
    prefix,
    nodeId,
    newId: randomUUID,
    othersAlive: () => 2,
    answer: async (question, args) => (knows !== null && question === "name" ? `${knows} ${String(args[0])}` : null),
    onFault(fault) {
      throw fault;
    },
  });
}

test("[ND6] the node that knows answers, whoever asks; what nobody knows is null", async () => {
  const { link, prefix } = await openLink();
  const other = await openLink();
  const a = await open(link, prefix, "a", null);
  const b = await open(other.link, prefix, "b", "it is b,");
  const third = await openLink();
  const c = await open(third.link, prefix, "c", null);
  expect(await a.ask("name", ["asked a"])).toBe("it is b, asked a");
  expect(await c.ask("name", ["asked c"])).toBe("it is b, asked c");
  expect(await b.ask("name", [])).toBeNull();
  expect(await a.ask("something else", [])).toBeNull();
});
