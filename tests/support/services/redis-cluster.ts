import { freePort, run } from "./programs.ts";
import { findProgram, openServer, type RedisServer, until } from "./redis.ts";

export interface RedisCluster {
  readonly url: string;
  readonly servers: readonly RedisServer[];
  /** The primary that has the slot of the key now, asked of the servers that live. */
  primaryOf(key: string): Promise<RedisServer>;
  primaries(): Promise<RedisServer[]>;
  /** Waits until all slots are served, all servers run, and every replica follows its primary. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

export interface ClusterSetup {
  readonly replicas?: number;
  readonly appendfsync?: "always" | "everysec" | null;
  /** After that time without a sign of life a primary counts as lost. */
  readonly nodeTimeoutMs?: number;
}

/** Three primaries, each with a replica, on loopback. */
export async function startCluster(setup: ClusterSetup = {}): Promise<RedisCluster> {
  const { replicas = 1, appendfsync = null, nodeTimeoutMs = 2000 } = setup;
  const disk = appendfsync === null ? ["--appendonly", "no"] : ["--appendonly", "yes", "--appendfsync", appendfsync];
  const servers = await Promise.all(
    Array.from({ length: 3 * (1 + replicas) }, async () => {
      const busPort = ["--cluster-enabled", "yes", "--cluster-port", String(await freePort())];
      const timing = ["--cluster-node-timeout", String(nodeTimeoutMs), "--repl-diskless-sync-delay", "0"];
      const server = await openServer("redis-server", [...disk, "--save", "", ...busPort, ...timing]);
      await server.start();
      return server;
    }),
  );
  const addresses = servers.map(({ port }) => `127.0.0.1:${port}`);
  const cli = findProgram("redis-cli");
  if (cli === null) throw new Error("The tests need redis-cli in PATH: `sudo apt-get install redis-tools`.");
  await run(cli, ["--cluster", "create", ...addresses, "--cluster-replicas", String(replicas), "--cluster-yes"]);

  const living = async (): Promise<RedisServer[]> => {
    const answers = await Promise.allSettled(servers.map((server) => withinASecond(server.ask("PING"))));
    return servers.filter((_, index) => answers[index]?.status === "fulfilled");
  };

  /** The primaries by the word of one living server: port and the slots it has. */
  async function layout(): Promise<{ port: number; from: number; to: number }[]> {
    const [witness] = await living();
    if (witness === undefined) throw new Error("No server of the cluster lives.");
    // Cast: the reply has this shape by the protocol.
    const slots = (await witness.ask("CLUSTER", "SLOTS")) as [number, number, [string, number]][];
    return slots.map(([from, to, [, port]]) => ({ from, to, port }));
  }

  const byPort = (wanted: number): RedisServer => servers.find(({ port }) => port === wanted)!;

  const cluster: RedisCluster = {
    url: `redis+cluster://${addresses.slice(0, 3).join(",")}`,
    servers,
    async primaryOf(key) {
      const [witness] = await living();
      const slot = Number(await witness!.ask("CLUSTER", "KEYSLOT", key));
      return byPort((await layout()).find(({ from, to }) => from <= slot && slot <= to)!.port);
    },
    async primaries() {
      return [...new Set((await layout()).map(({ port }) => byPort(port)))];
    },
    async settled() {
      await until("the cluster is settled", async () => {
        const states = await Promise.all(servers.map((server) => stateOf(server, servers.length)));
        return states.every(Boolean) && (await layout()).length >= 3;
      });
    },
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
  await cluster.settled();
  return cluster;
}

async function stateOf(server: RedisServer, count: number): Promise<boolean> {
  const text = String(await server.ask("CLUSTER", "INFO"));
  if (!text.includes("cluster_state:ok") || !text.includes(`cluster_known_nodes:${count}`)) return false;
  const replication = String(await server.ask("INFO", "replication"));
  if (replication.includes("role:slave")) return replication.includes("master_link_status:up");
  return count === 3 || /slave0:.*state=online/.test(replication);
}

async function withinASecond(answer: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("No answer within a second.")), 1000);
  });
  answer.catch(() => {});
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/**
 * Moves the slot of a key to another primary, as resharding does, and stops halfway: the key itself and half of the others
 * are moved, and a script has knocked and was turned away. Gives the new primary.
 */
export async function moveSlot(cluster: RedisCluster, key: string): Promise<RedisServer> {
  const from = await cluster.primaryOf(key);
  const others = (await cluster.primaries()).filter(({ port }) => port !== from.port);
  const to = others[0]!;
  const slot = Number(await from.ask("CLUSTER", "KEYSLOT", key));
  const [fromId, toId] = await Promise.all([from.ask("CLUSTER", "MYID"), to.ask("CLUSTER", "MYID")]);
  await to.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", String(fromId));
  await from.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", String(toId));
  await moveKeys(from, to, [key]);
  await moveShare(from, to, slot, 0.5);
  const refusals = await refusalsOf(to, "TRYAGAIN");
  await until("a script has knocked at the half moved slot", async () => (await refusalsOf(to, "TRYAGAIN")) > refusals);
  while ((await moveShare(from, to, slot, 1)) > 0);
  for (const server of [to, from, ...others.slice(1)])
    await server.ask("CLUSTER", "SETSLOT", slot, "NODE", String(toId));
  return to;
}

async function moveKeys(from: RedisServer, to: RedisServer, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await from.ask("MIGRATE", "127.0.0.1", to.port, "", 0, 5000, "KEYS", ...keys);
}

/** Moves a share of the keys that the slot has, and tells how many it had. */
async function moveShare(from: RedisServer, to: RedisServer, slot: number, share: number): Promise<number> {
  // Cast: a list of keys by the protocol.
  const keys = (await from.ask("CLUSTER", "GETKEYSINSLOT", slot, 100_000)) as string[];
  await moveKeys(from, to, keys.slice(0, Math.ceil(keys.length * share)));
  return keys.length;
}

/** How often the server has refused with that word. */
async function refusalsOf(server: RedisServer, word: string): Promise<number> {
  return Number(/count=(\d+)/.exec((await server.info(`errorstat_${word}`)) ?? "")?.[1] ?? 0);
}
