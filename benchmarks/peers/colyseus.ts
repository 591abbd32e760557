import { type RedisServer, startRedis } from "../../tests/support/services/redis.ts";
import { type HttpAnswer, type HttpRequest, requestText } from "./client.ts";
import { startForeign } from "./foreign-server.ts";
import type { Peer, RunningPeer, Setup } from "./peer.ts";
import { residentMiB } from "./resident.ts";

interface Variant {
  readonly version: "0.16" | "0.18";
  /** `default` is its own order: of an equal rank, the room that was made first. */
  readonly order: "fullest" | "default";
  readonly isOnRedis: boolean;
}

const variants: readonly (readonly [string, string, Variant])[] = [
  ["", ", fullest first", { version: "0.16", order: "fullest", isOnRedis: false }],
  ["-default-order", ", its default order", { version: "0.16", order: "default", isOnRedis: false }],
  ["-redis", " on Redis, fullest first", { version: "0.16", order: "fullest", isOnRedis: true }],
  ["", ", fullest first", { version: "0.18", order: "fullest", isOnRedis: false }],
  ["-default-order", ", its default order", { version: "0.18", order: "default", isOnRedis: false }],
  ["-redis", " on Redis, fullest first", { version: "0.18", order: "fullest", isOnRedis: true }],
];

export const colyseusPeers: readonly Peer[] = variants.map(([suffix, words, variant]) => ({
  name: `colyseus-${variant.version}${suffix}`,
  title: `Colyseus ${variant.version}${words}`,
  kind: "other",
  isOnRedis: variant.isOnRedis,
  counts: ["burst", "vanished", "locked"],
  start: (setup) => start(variant, setup),
}));

const request: HttpRequest = {
  method: "POST",
  path: "/matchmake/joinOrCreate/duel",
  headers: { "content-type": "application/json" },
  body: "{}",
};

/** Redis keeps nothing on disk for it: Colyseus promises nothing of the kind, and it is the faster way. */
async function start({ version, order, isOnRedis }: Variant, setup: Setup): Promise<RunningPeer> {
  const redis: RedisServer | null = isOnRedis ? await startRedis() : null;
  try {
    const options = { ...setup, order, redisPort: redis?.port ?? null };
    const { server, rooms, lock } = await startForeign(`colyseus-${version}`, options);
    const text = requestText(server.url, request);
    return {
      url: server.url,
      requestOf: () => request,
      seatOf,
      seat: async (connection) => seatOf(await connection.ask(text)),
      afterTurn: () => Promise.resolve(),
      rooms,
      lock,
      residentMiB: async () => ({
        server: residentMiB(server.pid),
        redis: redis && Number(await redis.info("used_memory_rss")) / 2 ** 20,
      }),
      async stop() {
        await server.stop();
        await redis?.stop();
      },
    };
  } catch (error) {
    await redis?.stop();
    throw error;
  }
}

/** 0.16 answers refusals with 200 and an error in the body. */
function seatOf({ status, body }: HttpAnswer): string | null {
  return status === 200 ? (/"roomId":"([^"]+)"/.exec(body)?.[1] ?? null) : null;
}
