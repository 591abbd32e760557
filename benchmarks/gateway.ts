import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { openWays, type Way, type Ways } from "./gateway-world.ts";
import { median } from "./load.ts";
import { markdownTable } from "./table.ts";
import { type Client, countAnswering, countRoundTrips, openClients, timeRoundTrips } from "./web-sockets.ts";

export const question =
  "What does the gateway add to a WebSocket's round trip, and how does it compare with nginx in front of the same lobby?";

const sockets = 16;
const perSecond = 1000;
const pacedSeconds = 2;
const fullSeconds = 1.5;
const held = 5000;
/** Memory is counted from here on, when the process has what it needs for any number. */
const heldBefore = 1000;

interface Round {
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** By how many messages each socket has on the way. */
  readonly throughput: Readonly<Record<number, Throughput>>;
}

interface Throughput {
  readonly perSecond: number;
  readonly cpuMicroseconds: number | null;
}

export async function run(options: { isLong: boolean }): Promise<string> {
  const rounds = options.isLong ? 9 : 3;
  const load = () => loadavg()[0]!.toFixed(1);
  const loadBefore = load();
  const ways = await openWays();
  try {
    const memory = markdownTable(
      ["5,000 idle connections", "answered afterwards", "resident MiB", "KiB a connection"],
      [await holdIdle(ways.nginx), await holdIdle(ways.gateway)],
    );
    const measured = await measureRounds(ways, rounds);
    const about = `${sockets} sockets, 64-byte messages, ${rounds} interleaved rounds, medians; load ${loadBefore} before and ${load()} after`;
    return [about, roundTripTable(measured), throughputTable(measured), memory].join("\n\n");
  } finally {
    await ways.stop();
  }
}

async function measureRounds({ direct, nginx, gateway }: Ways, count: number): Promise<Map<Way, Round[]>> {
  const measured = new Map<Way, Round[]>([direct, nginx, gateway].map((way) => [way, []]));
  // The first round warms up.
  for (let round = -1; round < count; round++) {
    // Each way comes first, second and third in turn.
    const order = [...measured].map((_, place, all) => all[(place + round + 1) % all.length]!);
    for (const [way, results] of order) {
      const result = await measure(way);
      if (round >= 0) results.push(result);
    }
  }
  return measured;
}

async function measure(way: Way): Promise<Round> {
  const clients = await openClients(way.url, sockets);
  const times = (await timeRoundTrips(clients, perSecond, pacedSeconds)).sort((a, b) => a - b);
  const throughput = { 1: await measureFull(way, clients, 1), 8: await measureFull(way, clients, 8) };
  for (const client of clients) client.terminate();
  const at = (share: number) => times[Math.floor(times.length * share)]!;
  return { p50Ms: at(0.5), p99Ms: at(0.99), throughput };
}

async function measureFull({ pid }: Way, clients: readonly Client[], onTheWay: number): Promise<Throughput> {
  const before = pid === null ? 0 : readCpuMicroseconds(pid);
  const perSecond = await countRoundTrips(clients, onTheWay, fullSeconds);
  const cpu = pid === null ? null : readCpuMicroseconds(pid) - before;
  return { perSecond, cpuMicroseconds: cpu === null ? null : cpu / (perSecond * fullSeconds) };
}

function roundTripTable(measured: ReadonlyMap<Way, readonly Round[]>): string {
  let base: number | null = null;
  const rows = [...measured].map(([way, rounds]) => {
    const p50 = median(rounds.map(({ p50Ms }) => p50Ms));
    base ??= p50;
    const p99 = median(rounds.map(({ p99Ms }) => p99Ms));
    return [way.name, p50.toFixed(3), p99.toFixed(3), (p50 - base).toFixed(3)];
  });
  return markdownTable(["round trip at 1,000 messages/s", "p50 ms", "p99 ms", "added at p50"], rows);
}

function throughputTable(measured: ReadonlyMap<Way, readonly Round[]>): string {
  const rows = [1, 8].flatMap((onTheWay) => {
    const results = [...measured].map(([way, rounds]) => {
      const all = rounds.map(({ throughput }) => throughput[onTheWay]!);
      const cpu = way.pid === null ? null : median(all.map(({ cpuMicroseconds }) => cpuMicroseconds ?? 0));
      return { name: way.name, perSecond: median(all.map((each) => each.perSecond)), cpu };
    });
    const nginx = results.find(({ name }) => name === "nginx")!;
    return results.map(({ name, perSecond, cpu }) => [
      `${name}, ${onTheWay} on the way on each socket`,
      String(Math.round(perSecond)),
      (perSecond / nginx.perSecond).toFixed(2),
      cpu === null ? "" : cpu.toFixed(1),
    ]);
  });
  return markdownTable(["as fast as possible", "round trips/s", "to nginx", "proxy CPU µs"], rows);
}

/** Opens the connections, leaves them idle, reads the memory of the process between, and asks each for an answer. */
async function holdIdle({ name, url, pid }: Way): Promise<string[]> {
  const clients = await openClients(url, heldBefore);
  await sleep(1000);
  const before = readResidentKib(pid!);
  clients.push(...(await openClients(url, held - heldBefore)));
  await sleep(2000);
  const resident = readResidentKib(pid!);
  const answering = await countAnswering(clients);
  for (const client of clients) client.terminate();
  const each = (resident - before) / (held - heldBefore);
  return [name, String(answering), (resident / 1024).toFixed(1), each.toFixed(1)];
}

function readResidentKib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]);
}

/** User and system, all threads, from Linux. */
function readCpuMicroseconds(pid: number): number {
  // The name of the program, in brackets, may have spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / ticksPerSecond;
}

const ticksPerSecond = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
