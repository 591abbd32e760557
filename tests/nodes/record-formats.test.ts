import { expect, onTestFinished, test } from "vitest";
import { refuseOtherFormats } from "../../src/nodes/record-formats.ts";
import type { RedisLink } from "../../src/redis/interface.ts";
import { openLink } from "../support/redis-link.ts";

/** What Foyer 0.1.0 writes, and what one of another format writes. */
const older = { regions: null, room: 3, instanceId: "i" };
const another = (recordFormat: number) => ({ ...older, recordFormat });

async function putOnList(link: RedisLink, prefix: string, nodeId: string, status: object): Promise<void> {
  await link.call("HSET", `${prefix}:{nodes}:list`, [nodeId, `${Date.now()} ${JSON.stringify(status)}`]);
}

/** A node that reports every 200 ms that it is up. */
async function keepOnList(link: RedisLink, prefix: string, nodeId: string, status: object): Promise<() => void> {
  await putOnList(link, prefix, nodeId, status);
  const timer = setInterval(() => void putOnList(link, prefix, nodeId, status).catch(() => {}), 200);
  const stop = () => clearInterval(timer);
  onTestFinished(stop);
  return stop;
}

test("[SC2] a node refuses to start while nodes of 0.1.0 run, names them and says what to do", async () => {
  const { link, prefix } = await openLink();
  await keepOnList(link, prefix, "one", older);
  await keepOnList(link, prefix, "two", older);
  await expect(refuseOtherFormats(link, prefix, 3)).rejects.toThrow(
    /An older version of Foyer runs .*\(nodes one, two\).*Stop all nodes of the older version first, then start this one\./,
  );
});

test("[SC2] nodes of this format, nodes that left and killed nodes of an older format do not keep a node from starting", async () => {
  const { link, prefix } = await openLink();
  await keepOnList(link, prefix, "same", another(3));
  await putOnList(link, prefix, "left", { ...older, hasLeft: true });
  await putOnList(link, prefix, "killed", older);
  await refuseOtherFormats(link, prefix, 3);
});

test("[SC2] a node refuses to start while a node of a newer format runs", async () => {
  const { link, prefix } = await openLink();
  await keepOnList(link, prefix, "new", another(4));
  await expect(refuseOtherFormats(link, prefix, 3)).rejects.toThrow(
    /A newer version of Foyer runs .*\(node new\).*Start this node with the newer version too\./,
  );
});
