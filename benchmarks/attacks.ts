import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { pinApart } from "./pin.ts";
import { bearer, send } from "./requests.ts";
import { type ServerProcess, serveFoyer } from "./server-process.ts";
import { markdownTable } from "./table.ts";
import { makeWorld, type World } from "./world.ts";

export const question = "What do honest clients notice while others attack, and what is left of it afterwards?";

/** Lobbies with a state of 16 KiB each, which is what makes a list large. */
const stateCount = 200;

/**
 * One service that trusts proxies on this machine. Honest clients call find and validate at a steady rate, first alone
 * and then beside each attack. Each request says its address as a proxy would, so limits by address are in force.
 */
export async function run({ isLong }: { isLong: boolean }): Promise<string> {
  const seconds = isLong ? 20 : 8;
  const world = await makeWorld({ lobbies: 500, taggedLobbies: 0, playersPerLobby: 0 });
  const metricsPort = await freePort();
  const flags = ["--metrics-port", String(metricsPort), "--trusted-proxies", "127.0.0.1", "--rate-cloud", "0"];
  const foyer = await serveFoyer(world.folder, flags);
  const rows: string[][] = [];
  let isPinned = false;
  try {
    const admin = readFileSync(join(world.folder, "admin-token"), "utf8").trim();
    for (const lobbyId of world.lobbyIds.slice(0, stateCount)) {
      const token = bearer(world.lobbyTokenOf(lobbyId));
      await send("PUT", `${foyer.url}/matchmaker/lobbies/state`, token, "x".repeat(16_000));
    }
    isPinned = pinApart(foyer.pid);
    await honest(foyer, world, admin, seconds / 2);
    for (const [name, attack] of Object.entries(attacksOf(world, admin))) {
      const calm = await honest(foyer, world, admin, seconds);
      const before = await signs(metricsPort);
      const attacker = await startAttack(foyer, attack);
      const beside = await honest(foyer, world, admin, seconds);
      const during = await signs(metricsPort);
      attacker.kill("SIGKILL");
      const after = await settled(metricsPort, before, isLong ? 60_000 : 15_000);
      rows.push(row(name, beside, calm, [before, during, after]));
    }
  } finally {
    await foyer.stop();
    world.remove();
  }
  const cores = isPinned
    ? "The server has a core of its own; who asks and who attacks share the other."
    : "Not pinned.";
  const caption = `${callsPerSecond} honest calls a second for ${seconds} s before and as long beside each attack; what is open is shown before it, during it and up to ${isLong ? 60 : 15} s after. ${cores}`;
  return `${caption}\n\n${markdownTable(header, rows)}`;
}

interface Attack {
  readonly connections: number;
  /** How many addresses they come from. */
  readonly clients: number;
  /** What each connection sends at once. */
  readonly requests: string;
  /** How long a connection is held before it is dropped; 0: until the service closes it. */
  readonly holdMs: number;
}

function attacksOf(world: World, admin: string): Record<string, Attack> {
  const from = "Host: localhost\r\nX-Forwarded-For: {client}\r\n";
  const as = (token: string) => `${from}Authorization: Bearer ${token}\r\n`;
  const get = (path: string, headers: string) => `GET ${path} HTTP/1.1\r\n${headers}\r\n`;
  const find = (length: number) =>
    `POST /matchmaker/lobbies/find HTTP/1.1\r\n${as(world.publicToken)}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  const faults = JSON.stringify({ game_modes: Array.from({ length: 30_000 }, () => 1) });
  const list = "/matchmaker/lobbies/list?limit=500&include_state=true";
  return {
    "1,300 pipelined, unread, dropped": {
      connections: 8,
      clients: 2,
      requests: get("/openapi.json", from).repeat(1300),
      holdMs: 500,
    },
    "60 pipelined, unread, held": {
      connections: 100,
      clients: 2,
      requests: get("/openapi.json", from).repeat(60),
      holdMs: 0,
    },
    "event streams, unread": {
      connections: 100,
      clients: 4,
      requests: get("/cloud/games/bench/namespaces/prod/events", as(admin)).repeat(10),
      holdMs: 0,
    },
    "bodies that never come": { connections: 2050, clients: 20, requests: find(100), holdMs: 0 },
    "bodies full of faults": { connections: 8, clients: 8, requests: find(faults.length) + faults, holdMs: 200 },
    "lists with states, unread": {
      connections: 55,
      clients: 1,
      requests: get(list, as(world.publicToken)).repeat(8),
      holdMs: 0,
    },
  };
}

const attackerProgram = fileURLToPath(new URL("attacker.mjs", import.meta.url));

async function startAttack(foyer: ServerProcess, attack: Attack): Promise<ChildProcess> {
  const given = JSON.stringify({ ...attack, port: Number(new URL(foyer.url).port) });
  const child = spawn(process.execPath, [attackerProgram, given], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  // It shares a core with the honest clients, who must not wait for its own work.
  setPriority(child.pid!, constants.priority.PRIORITY_LOW);
  await once(child, "message");
  return child;
}

interface Heard {
  readonly sent: number;
  readonly succeeded: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const callsPerSecond = 200;

/** Half finds, each from an address of its own, half validates. A time counts from when the call was due. */
async function honest(foyer: ServerProcess, world: World, admin: string, seconds: number): Promise<Heard> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const finding = { path: "/matchmaker/lobbies/find", token: world.publicToken, body: { game_modes: ["duel"] } };
  const names = { display_name: "Another", name_id: "another" };
  const validating = { path: "/cloud/games/bench/namespaces/validate", token: admin, body: names };
  const times: number[] = [];
  let succeeded = 0;
  const count = seconds * callsPerSecond;
  const startsAt = performance.now() + 100;
  const calls: Promise<void>[] = [];
  for (let index = 0; index < count; index++) {
    const dueAt = startsAt + (index * 1000) / callsPerSecond;
    await sleep(Math.max(0, dueAt - performance.now()));
    const { path, token, body } = index % 2 === 0 ? finding : validating;
    const client = `198.51.${Math.floor(index / 200) % 200}.${1 + (index % 200)}`;
    calls.push(
      call(agent, `${foyer.url}${path}`, { ...bearer(token), "x-forwarded-for": client }, JSON.stringify(body)).then(
        (status) => {
          times.push(performance.now() - dueAt);
          if (status === 200) succeeded += 1;
        },
      ),
    );
  }
  await Promise.all(calls);
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
  return { sent: count, succeeded, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** Gives the status; 0 when there was no answer. */
function call(agent: Agent, url: string, headers: Record<string, string>, body: string): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(url, { agent, method: "POST", headers, timeout: 30_000 }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode ?? 0));
    });
    sent.once("timeout", () => sent.destroy());
    sent.once("error", () => resolve(0));
    sent.end(body);
  });
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
  "p50 ms",
  "p99 ms",
  "p99 before",
  "p99 ratio",
  "in flight",
  "sockets",
  "streams",
  "RSS MiB",
  "heap MiB",
];

function row(name: string, heard: Heard, calm: Heard, seen: readonly Signs[]): string[] {
  const each = (key: keyof Signs) => seen.map((one) => one[key]).join(" → ");
  return [
    name,
    `${heard.succeeded} of ${heard.sent}`,
    heard.p50Ms.toFixed(1),
    heard.p99Ms.toFixed(1),
    calm.p99Ms.toFixed(1),
    (heard.p99Ms / calm.p99Ms).toFixed(2),
    each("inFlight"),
    each("sockets"),
    each("streams"),
    each("rssMib"),
    each("heapMib"),
  ];
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
