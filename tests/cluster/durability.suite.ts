import { readdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, expect, test } from "vitest";
import { createLedger, type Ledger } from "../crash/acknowledged.ts";
import { playUntilKilled } from "../crash/load.ts";
import { verify } from "../crash/verify.ts";
import { createNamespace, ensureServerBuilt, type Namespace } from "../support/server.ts";
import { openServer, type RedisServer, until } from "../support/services/redis.ts";
import { freshDatabase } from "../support/services/stores.ts";
import { auditNamespace } from "./audit.ts";
import { type Installation, request, startInstallation } from "./nodes.ts";

const opened: (() => Promise<void>)[] = [];

interface World {
  readonly redis: RedisServer & { readonly directory: string };
  readonly installation: Installation;
  readonly namespace: Namespace;
  readonly namespaceId: string;
  readonly ledger: Ledger;
}

async function world(appendfsync: string): Promise<World> {
  const redis = await openServer("redis-server", ["--save", "", "--appendonly", "yes", "--appendfsync", appendfsync]);
  opened.push(() => redis.stop());
  await redis.start();
  const { databaseUrl } = await freshDatabase("postgresql");
  const installation = await startInstallation({ redisUrl: redis.url, databaseUrl: databaseUrl! });
  opened.push(() => installation.stop());
  const gameMode = { max_players: 4, timeouts: { reservation_s: 3600, ready_s: 3600, reconnect_s: 3600 } };
  const limits = { lobby_count_max: 100_000, max_players: 100, max_players_per_client: null };
  const namespace = await createNamespace(installation.nodes[0]!.server(), "durable", gameMode, limits);
  const namespaceId = namespace.path.split("/").at(-1)!;
  return { redis, installation, namespace, namespaceId, ledger: createLedger() };
}

/** Plays on all nodes while `hurt` happens, then kills the nodes under load and starts them again. */
async function playThrough({ installation, namespace, ledger }: World, hurt: () => Promise<void>): Promise<void> {
  const { nodes } = installation;
  const plays = Array.from({ length: 12 }, (_, actor) =>
    playUntilKilled(nodes[actor % nodes.length]!.server(), namespace, ledger, actor, 1),
  );
  const all = Promise.all(plays);
  // A play that fails is reported at the end; until then nothing handles its failure.
  all.catch(() => undefined);
  await hurt();
  for (const node of nodes) await node.kill();
  await all;
  for (const node of nodes) await node.start();
}

const more = async ({ ledger }: World, acknowledgements: number) => {
  const target = ledger.acknowledgements + acknowledgements;
  await until(`${acknowledgements} more are acknowledged`, () => ledger.acknowledgements >= target, 60_000);
};

const patient = { timeout: 240_000 };

/** A test file calls it once. */
export function closeAfterEach(): void {
  beforeAll(ensureServerBuilt, 120_000);
  afterEach(async () => {
    for (const close of opened.splice(0).reverse()) await close();
  });
}

export function everyWriteSynced(kills: number): void {
  test(
    "[RF16] [I10] [I13] [I18] [I22] every write synced: Redis and both nodes are killed under load, and nothing acknowledged is lost",
    patient,
    async () => {
      const here = await world("always");
      await playThrough(here, async () => {
        for (let kill = 0; kill < kills; kill++) {
          await more(here, 300);
          await here.redis.restart();
        }
        await more(here, 300);
      });
      const violations = await verify(here.installation.nodes[1]!.server(), here.namespace, here.ledger);
      console.log(`appendfsync always: ${here.ledger.acknowledgements} acknowledgements, ${violations.length} lost`);
      expect(violations).toEqual([]);
      expect(await auditNamespace(here.redis.url, here.namespaceId)).toEqual([]);
    },
  );
}

export function syncedEverySecond(): void {
  test(
    "[RF16] synced every second: the losses of a machine crash are counted, and what survives is consistent",
    patient,
    async () => {
      const here = await world("everysec");
      await playThrough(here, async () => {
        await more(here, 500);
        const file = appendOnlyFile(here.redis.directory);
        const synced = statSync(file).size;
        await more(here, 200);
        await here.redis.kill();
        // The end of the file, which had not been synced, is what a machine that crashes forgets.
        truncateSync(file, synced);
        await here.redis.start();
        await more(here, 200);
      });
      const violations = await verify(here.installation.nodes[0]!.server(), here.namespace, here.ledger);
      const isLoss = (violation: string) => /^\[I1[08]\]/.test(violation);
      const lost = violations.filter(isLoss).length;
      console.log(
        `appendfsync everysec: ${here.ledger.acknowledgements} acknowledgements, ${lost} lost with the end of the file`,
      );
      expect(violations.filter((violation) => !isLoss(violation))).toEqual([]);
      expect(lost).toBeGreaterThan(0);
      expect(await auditNamespace(here.redis.url, here.namespaceId)).toEqual([]);
    },
  );
}

export function unavailable(): void {
  test(
    "[I26] while Redis is unavailable every call gets 503 with Retry-After, and the nodes are not ready",
    patient,
    async () => {
      const { redis, installation, namespace } = await world("always");
      const [node] = installation.nodes;
      await redis.kill();
      const find = await request(node!, "POST", "/matchmaker/lobbies/find", namespace.publicToken, {
        game_modes: ["duel"],
      });
      expect([find.status, (await find.json()) as unknown]).toMatchObject([503, { code: "API_UNAVAILABLE" }]);
      expect(Number(find.headers.get("retry-after"))).toBeGreaterThan(0);
      expect((await fetch(`http://127.0.0.1:${node!.port}/readyz`)).status).toBe(503);
      expect((await fetch(`http://127.0.0.1:${node!.port}/healthz`)).status).toBe(200);
      await redis.start();
      await until(
        "the node is ready",
        async () => (await fetch(`http://127.0.0.1:${node!.port}/readyz`)).status === 200,
      );
    },
  );
}

function appendOnlyFile(directory: string): string {
  const folder = join(directory, "appendonlydir");
  return join(folder, readdirSync(folder).find((name) => name.endsWith(".incr.aof"))!);
}
