import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openServer, type RedisServer, type RedisSetup, startRedis, until } from "./redis.ts";

export interface SentinelGroup {
  readonly url: string;
  readonly servers: readonly RedisServer[];
  readonly sentinels: readonly RedisServer[];
  /** The primary by the word of the Sentinels. */
  primary(): Promise<RedisServer>;
  stop(): Promise<void>;
}

export interface SentinelSetup extends RedisSetup {
  readonly replicas?: number;
}

const name = "foyer";

/** One primary, its replicas, and three Sentinels that agree by two. */
export async function startSentinel(setup: SentinelSetup = {}): Promise<SentinelGroup> {
  const { replicas = 1, more = [], ...rest } = setup;
  const quick = [...more, "--repl-diskless-sync-delay", "0"];
  const primary = await startRedis({ ...rest, more: quick });
  const follow = ["--replicaof", `127.0.0.1 ${primary.port}`];
  const followers = await Promise.all(
    Array.from({ length: replicas }, () => startRedis({ ...rest, more: [...quick, ...follow] })),
  );
  const servers = [primary, ...followers];
  const isFollowing = async (server: RedisServer) => (await server.info("master_link_status")) === "up";
  await until("the replicas follow", async () => (await Promise.all(followers.map(isFollowing))).every(Boolean));
  const sentinels = await Promise.all(
    Array.from({ length: 3 }, () => startOneSentinel(primary.port, setup.password, servers.length - 1)),
  );
  await until("the Sentinels know one another and the replicas", async () => {
    const views = await Promise.all(sentinels.map((sentinel) => sentinel.ask("SENTINEL", "MASTER", name)));
    return views.every((view) => {
      const fields = fieldsOf(view);
      return fields.get("num-other-sentinels") === "2" && fields.get("num-slaves") === String(replicas);
    });
  });
  return {
    url: urlOf(sentinels, setup.password),
    servers,
    sentinels,
    async primary() {
      // Cast: the reply is host and port by the protocol.
      const [, port] = (await sentinels[0]!.ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", name)) as [string, string];
      return servers.find((server) => server.port === Number(port))!;
    },
    async stop() {
      await Promise.all([...sentinels, ...servers].map((server) => server.stop()));
    },
  };
}

function urlOf(sentinels: readonly RedisServer[], password: string | undefined): string {
  const addresses = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(",");
  const secret = password === undefined ? "" : `:${encodeURIComponent(password)}@`;
  return `redis+sentinel://${secret}${addresses}/${name}`;
}

async function startOneSentinel(primaryPort: number, password: string | undefined, replicas: number) {
  // A Sentinel takes its settings from a file that it can write to, and the file has to come first.
  const settings: string[] = [];
  const sentinel = await openServer("redis-sentinel", settings);
  const lines = [
    `port ${sentinel.port}`,
    "bind 127.0.0.1",
    `dir ${sentinel.directory}`,
    `sentinel monitor ${name} 127.0.0.1 ${primaryPort} 2`,
    ...(password === undefined ? [] : [`sentinel auth-pass ${name} ${password}`]),
    `sentinel down-after-milliseconds ${name} 1000`,
    `sentinel failover-timeout ${name} 5000`,
    `sentinel parallel-syncs ${name} ${Math.max(1, replicas)}`,
  ];
  const file = join(sentinel.directory, "sentinel.conf");
  await writeFile(file, `${lines.join("\n")}\n`);
  settings.push(file);
  await sentinel.start();
  return sentinel;
}

function fieldsOf(reply: unknown): Map<string, string> {
  // Cast: a flat list of names and values by the protocol.
  const list = reply as string[];
  return new Map(list.flatMap((field, index) => (index % 2 === 0 ? [[field, list[index + 1]!] as const] : [])));
}
