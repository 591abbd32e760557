import { quantile } from "./load.ts";
import { untilQuiet } from "./redis-meter.ts";
import { makeRedisWorld, type RedisNamespace, type RedisWorld } from "./redis-world.ts";
import { bearer, send } from "./requests.ts";
import type { ServerProcess } from "./server-process.ts";
import { markdownTable } from "./table.ts";

export const question =
  "With 100,000 lobbies in one namespace on Redis: what do a node's start and that namespace's deletion cost another one?";

const lobbyCounts = [100, 100_000];
const clients = 4;
const calmMs = 5_000;
/** A single start takes too short a time for a p99. */
const starts = 5;
const findPath = "/matchmaker/lobbies/find";

interface Measured {
  readonly seconds: number;
  readonly latenciesMs: readonly number[];
}

interface Line extends Measured {
  readonly during: string;
}

/** Finds in the small namespace go on without pause; each line is what they took while something else was done. */
export async function run(): Promise<string> {
  const world = await makeRedisWorld(lobbyCounts);
  try {
    const [small, large] = world.namespaces as [RedisNamespace, RedisNamespace];
    const first = await world.startNode(world.redis, "first");
    await untilQuiet(world.redis);
    const lines: Line[] = [];
    const during = async (name: string, task: () => Promise<unknown>) =>
      lines.push({ during: name, ...(await findingWhile(first, small, task)) });
    const calm = () => new Promise((resolve) => setTimeout(resolve, calmMs));
    await during("(warming up)", calm);
    lines.pop();
    lines.push(...(await measureStarts(world, first, small)));
    await world.startNode(world.redis, "second");
    await during("both nodes are there", calm);
    await during("the large namespace is deleted", () => deleteNamespace(world, first, large));
    await during("nothing else, afterwards", calm);
    return tableOf(lines);
  } finally {
    await world.stop();
  }
}

/** In turns calm and a start, each with all of its finds in one line; seconds are the median. */
async function measureStarts(world: RedisWorld, first: ServerProcess, small: RedisNamespace): Promise<Line[]> {
  const calm: Measured[] = [];
  const starting: Measured[] = [];
  for (let i = 0; i < starts; i++) {
    calm.push(await findingWhile(first, small, () => new Promise((resolve) => setTimeout(resolve, calmMs / 2))));
    let second: ServerProcess | undefined;
    const start = async () => {
      second = await world.startNode(world.redis, `start-${i}`);
    };
    starting.push(await findingWhile(first, small, start));
    await second?.stop();
  }
  const join = (during: string, measured: readonly Measured[]): Line => ({
    during,
    seconds: quantile(
      measured.map(({ seconds }) => seconds).sort((a, b) => a - b),
      0.5,
    ),
    latenciesMs: measured.flatMap(({ latenciesMs }) => latenciesMs),
  });
  return [join("nothing else", calm), join(`a second node starts (${starts} times, median)`, starting)];
}

/** As many clients as there are find one after the other until the task is done. */
async function findingWhile(
  node: ServerProcess,
  { publicToken }: RedisNamespace,
  task: () => Promise<unknown>,
): Promise<Measured> {
  const latenciesMs: number[] = [];
  let isOver = false;
  const find = async () => {
    while (!isOver) {
      const sentAt = performance.now();
      await send("POST", `${node.url}${findPath}`, bearer(publicToken), { game_modes: ["duel"] });
      latenciesMs.push(performance.now() - sentAt);
    }
  };
  const finding = Promise.all(Array.from({ length: clients }, find));
  const startedAt = performance.now();
  await task();
  const seconds = (performance.now() - startedAt) / 1000;
  isOver = true;
  await finding;
  return { seconds, latenciesMs };
}

async function deleteNamespace(world: RedisWorld, node: ServerProcess, { lobbies }: RedisNamespace): Promise<void> {
  const path = `/cloud/games/bench/namespaces/lobbies-${lobbies}?force=true`;
  const response = await fetch(`${node.url}${path}`, { method: "DELETE", headers: bearer(world.adminToken) });
  if (!response.ok) throw new Error(`The deletion was answered ${response.status}: ${await response.text()}`);
}

function tableOf(lines: readonly Line[]): string {
  const rows = lines.map(({ during, seconds, latenciesMs }) => {
    const sorted = latenciesMs.toSorted((a, b) => a - b);
    const shown = [0.5, 0.99, 1].map((share) => quantile(sorted, share).toFixed(2));
    return [during, seconds.toFixed(1), String(sorted.length), ...shown];
  });
  const caption = `finds of another namespace by ${clients} clients, meanwhile:`;
  return `${caption}\n\n${markdownTable(["meanwhile", "seconds", "finds", "p50 ms", "p99 ms", "longest ms"], rows)}`;
}
