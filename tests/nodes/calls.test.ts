import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createNodeCalls } from "../../src/nodes/calls.ts";
import { openLink } from "../support/redis-link.ts";

/** Three nodes, of which b knows something; what each of them was asked, and what it could not read. */
async function openNodes() {
  const { prefix, link } = await openLink();
  const asked: string[] = [];
  const unreadable: string[] = [];
  const silent: string[] = [];
  const open = async (nodeId: string, knows: string | null) =>
    createNodeCalls({
      link: (await openLink()).link,
      prefix,
      nodeId,
      newId: randomUUID,
      othersAlive: () => ["a", "b", "c"].filter((other) => other !== nodeId),
      async answer(question, args) {
        asked.push(`${nodeId}: ${question}`);
        if (question === "silence" && nodeId === "c") return new Promise(() => {});
        return knows !== null && question === "name" ? `${knows} ${String(args[0])}` : null;
      },
      onError(fault) {
        throw fault;
      },
      onSilent: (node) => void silent.push(node),
      onUnreadable: (channel) => void unreadable.push(channel),
    });
  const [a, b, c] = [await open("a", null), await open("b", "it is b,"), await open("c", null)];
  return { prefix, link, asked, unreadable, silent, a, b, c };
}

test("[ND6] the node that knows answers, whichever node asks; what no node knows is null", async () => {
  const { a, b, c } = await openNodes();
  expect(await a.ask("name", ["asked a"])).toBe("it is b, asked a");
  expect(await c.ask("name", ["asked c"])).toBe("it is b, asked c");
  expect(await b.ask("name", [])).toBeNull();
  expect(await a.ask("something else", [])).toBeNull();
});

test("[RT20] one node is asked without the others, and one that is not up is not asked", async () => {
  const { a, c, asked } = await openNodes();
  expect(await a.askOne("b", "name", ["asked a"])).toBe("it is b, asked a");
  expect(await c.askOne("a", "name", [])).toBeNull();
  expect(await c.askOne("gone", "name", [])).toBeNull();
  expect(asked).toEqual(["b: name", "a: name"]);
});

test("[RT21] a message that a node cannot read is skipped and logged, and calls are answered as before", async () => {
  const { prefix, link, asked, unreadable, a } = await openNodes();
  const channels = [`${prefix}:questions`, `${prefix}:questions:a`, `${prefix}:answers:a`];
  for (const channel of channels) {
    for (const text of ["", "{", "null", "7", '"text"', "[]", '{"id":7}', '{"id":"x"}']) {
      await link.call("PUBLISH", channel, [text]);
    }
  }
  expect(await a.askOne("b", "name", ["asked a"])).toBe("it is b, asked a");
  // Every node received what was sent to all of them.
  expect(unreadable.filter((channel) => channel === channels[2])).toHaveLength(8);
  expect(unreadable.filter((channel) => channel === channels[1])).toHaveLength(8);
  expect(new Set(unreadable)).toEqual(new Set(channels));
  expect(asked).toEqual(["b: name"]);
});

test("[AC5] all nodes are asked, and the answer says when one of them was silent", async () => {
  const { a, b, asked, silent } = await openNodes();
  expect(await a.askAll("name", ["asked a"])).toEqual({
    answers: expect.arrayContaining(["it is b, asked a", null]),
    isPartial: false,
  });
  expect(asked.sort()).toEqual(["b: name", "c: name"]);
  expect(silent).toEqual([]);
  expect(await b.askAll("silence", [])).toEqual({ answers: [null], isPartial: true });
  expect(silent).toEqual(["c"]);
});

test("[FA6] a question that could not be sent names no node", async () => {
  const { link } = await openLink();
  const silent: string[] = [];
  const calls = await createNodeCalls({
    ...{ prefix: randomUUID(), nodeId: "a", newId: randomUUID, othersAlive: () => ["b"], answer: async () => null },
    link: {
      ...link,
      call: (command, ...rest) => link.call(command === "PUBLISH" ? "NO-SUCH-COMMAND" : command, ...rest),
    },
    onError: () => {},
    onUnreadable: () => {},
    onSilent: (node) => void silent.push(node),
  });
  expect(await calls.askAll("name", [])).toEqual({ answers: [], isPartial: true });
  await expect(calls.askOne("b", "name", [])).rejects.toThrow();
  // A question that was sent later has run out of time, so the earlier ones would have too.
  const { a } = await openNodes();
  await expect(a.askOne("c", "silence", [])).rejects.toThrow("did not answer");
  expect(silent).toEqual([]);
});

test("[FA6] a node that does not answer is named, after a bounded time", async () => {
  const { a, silent } = await openNodes();
  await expect(a.askOne("c", "silence", [])).rejects.toThrow('Node "c" did not answer within 2 s.');
  expect(silent).toEqual(["c"]);
  expect([a.isUp("a"), a.isUp("c"), a.isUp("gone")]).toEqual([true, true, false]);
});
