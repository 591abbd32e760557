import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Attack, attacksOf } from "./attack-kinds.ts";
import { callHonestly, callsPerSecond, type Heard } from "./honest-clients.ts";
import { quantile } from "./load.ts";
import { pinApart } from "./pin.ts";
import { bearer, send } from "./requests.ts";
import { type ServerProcess, serveFoyer } from "./server-process.ts";
import { markdownTable } from "./table.ts";
import { makeWorld } from "./world.ts";

export const question = "What do honest clients notice while others attack, and what is left of it afterwards?";

/** Lobbies with a state of 16 KiB each, which is what makes a list large. */
const stateCount = 200;
const seconds = 2;

/**
 * One service that trusts proxies on this machine. Honest clients call find and validate at a steady rate, in turns alone
 * and beside an attack. Each request says its address as a proxy would, so limits by address are in force.
 */
export async function run({ isLong }: { isLong: boolean }): Promise<string> {
  const rounds = isLong ? 9 : 5;
  const settleMs = isLong ? 60_000 : 15_000;
  const world = await makeWorld({ lobbies: 500, taggedLobbies: 0, playersPerLobby: 0 });
  const metricsPort = await freePort();
  const flags = ["--metrics-port", String(metricsPort), "--trusted-proxies", "127.0.0.1", "--rate-cloud", "0"];
  const foyer = await serveFoyer(world.folder, flags);
  const rows: string[][] = [];
  let isPinned = false;
  let left = "";
  try {
    const admin = readFileSync(join(world.folder, "admin-token"), "utf8").trim();
    for (const lobbyId of world.lobbyIds.slice(0, stateCount)) {
      const token = bearer(world.lobbyTokenOf(lobbyId));
      await send("PUT", `${foyer.url}/matchmaker/lobbies/state`, token, "x".repeat(16_000));
    }
    isPinned = pinApart(foyer.pid);
    const call = () => callHonestly(foyer, world, admin, seconds);
    await call();
    await call();
    for (const [name, attack] of wantedAttacks(attacksOf(world, admin))) {
      const before = await signs(metricsPort);
      const calm: Heard[] = [];
      const beside: Heard[] = [];
      let during = before;
      for (let round = 0; round < rounds; round++) {
        calm.push(await call());
        const attacker = startAttack(foyer, attack);
        beside.push(await call());
        during = await signs(metricsPort);
        attacker.kill("SIGKILL");
        await settled(metricsPort, before, settleMs);
      }
      rows.push(row(name, calm, beside, [before, during, await signs(metricsPort)]));
    }
    // Memory that the attacks needed is given back later than connections.
    if (isLong) await sleep(settleMs);
    const { rssMib, heapMib } = await signs(metricsPort);
    left = `${isLong ? "A minute after the last attack" : "At the end"} the service has ${rssMib} MiB resident, ${heapMib} of them in the heap.`;
  } finally {
    await foyer.stop();
    world.remove();
  }
  const cores = isPinned ? "The server has one core; clients and attackers share the other." : "Not pinned.";
  const caption = `${callsPerSecond} honest calls a second, ${rounds} times ${seconds} s alone and ${seconds} s beside each attack, medians; what is open is shown before the attack, during it and up to ${settleMs / 1000} s after. ${cores}`;
  return `${caption}\n\n${markdownTable(header, rows)}\n\n${left}`;
}

/** All, or those whose names contain what ATTACK says. */
function wantedAttacks(attacks: Record<string, Attack>): [string, Attack][] {
  const wanted = process.env.ATTACK ?? "";
  return Object.entries(attacks).filter(([name]) => name.includes(wanted));
}

const attackerProgram = fileURLToPath(new URL("attacker.mjs", import.meta.url));

function startAttack(foyer: ServerProcess, attack: Attack): ChildProcess {
  const given = JSON.stringify({ ...attack, port: Number(new URL(foyer.url).port) });
  const child = spawn(process.execPath, [attackerProgram, given], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  // It shares a core with the honest clients, which must not wait for its own work.
  setPriority(child.pid!, constants.priority.PRIORITY_LOW);
  return child;
}

/** What of the service is taken. */
interface Signs {
  readonly inFlight: number;
  readonly sockets: number;
  readonly streams: number;
  readonly rssMib: number;
  readonly heapMib: number;
}

async function signs(metricsPort: number): Promise<Signs> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
  const mib = (name: string) => Math.round(read(name) / 1024 / 1024);
  return {
    inFlight: read("foyer_http_in_flight"),
    sockets: read("foyer_http_connections"),
    streams: read("foyer_event_streams"),
    rssMib: mib("process_resident_memory_bytes"),
    heapMib: mib("nodejs_heap_size_used_bytes"),
  };
}

/** As soon as nothing of the attack is left, or when the time is over. */
async function settled(metricsPort: number, before: Signs, withinMs: number): Promise<Signs> {
  const endsAt = performance.now() + withinMs;
  for (;;) {
    const now = await signs(metricsPort);
    const isOver = now.inFlight <= before.inFlight && now.sockets <= before.sockets && now.streams <= before.streams;
    if (isOver || performance.now() > endsAt) return now;
    await sleep(250);
  }
}

const header = [
  "attack",
  "calls answered",
  "p50 alone",
  "p50 ms",
  "p99 alone",
  "p99 ms",
  "p99 ratio",
  "ratio of each round",
  "in flight",
  "sockets",
  "streams",
  "RSS MiB",
  "heap MiB",
];

function row(name: string, calm: readonly Heard[], beside: readonly Heard[], seen: readonly Signs[]): string[] {
  const each = (key: keyof Signs) => seen.map((one) => one[key]).join(" → ");
  const sum = (key: "sent" | "succeeded") => beside.reduce((total, heard) => total + heard[key], 0);
  const ratios = beside.map((heard, round) => heard.p99Ms / calm[round]!.p99Ms);
  return [
    name,
    `${sum("succeeded")} of ${sum("sent")}`,
    median(calm.map(({ p50Ms }) => p50Ms)).toFixed(1),
    median(beside.map(({ p50Ms }) => p50Ms)).toFixed(1),
    median(calm.map(({ p99Ms }) => p99Ms)).toFixed(1),
    median(beside.map(({ p99Ms }) => p99Ms)).toFixed(1),
    median(ratios).toFixed(2),
    ratios.map((ratio) => ratio.toFixed(1)).join(", "),
    each("inFlight"),
    each("sockets"),
    each("streams"),
    each("rssMib"),
    each("heapMib"),
  ];
}

function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
