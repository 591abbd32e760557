import { createHmac } from "node:crypto";
import type { RedisConnection } from "../redis/interface.ts";
import type { Ground } from "./mode.ts";

/** Another installation uses this part of Redis. */
class RedisInUse extends Error {
  override readonly name = "RedisInUse";
}

/**
 * Without this check, nodes of another installation would assign their lobbies here, and tokens of one would be invalid
 * on the other. An installation is identified by its secret. The stored fingerprint reveals nothing about the secret.
 */
export async function claimPrefix(
  link: RedisConnection,
  prefix: string,
  { secret, previousSecret }: Pick<Ground, "secret" | "previousSecret">,
): Promise<void> {
  const key = `${prefix}:{nodes}:installation`;
  const own = fingerprint(secret);
  await link.call("SETNX", key, [own]);
  const found = await link.call("GET", key);
  if (found === own) return;
  if (previousSecret !== null && found === fingerprint(previousSecret))
    return void (await link.call("SET", key, [own]));
  throw new RedisInUse(
    `Nodes with another FOYER_SECRET use the prefix ${prefix} of this Redis. If this node belongs to them, give it their secret; ` +
      "if the secret was changed, give it the old one as FOYER_PREVIOUS_SECRET; else give it another FOYER_REDIS_PREFIX.",
  );
}

function fingerprint(secret: Buffer): string {
  return createHmac("sha256", secret).update("installation").digest("hex");
}
