import { expect, test } from "vitest";
import { type CodeBudget, type CodeHeld, createCodeBudget } from "./code-budget.ts";

const alice = { id: "192.0.2.1", network: null };
const bob = { id: "192.0.2.2", network: null };
const clientAt = (at: number) => ({ id: `198.51.100.${at}`, network: null });

function createWorld(limits: { perClient?: number; perNamespace?: number; nodes?: number } = {}) {
  const { perClient = 3, perNamespace = 10, nodes = 1 } = limits;
  const world = { now: 0, nodes };
  const budget = createCodeBudget({
    perClient,
    perNamespace,
    nodes: () => world.nodes,
    monotonic: () => world.now,
  });
  return { world, budget };
}

function isHeld(held: Awaited<ReturnType<CodeBudget["hold"]>>): held is CodeHeld {
  return "settle" in held;
}

/** Sends a code: "ok", or in how many seconds to try again. */
async function send(budget: CodeBudget, client: { id: string; network: string | null }, isWrong: boolean, where = "a") {
  const held = await budget.hold(where, client);
  if (!isHeld(held)) return held.retryAfterS;
  held.settle(isWrong);
  return "ok";
}

test("[CO10] a client has so many wrong codes in any minute, whatever the namespace, and right ones cost nothing", async () => {
  const { budget, world } = createWorld();
  for (let sent = 0; sent < 20; sent++) expect(await send(budget, alice, false)).toBe("ok");
  expect(await send(budget, alice, true)).toBe("ok");
  world.now = 20_000;
  expect(await send(budget, alice, true)).toBe("ok");
  expect(await send(budget, alice, true, "b")).toBe("ok");
  expect(await send(budget, alice, false)).toBe(40);
  expect(await send(budget, alice, false, "b")).toBe(40);
  expect(await send(budget, bob, true)).toBe("ok");
  world.now = 60_000;
  expect(await send(budget, alice, true)).toBe("ok");
  expect(await send(budget, alice, true)).toBe(20);
});

test("[CO10] codes under way count: the next one waits until it is known whether they were right", async () => {
  const { budget } = createWorld();
  const underWay = await Promise.all([1, 2, 3].map(() => budget.hold("a", alice)));
  const held = underWay.filter(isHeld);
  const answers: unknown[] = [];
  const waiting = [1, 2].map(() => send(budget, alice, false).then((answer) => answers.push(answer)));
  await Promise.resolve();
  expect(answers).toEqual([]);
  expect(await send(budget, bob, false)).toBe("ok");
  held[0]!.settle(false);
  await Promise.all(waiting);
  expect(answers).toEqual(["ok", "ok"]);
  const late = [1, 2].map(() => budget.hold("a", alice));
  held[1]!.settle(true);
  held[2]!.settle(true);
  const first = await late[0]!;
  expect(isHeld(first)).toBe(true);
  if (isHeld(first)) first.settle(true);
  expect(isHeld(await late[1]!)).toBe(false);
});

test("[CO10] codes under way in another namespace count too", async () => {
  const { budget } = createWorld();
  const underWay = await Promise.all([1, 2, 3].map(() => budget.hold("a", alice)));
  let answer: unknown = null;
  const waiting = send(budget, alice, false, "b").then((result) => {
    answer = result;
  });
  await Promise.resolve();
  expect(answer).toBe(null);
  for (const held of underWay.filter(isHeld)) held.settle(true);
  await waiting;
  expect(answer).toBe(60);
});

test("[CO10] the clients of one network share four times the budget of one", async () => {
  const { budget } = createWorld({ perClient: 2, perNamespace: 0 });
  const inNetwork = (at: number) => ({ id: `2001:db8:0:${at}::/64`, network: "2001:db8::/48" });
  for (let at = 0; at < 8; at++) expect(await send(budget, inNetwork(at), true)).toBe("ok");
  expect(await send(budget, inNetwork(9), false)).toBe(60);
  expect(await send(budget, { id: "2001:db8:1:1::/64", network: "2001:db8:1::/48" }, false)).toBe("ok");
});

test("[CO11] while a namespace's wrong codes are spent each client has one, so no guesser keeps a right code out", async () => {
  const { budget, world } = createWorld();
  for (let at = 0; at < 10; at++) expect(await send(budget, clientAt(at), true)).toBe("ok");
  expect(await send(budget, clientAt(0), false)).toBe(60);
  expect(await send(budget, clientAt(0), false, "b")).toBe("ok");
  for (let sent = 0; sent < 5; sent++) expect(await send(budget, alice, false)).toBe("ok");
  expect(await send(budget, alice, true)).toBe("ok");
  expect(await send(budget, alice, false)).toBe(60);
  world.now = 60_000;
  for (let sent = 0; sent < 3; sent++) expect(await send(budget, bob, true)).toBe("ok");
});

test("[CO11] a thousand addresses at once get one guess each once the namespace's are spent", async () => {
  const { budget } = createWorld({ perNamespace: 120, perClient: 10 });
  const clients = Array.from({ length: 1000 }, (_, at) => ({ id: `client-${at}`, network: null }));
  const answers = await Promise.all(clients.flatMap((client) => [1, 2, 3].map(() => send(budget, client, true))));
  expect(answers.filter((answer) => answer === "ok").length).toBeLessThanOrEqual(1000 + 120);
  expect(await send(budget, { id: "friend", network: null }, false)).toBe("ok");
});

test("[CO11] the nodes that are up share what a namespace has", async () => {
  const { budget, world } = createWorld({ nodes: 5 });
  for (let sent = 0; sent < 2; sent++) expect(await send(budget, alice, true)).toBe("ok");
  expect(await send(budget, alice, false)).toBe(60);
  world.nodes = 2;
  expect(await send(budget, alice, false)).toBe("ok");
  world.nodes = 100;
  expect(await send(budget, bob, true)).toBe("ok");
  expect(await send(budget, bob, false)).toBe(60);
});

test("[CO11] codes under way in the namespace count, but a client whose own are left waits and is not refused", async () => {
  const { budget } = createWorld({ perNamespace: 2 });
  expect(await send(budget, alice, true)).toBe("ok");
  const underWay = await budget.hold("a", bob);
  let answer: unknown = null;
  const waiting = send(budget, alice, false).then((result) => {
    answer = result;
  });
  await Promise.resolve();
  expect(answer).toBe(null);
  if (isHeld(underWay)) underWay.settle(false);
  await waiting;
  expect(answer).toBe("ok");
});

test("[CO10] with 0 there is no limit", async () => {
  const { budget } = createWorld({ perClient: 0 });
  for (let sent = 0; sent < 50; sent++) expect(await send(budget, alice, true)).toBe("ok");
});
