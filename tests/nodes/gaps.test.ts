import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { expect, inject, onTestFinished, test } from "vitest";
import type { RedisLink } from "../../src/redis/interface.ts";
import { listenTo } from "../support/event-streams.ts";
import { until } from "../support/harness.ts";
import { closeAfterEach, openEngine } from "../support/redis-engine.ts";
import { createWorld, lobbyVersion } from "../support/runtime-world.ts";
import { install } from "./installation.ts";

closeAfterEach();

const drownedBy = 600;
/** Publishes so many events at once that nothing of the earlier ones is left, and no node can read them in time. */
const drown = `#!lua
local entries = redis.call('XRANGE', KEYS[1], '-', '+')
local player
for _, entry in ipairs(entries) do
  if string.find(table.concat(entry[2], ' '), 'player.reserved', 1, true) then player = entry[2] end
end
for _ = 1, ${drownedBy} do redis.call('XADD', KEYS[1], '*', unpack(player)) end
redis.call('XTRIM', KEYS[1], 'MAXLEN', ${drownedBy})
return 'OK'
`;

/** An engine on the nodes' keys whose word that a lobby is ready is drowned. */
async function openUnheard(prefix: string) {
  const client = new Redis(inject("redisUrl"));
  onTestFinished(() => client.disconnect());
  const wrap = (link: RedisLink): RedisLink => ({
    ...link,
    async run(script, key, args) {
      if (script.name !== "set-ready") return link.run(script, key, args);
      const all = client.multi().eval(script.text, 1, key, ...args);
      const [answer] = (await all.eval(drown, 1, key.replace(/ns$/, "events")).exec())!;
      return answer![1];
    },
  });
  return (await openEngine(inject("redisUrl"), { prefix, wrap })).engine;
}

test("[RD10] [EV3] a node that missed events resets event streams and answers waiting calls from the current state", async () => {
  const redisPrefix = `test-${randomUUID()}`;
  const node = await (await install()).start("here", { redisPrefix });
  const world = await createWorld(node, lobbyVersion({}, { BEHAVIOUR: "never-ready" }));
  const { namespaceId, path } = world.namespace;
  const listener = await listenTo(node, `${path}/events`, { token: node.adminToken });
  const found = world.find();
  await until(async () => (await world.lobbies())[0]?.ports !== null && (await world.lobbies()).length === 1);
  const [{ lobby_id: lobbyId }] = await world.lobbies();
  await until(() => listener.events().some(({ event }) => event === "lobby.changed"));

  const unheard = await openUnheard(redisPrefix);
  await unheard.execute({ type: "setReady", namespaceId, lobbyId, now: Date.now() });

  expect((await found).json.lobby.lobby_id).toBe(lobbyId);
  const names = () => listener.events().map(({ event }) => event);
  const afterReset = () => (names().includes("reset") ? names().slice(names().indexOf("reset") + 1) : []);
  await until(() => afterReset().length >= drownedBy);
  expect(names().filter((event) => event === "reset")).toHaveLength(1);
  expect(names()).not.toContain("lobby.ready");
  // What the node itself reports of the lobby may come last.
  expect(new Set(afterReset().slice(0, drownedBy))).toEqual(new Set(["player.reserved"]));
  listener.leave();
});
