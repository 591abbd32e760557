import type { RedisServer } from "../tests/support/services/redis.ts";
import { interleave, quantile, type Round, type Target } from "./load.ts";
import { meterRedis, type RedisWork, untilQuiet } from "./redis-meter.ts";
import { loadRaw } from "./redis-raw.ts";
import { makeRedisWorld, type RedisNamespace, type RedisWorld } from "./redis-world.ts";
import { bearer, send } from "./requests.ts";
import { type ServerProcess, serveFoyer, startBare } from "./server-process.ts";
import { markdownTable } from "./table.ts";
import { makeWorld, type World } from "./world.ts";

export const question = "How much of find's speed is left when nodes share one Redis, and what does its script cost?";

const connections = 64;
const usualRounds = 3;
const roundS = 2;
/** Before each round, so that no server pays for having been left alone while the others had their turn. */
const warmUpS = 0.5;
/** redis-benchmark counts requests instead of time. */
const rawRequests = 8_000;
const lobbyCounts = [100, 100_000];
const findPath = "/matchmaker/lobbies/find";

/** One line of the table: a way to find, and how one round of it is measured. */
interface Way {
  readonly name: string;
  readonly lobbies: number | null;
  measure(): Promise<Measured>;
}

interface Measured extends Pick<Round, "requestsPerSecond" | "p50Ms" | "p99Ms"> {
  /** Null: no server of Node's was asked. */
  readonly nodeCpu: number | null;
  readonly redis: RedisWork | null;
}

/** Rounds of all ways in turn, A B C A B C, each way against the same load. */
export async function run({ isLong }: { isLong: boolean }): Promise<string> {
  const rounds = isLong ? usualRounds * 3 : usualRounds;
  const stops: (() => unknown)[] = [];
  try {
    const redisWorld = await makeRedisWorld(lobbyCounts);
    stops.unshift(redisWorld.stop);
    // The nodes settle while the other services start.
    const onRedis = await redisWays(redisWorld);
    const ways = [...(await embeddedWays(stops)), ...onRedis.ways];
    for (const redis of onRedis.servers) await untilQuiet(redis);
    const results = new Map(ways.map((way): [Way, Measured[]] => [way, []]));
    for (let round = 0; round < rounds; round++) {
      for (const way of ways) results.get(way)!.push(await way.measure());
    }
    const caption = `find, ${connections} connections, ${rounds} interleaved rounds of ${roundS} s, medians`;
    return `${caption}\n\n${tableOf(new Map([...results].map(([way, measured]) => [way, medianOf(measured)])))}`;
  } finally {
    for (const stop of stops) await stop();
  }
}

/** The bare server comes first: it repeats what the smaller service answers. */
async function embeddedWays(stops: (() => unknown)[]): Promise<Way[]> {
  const ways: Way[] = [];
  let bare: ServerProcess | null = null;
  for (const lobbies of lobbyCounts) {
    const world: World = await makeWorld({ lobbies, taggedLobbies: 0, playersPerLobby: 0 });
    stops.push(world.remove);
    const server = await serveFoyer(world.folder);
    stops.unshift(server.stop);
    if (bare === null) {
      const answer = await send("POST", `${server.url}${findPath}`, bearer(world.publicToken), findBody);
      bare = await startBare({ [findPath]: answer });
      stops.unshift(bare.stop);
      ways.push(httpWay("bare node:http", null, [bare], world.publicToken));
    }
    ways.push(httpWay("embedded engine", lobbies, [server], world.publicToken));
  }
  return ways;
}

/** Each set of nodes has its own Redis, because every node on a Redis receives the events of every find. */
async function redisWays(world: RedisWorld): Promise<{ ways: Way[]; servers: RedisServer[] }> {
  const forOne = await world.copyRedis();
  const one = [await world.startNode(forOne, "one")];
  const forTwo = await world.copyRedis();
  const two = [await world.startNode(forTwo, "two-1"), await world.startNode(forTwo, "two-2")];
  const [smallest] = world.namespaces;
  const everySecond = metered("one node on Redis, everysec", smallest!, forOne, one);
  const ways = [
    ...world.namespaces.map((namespace) => metered("one node on Redis", namespace, forOne, one)),
    {
      ...everySecond,
      async measure() {
        await forOne.ask("CONFIG", "SET", "appendfsync", "everysec");
        const measured = await everySecond.measure();
        await forOne.ask("CONFIG", "SET", "appendfsync", "always");
        return measured;
      },
    },
    ...world.namespaces.map((namespace) => metered("two nodes on Redis", namespace, forTwo, two)),
    ...world.namespaces.map((namespace) => rawWay(namespace, world.redis)),
  ];
  return { ways, servers: [forOne, forTwo] };
}

function metered(name: string, namespace: RedisNamespace, redis: RedisServer, nodes: readonly ServerProcess[]): Way {
  const way = httpWay(name, namespace.lobbies, nodes, namespace.publicToken);
  return {
    ...way,
    async measure() {
      const { result, work } = await meterRedis(redis, namespace.namespaceId, way.measure);
      return { ...result, redis: work };
    },
  };
}

function rawWay(namespace: RedisNamespace, redis: RedisServer): Way {
  return {
    name: "redis-benchmark, find's script",
    lobbies: namespace.lobbies,
    async measure() {
      const load = () => loadRaw(redis, namespace, connections, rawRequests);
      const { result, work } = await meterRedis(redis, namespace.namespaceId, load);
      return { ...result, nodeCpu: null, redis: work };
    },
  };
}

const findBody = { game_modes: ["duel"] };

/** Of several servers each gets its share of the connections. */
function httpWay(name: string, lobbies: number | null, servers: readonly ServerProcess[], publicToken: string): Way {
  const sent = [{ body: JSON.stringify(findBody), headers: bearer(publicToken) }];
  const targets = servers.map(
    (server): Target => ({
      name,
      server,
      method: "POST",
      path: findPath,
      connections: connections / servers.length,
      requestsOf: () => sent,
      accepts: (answer) => answer.includes('"token":"player_'),
    }),
  );
  return {
    name,
    lobbies,
    async measure() {
      const results = await Promise.all(targets.map((one) => interleave([one], { warmUpS, rounds: 1, roundS })));
      return together(results.flatMap((result) => [...result.values()]));
    },
  };
}

/** Of servers that were loaded at once. Their medians are close to one another; of the 99th the worse one counts. */
function together(rounds: readonly Round[]): Measured {
  const requestsPerSecond = rounds.reduce((sum, round) => sum + round.requestsPerSecond, 0);
  const mean = (read: (round: Round) => number) =>
    rounds.reduce((sum, round) => sum + read(round) * round.requestsPerSecond, 0) / requestsPerSecond;
  return {
    requestsPerSecond,
    p50Ms: mean((round) => round.p50Ms),
    p99Ms: Math.max(...rounds.map((round) => round.p99Ms)),
    nodeCpu: mean((round) => round.cpuMicrosecondsPerRequest),
    redis: null,
  };
}

function medianOf(measured: readonly Measured[]): Measured {
  const median = (read: (one: Measured) => number) =>
    quantile(
      measured.map(read).sort((a, b) => a - b),
      0.5,
    );
  const [first] = measured;
  return {
    requestsPerSecond: median((one) => one.requestsPerSecond),
    p50Ms: median((one) => one.p50Ms),
    p99Ms: median((one) => one.p99Ms),
    nodeCpu: first!.nodeCpu === null ? null : median((one) => one.nodeCpu ?? Number.NaN),
    redis: first!.redis && {
      cpuMicroseconds: median((one) => one.redis?.cpuMicroseconds ?? Number.NaN),
      scriptMicroseconds: median((one) => one.redis?.scriptMicroseconds ?? Number.NaN),
      findsPerRun: median((one) => one.redis?.findsPerRun ?? Number.NaN),
    },
  };
}

const header = ["find by", "lobbies", "requests/s", "to embedded", "to bare", "p50 ms", "p99 ms"];
const costs = ["node µs/find", "Redis µs/find", "script µs/find", "script to 100", "finds/run"];

/** Each line is compared with the bare server, with the embedded engine and with the smallest world of its own kind. */
function tableOf(results: ReadonlyMap<Way, Measured>): string {
  const all = [...results];
  const find = (name: string, lobbies: number | null) =>
    all.find(([way]) => way.name === name && way.lobbies === lobbies)?.[1];
  const ratio = (value: number | undefined, base: number | undefined) =>
    value === undefined || base === undefined ? "" : (value / base).toFixed(2);
  const cost = (value: number | null | undefined) => value?.toFixed(1) ?? "";

  const rows = all.map(([way, one]) => [
    way.name,
    way.lobbies?.toLocaleString("en") ?? "",
    String(Math.round(one.requestsPerSecond)),
    ratio(one.requestsPerSecond, find("embedded engine", way.lobbies)?.requestsPerSecond),
    ratio(one.requestsPerSecond, find("bare node:http", null)?.requestsPerSecond),
    one.p50Ms.toFixed(2),
    one.p99Ms.toFixed(2),
    cost(one.nodeCpu),
    cost(one.redis?.cpuMicroseconds),
    cost(one.redis?.scriptMicroseconds),
    ratio(one.redis?.scriptMicroseconds, find(way.name, lobbyCounts[0]!)?.redis?.scriptMicroseconds),
    cost(one.redis?.findsPerRun),
  ]);
  return markdownTable([...header, ...costs], rows);
}
