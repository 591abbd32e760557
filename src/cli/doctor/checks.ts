import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import pg from "pg";
import { descriptorLimit, wantedDescriptors } from "../../app/descriptors.ts";
import { startWarnings } from "../../app/start-warnings.ts";
import type { Config } from "../../config/config.ts";
import { createLog } from "../../ground/log.ts";
import { shortLine } from "../../ground/plain-line.ts";
import { readRunningFile } from "../../ground/running-file.ts";
import { loadSqlite } from "../../ground/sqlite.ts";
import { readTlsPair } from "../../ground/tls-files.ts";
import { checkRedis } from "../../redis/safety-checks.ts";
import { createEngine, EngineRefusal } from "../../runtime/docker/engine.ts";
import { readIdentity } from "../../runtime/process-identity.ts";
import { parsePortRange } from "../../runtime/process-ports.ts";
import { findLobbyUser } from "../../runtime/process-user.ts";

/** What one check found. A problem says what to do; so does a note, which does not keep Foyer from starting. */
export interface Finding {
  readonly kind: "fine" | "note" | "problem";
  readonly text: string;
}

export interface Check {
  readonly name: string;
  /** An error is a problem too; its message is shown. */
  run(config: Config, now: () => number): Promise<readonly Finding[]>;
}

const fine = (text: string): Finding => ({ kind: "fine", text });
const note = (text: string): Finding => ({ kind: "note", text });
const problem = (text: string): Finding => ({ kind: "problem", text });

const gib = 1024 ** 3;
const clockOffMaxMs = 1_000;

/** In the order in which Foyer needs them. */
export const checks: readonly Check[] = [
  { name: "clock", run: checkClock },
  { name: "data folder", run: async (config) => checkFolder(config) },
  { name: "disk", run: async (config) => checkDisk(config) },
  {
    name: "store",
    run: (config, now) => (config.databaseUrl === null ? checkSqlite(config) : checkPostgres(config, now)),
  },
  { name: "redis", run: checkLiveState },
  { name: "ports", run: (config) => checkPorts(config) },
  { name: "tls", run: async (config, now) => checkTls(config, now) },
  { name: "lobbies", run: (config) => checkLobbies(config) },
  { name: "containers", run: checkContainers },
  { name: "files", run: async (config) => checkDescriptors(config) },
];

/** Deadlines, tokens and certificates depend on it. */
async function checkClock({ dataDir }: Config, now: () => number): Promise<Finding[]> {
  const file = join(dataDir, "foyer.db");
  const aheadMs = existsSync(file) ? statSync(file).mtimeMs - now() : 0;
  if (aheadMs > clockOffMaxMs) {
    const text = `${file} was written ${Math.round(aheadMs / 1000)} s in the future of this clock, so one of them is wrong`;
    return [problem(`${text}. Set the clock: timedatectl set-ntp true.`)];
  }
  const state = await new Promise<string>((resolve) => {
    const args = ["show", "--property=NTPSynchronized", "--value"];
    execFile("timedatectl", args, { timeout: 5_000 }, (error, text) => resolve(error ? "" : text.trim()));
  });
  if (state === "no") return [note("The clock is not synchronized with others. Run timedatectl set-ntp true.")];
  const shown = new Date(now()).toISOString().slice(0, 19);
  return [
    fine(
      `${shown} UTC${state === "yes" ? ", synchronized" : "; whether it is synchronized, this machine does not say"}`,
    ),
  ];
}

async function checkContainers({ runtimes, dockerSocket }: Config): Promise<Finding[]> {
  if (!runtimes.includes("docker")) return [fine("not used: runtimes does not name docker")];
  const engine = createEngine(dockerSocket);
  const ask = (path: string) => engine.ask("GET", path, { withinMs: 5_000 });
  try {
    // Casts: what Docker and Podman answer; each field is shown only if it is there.
    const version = (await ask("/version")) as EngineVersion | null;
    const info = (await ask("/info")) as { readonly DefaultRuntime?: string } | null;
    const name = version?.Components?.[0]?.Name ?? "A container engine";
    const runtime = info?.DefaultRuntime ? `, with the runtime ${info.DefaultRuntime}` : "";
    return [fine(`${name} ${version?.Version ?? ""} answers at ${dockerSocket}${runtime}`)];
  } catch (error) {
    const isRefusal = error instanceof EngineRefusal;
    const what = isRefusal ? `answers with an error (status ${error.status})` : "does not answer";
    const text = `The container engine ${what} at ${dockerSocket}: ${shortLine((error as Error).message, reasonMax)}`;
    const remedy = isRefusal ? "repair it" : "start Docker or Podman, or correct docker_socket";
    return [note(`${text}. Versions that run containers need it: ${remedy}.`)];
  }
}

const reasonMax = 300;

interface EngineVersion {
  readonly Version?: string;
  readonly Components?: readonly { readonly Name?: string }[];
}

function checkFolder({ dataDir }: Config): Finding[] {
  if (!existsSync(dataDir)) {
    const parent = nearestFolder(dataDir);
    if (isWritable(parent)) return [fine(`${dataDir} does not exist yet; the first start creates it.`)];
    return [problem(`${dataDir} cannot be created in ${parent}. Give yourself the right to, or set data_dir.`)];
  }
  if (!statSync(dataDir).isDirectory()) return [problem(`${dataDir} is not a folder. Set data_dir to one.`)];
  if (!isWritable(dataDir)) {
    return [problem(`This user may not write to ${dataDir}. Run Foyer as its owner, or set data_dir.`)];
  }
  return [fine(dataDir)];
}

function checkDisk({ dataDir }: Config): Finding[] {
  const { bavail, bsize, blocks } = statfsSync(nearestFolder(dataDir));
  const [free, share] = [bavail * bsize, bavail / blocks];
  const text = `${(free / gib).toFixed(1)} GiB free (${Math.round(share * 100)} %)`;
  if (free < gib / 10) return [problem(`Only ${text}. Without room Foyer refuses every change: free some.`)];
  return [
    share < 0.05 || free < gib ? note(`Only ${text}. Free some soon; builds are refused below 5 %.`) : fine(text),
  ];
}

async function checkSqlite({ dataDir }: Config): Promise<Finding[]> {
  const file = join(dataDir, "foyer.db");
  if (!existsSync(file)) return [fine("SQLite, in a file that the first start creates")];
  const Database = await loadSqlite();
  const database = new Database(file, { readOnly: true });
  try {
    const [row] = database.prepare("PRAGMA quick_check(1)").all() as { quick_check: string }[];
    if (row?.quick_check === "ok") return [fine(`SQLite, ${file}`)];
    return [problem(`${file} is damaged: ${row?.quick_check}. Restore it from a backup (foyer help backup).`)];
  } finally {
    database.close();
  }
}

async function checkPostgres({ databaseUrl }: Config, now: () => number): Promise<Finding[]> {
  const client = new pg.Client({
    connectionString: databaseUrl!,
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  });
  try {
    await client.connect();
    const text =
      "select current_setting('server_version') as version, clock_timestamp() as now, pg_is_in_recovery() as standby";
    const { rows } = await client.query(text);
    const { version, standby } = rows[0];
    if (standby)
      return [problem("PostgreSQL is a standby, which refuses changes. Give database_url the primary's address.")];
    return [fine(`PostgreSQL ${version}`), ...describeClock("PostgreSQL", rows[0].now.getTime() - now())];
  } catch (error) {
    const reason = (error as Error).message || (error as NodeJS.ErrnoException).code;
    return [problem(`PostgreSQL does not accept a connection: ${reason}. Check database_url, and that it runs.`)];
  } finally {
    await client.end().catch(() => undefined);
  }
}

function describeClock(what: string, aheadMs: number): Finding[] {
  if (Math.abs(aheadMs) <= clockOffMaxMs) return [];
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  const direction = aheadMs > 0 ? "ahead of" : "behind";
  return [
    note(`The clock of ${what} is ${seconds} s ${direction} this one. Run timedatectl set-ntp true on both machines.`),
  ];
}

async function checkLiveState({ redisUrl }: Config, now: () => number): Promise<Finding[]> {
  if (redisUrl === null) return [fine("not used: live lobbies are in the data folder")];
  const { openRedis } = await import("../../redis/connection.ts");
  const warnings: string[] = [];
  const destination = { write: (line: string) => warnings.push(JSON.parse(line).msg) };
  const log = createLog({ level: "warn", format: "json", destination });
  const connection = await openRedis({
    url: redisUrl,
    log: createLog({ level: "silent", format: "json" }),
    startPatienceMs: 5_000,
  });
  try {
    await checkRedis(connection, now, log);
    return [fine("Redis answers, and its settings are safe"), ...warnings.map(note)];
  } finally {
    await connection.close();
  }
}

async function checkPorts(config: Config): Promise<Finding[]> {
  const { host, port, metricsHost, metricsPort, tlsCert, localPort, redirectHttpPort, dataDir } = config;
  const running = existsSync(dataDir) ? readRunningFile(dataDir) : null;
  if (running !== null && (await readIdentity(running.pid)) === running.identity) {
    return [fine(`Foyer runs on this data folder now, at ${running.url} (process ${running.pid})`)];
  }
  const wanted = [
    { name: "port", at: host, number: port },
    { name: "redirect_http_port", at: host, number: redirectHttpPort ?? 0 },
    { name: "metrics_port", at: metricsHost, number: metricsPort ?? 0 },
    { name: "local_port", at: "127.0.0.1", number: tlsCert === null ? 0 : localPort },
  ].filter(({ number }) => number !== 0);
  const findings = await Promise.all(
    wanted.map(async ({ name, at, number }) => {
      const reason = await whyNotFree(at, number);
      return reason === null
        ? null
        : problem(`${at}:${number} (${name}) cannot be used: ${reason}. Change ${name}, or stop what uses it.`);
    }),
  );
  const problems = findings.filter((finding) => finding !== null);
  return problems.length > 0
    ? problems
    : [fine(`free: ${wanted.map(({ at, number }) => `${at}:${number}`).join(", ")}`)];
}

function checkTls({ tlsCert, tlsKey }: Config, now: () => number): Finding[] {
  if (tlsCert === null || tlsKey === null) return [fine("not used: plain http")];
  const { validTo } = readTlsPair({ cert: tlsCert, key: tlsKey });
  const days = Math.floor((validTo.getTime() - now()) / 86_400_000);
  if (days < 0) return [problem(`The certificate in ${tlsCert} has ended. Renew it.`)];
  return [
    days < 14 ? note(`The certificate in ${tlsCert} ends in ${days} days. Renew it.`) : fine(`valid for ${days} days`),
  ];
}

async function checkLobbies(config: Config): Promise<Finding[]> {
  const { lobbyPorts, maxLobbyProcesses, lobbyUser, runtimes, dataDir } = config;
  await findLobbyUser(lobbyUser);
  const { min, max } = parsePortRange(lobbyPorts);
  const count = max - min + 1;
  const findings = existsSync(dataDir) ? startWarnings(config, dataDir).map(note) : [];
  if (runtimes.includes("process") && count < maxLobbyProcesses) {
    const text = `lobby_ports has ${count} ports, and max_lobby_processes is ${maxLobbyProcesses}: the range will be full first.`;
    return [...findings, note(`${text} Widen lobby_ports.`)];
  }
  return [...findings, fine(`at most ${maxLobbyProcesses} processes on the ports ${lobbyPorts}`)];
}

function checkDescriptors(config: Config): Finding[] {
  const limit = descriptorLimit();
  const wanted = wantedDescriptors(config);
  if (limit === null || limit >= wanted)
    return [fine(`at most ${limit ?? "any number of"} open files and connections`)];
  return [
    note(
      `At most ${limit} open files and connections, and the settings allow for ${wanted}. Raise the limit: ulimit -n ${wanted}.`,
    ),
  ];
}

/** Null: it is free. */
function whyNotFree(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", ({ code, message }: NodeJS.ErrnoException) => resolve(reasons[code ?? ""] ?? message));
    server.listen({ host, port }, () => server.close(() => resolve(null)));
  });
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program uses it",
  EACCES: "this user may not open ports below 1024",
  EADDRNOTAVAIL: "this machine does not have that address",
};

function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path));
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
