import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createRedisEngine } from "../../src/engine/redis/redis.ts";
import { openLink } from "../support/redis-link.ts";

const limits = { lobbyCountMax: 10, maxPlayers: 10, maxPlayersPerClient: null };

test("[ND12] a node whose clock is ahead ends nothing: neither its commands nor its questions are taken", async () => {
  const { link, prefix } = await openLink();
  const namespaceId = randomUUID();
  const right = await createRedisEngine({ link, prefix, newOpId: randomUUID, wallClock: Date.now, isHearing: true });
  const other = await openLink();
  const ahead = await createRedisEngine({
    link: other.link,
    prefix,
    newOpId: randomUUID,
    wallClock: () => Date.now() + 1_000_000,
    isHearing: false,
  });
  const configure = {
    type: "configure",
    namespaceId,
    revision: 1,
    limits,
    deployedVersionId: "v",
    idleMinimums: [],
  } as const;
  await right.execute({ ...configure, now: Date.now() });
  const before = await right.read({ type: "counts", namespaceId, now: Date.now() });
  const wrong = Date.now() + 1_000_000;
  await expect(ahead.execute({ type: "expire", namespaceId, now: wrong })).rejects.toThrow(/clock is ahead of Redis/);
  await expect(ahead.read({ type: "counts", namespaceId, now: wrong })).rejects.toThrow(/clock is ahead of Redis/);
  expect(await right.read({ type: "counts", namespaceId, now: Date.now() })).toEqual(before);
  await right.close();
  await ahead.close();
});
