import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Attack, attacksOf } from "./attack-kinds.ts";
import { callHonestly, callsPerSecond, type Heard, type Honest, paths } from "./honest-clients.ts";
import { median, quantile } from "./load.ts";
import { hostOf, runInOwnNetwork, type Way } from "./own-network.ts";
import { pinApart } from "./pin.ts";
import { bearer, send } from "./requests.ts";
import { type ServerProcess, serveFoyer, startBare } from "./server-process.ts";
import { markdownTable } from "./table.ts";
import { makeWorld } from "./world.ts";

export const question = "What do honest clients notice while others attack, and what is left of it afterwards?";

/** Lobbies with a state of 16 KiB each, which is what makes a list large. */
const stateCount = 200;
const rounds = 5;
/** The attacker's process is loaded by then. */
const startMs = 1000;
const settleMs = 60_000;

/** In a network of its own, in which every client has an address of its own, so that limits by address are in force. */
export function run({ isLong }: { isLong: boolean }): Promise<string> {
  return runInOwnNetwork(fileURLToPath(new URL("attacks-in-network.mjs", import.meta.url)), isLong ? ["--long"] : []);
}

/** Honest clients call find and validate at a steady rate, in turns alone and beside an attack. */
export async function measure({ isLong }: { isLong: boolean }): Promise<string> {
  const shortest = isLong ? 30 : 10;
  const world = await makeWorld({ lobbies: 500, taggedLobbies: 0, playersPerLobby: 0 });
  const metricsPort = await freePort();
  const ports = ["--host", "0.0.0.0", "--metrics-port", String(metricsPort)];
  const flags = [...ports, "--trusted-proxies", "127.0.0.1", "--rate-cloud", "0"];
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
    await callHonestly(foyer, "direct", { world, admin, seconds: shortest });
    for (const [name, way, attack] of wantedAttacks(attacksOf(world, admin))) {
      const honest = { world, admin, seconds: Math.max(shortest, attack.burstEveryS ?? 0) };
      const before = await signs(metricsPort);
      let during = before;
      const heard = await besideAttack(foyer, way, attack, honest, async (attacker) => {
        during = await signs(metricsPort);
        attacker.kill("SIGKILL");
        await settled(metricsPort, before);
      });
      rows.push(row(name, heard, [before, during, await signs(metricsPort)]));
      if (attack.burstEveryS) rows.push(row(`${name}, bare node:http`, await besideBare(way, attack, honest)));
    }
    // Memory that the attacks needed is given back later than connections.
    await sleep(settleMs);
    const { rssMib, heapMib } = await signs(metricsPort);
    left =
      `A minute after the last attack the service has ${rssMib} MiB resident, ${heapMib} of them in the heap; ` +
      `${(await foyer.heapAfterCollection()).toFixed(0)} are left after a collection.`;
  } finally {
    await foyer.stop();
    world.remove();
  }
  const cores = isPinned
    ? "The server's main thread has one core; clients and attackers share the other."
    : "Not pinned.";
  const caption = `${callsPerSecond} honest calls a second, in turns ${rounds} times ${shortest} s alone and ${shortest} s beside each attack, from its first moment (30 s and 30 s if it repeats itself only then); p50, p99 and the longest of all of them; the p99 ratio is the median of the rounds' ratios, of all calls and of those after the first second of the round, while the attack goes on. What is open is shown before the attack, during it and up to ${settleMs / 1000} s after. ${cores}`;
  return `${caption}\n\n${markdownTable(header, rows)}\n\n${left}`;
}

interface Compared {
  readonly calm: readonly Heard[];
  readonly beside: readonly Heard[];
}

async function besideAttack(
  server: ServerProcess,
  way: Way,
  attack: Attack,
  honest: Honest,
  end: (attacker: ChildProcess) => Promise<void>,
): Promise<Compared> {
  const calm: Heard[] = [];
  const beside: Heard[] = [];
  for (let round = 0; round < rounds; round++) {
    const attacker = prepareAttack(server, way, attack);
    await sleep(startMs);
    calm.push(await callHonestly(server, way, honest));
    attacker.send("begin");
    beside.push(await callHonestly(server, way, honest));
    await end(attacker);
  }
  return { calm, beside };
}

/** A server that does nothing with the requests shows how much of the ratio is due to Node and the machine. */
async function besideBare(way: Way, attack: Attack, honest: Honest): Promise<Compared> {
  const answer = { status: 200, headers: { "content-type": "application/json" }, body: "{}" };
  const bare = await startBare({ [paths.find]: answer, [paths.validate]: answer }, "0.0.0.0");
  try {
    pinApart(bare.pid);
    await callHonestly(bare, way, honest);
    return await besideAttack(bare, way, attack, honest, async (attacker) => {
      attacker.kill("SIGKILL");
      await sleep(startMs);
    });
  } finally {
    await bare.stop();
  }
}

/** All, or those whose names match the pattern in ATTACK. Those that come as a burst come through a proxy too. */
function wantedAttacks(attacks: Record<string, Attack>): [string, Way, Attack][] {
  const wanted = new RegExp(process.env.ATTACK ?? "");
  const all = Object.entries(attacks).flatMap(([name, attack]): [string, Way, Attack][] => [
    [name, "direct", attack],
    ...(attack.burstEveryS ? [[`${name}, through a proxy`, "proxied", attack] as [string, Way, Attack]] : []),
  ]);
  return all.filter(([name]) => wanted.test(name));
}

const attackerProgram = fileURLToPath(new URL("attacker.mjs", import.meta.url));

/** A process that attacks when it gets a message: its own start, on the clients' core, is no part of the attack. */
function prepareAttack(foyer: ServerProcess, way: Way, attack: Attack): ChildProcess {
  const given = JSON.stringify({ ...attack, way, host: hostOf(way), port: Number(new URL(foyer.url).port) });
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
async function settled(metricsPort: number, before: Signs): Promise<Signs> {
  const endsAt = performance.now() + settleMs;
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
  "p50 ms, alone → beside",
  "p99 ms",
  "longest ms",
  "p99 ratio",
  "after the first second",
  "ratio of each round",
  "in flight",
  "sockets",
  "streams",
  "RSS MiB",
  "heap MiB",
];

function row(name: string, { calm, beside }: Compared, seen: readonly Signs[] = []): string[] {
  const each = (key: keyof Signs) => seen.map((one) => one[key]).join(" → ");
  const sum = (key: "sent" | "succeeded") => beside.reduce((total, heard) => total + heard[key], 0);
  const [alone, attacked] = [allTimes(calm), allTimes(beside)];
  const both = (q: number) => `${quantile(alone, q).toFixed(1)} → ${quantile(attacked, q).toFixed(1)}`;
  const ratiosOf = (times: "timesMs" | "laterTimesMs") =>
    beside.map((heard, round) => quantile(heard[times], 0.99) / quantile(calm[round]![times], 0.99));
  return [
    name,
    `${sum("succeeded")} of ${sum("sent")}`,
    both(0.5),
    both(0.99),
    both(1),
    median(ratiosOf("timesMs")).toFixed(2),
    median(ratiosOf("laterTimesMs")).toFixed(2),
    ratiosOf("timesMs")
      .map((ratio) => ratio.toFixed(1))
      .join(", "),
    each("inFlight"),
    each("sockets"),
    each("streams"),
    each("rssMib"),
    each("heapMib"),
  ];
}

function allTimes(heard: readonly Heard[]): number[] {
  return heard.flatMap(({ timesMs }) => timesMs).sort((a, b) => a - b);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
