import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Redis } from "ioredis";
import { freePort } from "./programs.ts";

export interface RedisSetup {
  /** Null, the default: nothing is kept on disk. */
  readonly appendfsync?: "always" | "everysec" | null;
  readonly password?: string;
  /** Further settings, as on the command line: ["--maxmemory", "3mb"]. */
  readonly more?: readonly string[];
}

/** One server process that can be hurt and healed; port and folder stay the same. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** One command over a connection of its own; for looking and arranging, not for load. */
  ask(command: string, ...args: readonly (string | number)[]): Promise<unknown>;
  /** One field of INFO, or null. */
  info(field: string): Promise<string | null>;
  /** kill -9. */
  kill(): Promise<void>;
  /** Starts it again; resolves when it takes connections, which may be before it has loaded its data. */
  start(more?: readonly string[]): Promise<void>;
  /** kill -9, start, and wait until it serves. */
  restart(): Promise<void>;
  /** It keeps its connections and answers nothing. */
  freeze(): void;
  thaw(): void;
  /** Ends it and removes what it kept. */
  stop(): Promise<void>;
}

/** A private Redis server on a free port, gone without a trace after `stop`, and gone with this process. */
export async function startRedis(setup: RedisSetup = {}): Promise<RedisServer> {
  const { appendfsync = null, password, more = [] } = setup;
  const disk = appendfsync === null ? ["--appendonly", "no"] : ["--appendonly", "yes", "--appendfsync", appendfsync];
  const secret = password === undefined ? [] : ["--requirepass", password, "--masterauth", password];
  const server = await openServer("redis-server", [...disk, ...secret, "--save", "", ...more], password);
  await server.start();
  return server;
}

/** A server that has a port and a folder, and does not run yet. */
export async function openServer(
  name: "redis-server" | "redis-sentinel",
  settings: readonly string[],
  password?: string,
): Promise<RedisServer & { readonly directory: string }> {
  const program = requireProgram(name);
  const directory = await mkdtemp(join(tmpdir(), "foyer-redis-"));
  const port = await freePort();
  const always = ["--port", String(port), "--bind", "127.0.0.1", "--dir", directory, "--loglevel", "warning"];
  // A file of settings, which a Sentinel needs, has to come before everything else.
  const commandLine = (more: readonly string[]) =>
    name === "redis-sentinel" ? [...settings] : [...always, ...settings, ...more];
  let child: ChildProcess | null = null;

  async function ask(command: string, ...args: readonly (string | number)[]): Promise<unknown> {
    const client = new Redis({
      host: "127.0.0.1",
      port,
      ...(password !== undefined && { password }),
      lazyConnect: true,
      enableReadyCheck: false,
      retryStrategy: null,
      disableClientInfo: true,
      protocol: 2,
    });
    client.on("error", () => {});
    try {
      await client.connect();
      return await client.call(command, ...args);
    } finally {
      client.disconnect();
    }
  }

  const server = {
    directory,
    port,
    url: `redis://${password === undefined ? "" : `:${encodeURIComponent(password)}@`}127.0.0.1:${port}`,
    ask,
    async info(field: string) {
      const text = String(await ask("INFO"));
      return new RegExp(`^${field}:(.*?)\r?$`, "m").exec(text)?.[1] ?? null;
    },
    async kill() {
      const killed = child;
      child = null;
      if (killed === null || killed.exitCode !== null || killed.signalCode !== null) return;
      const ended = once(killed, "exit");
      killed.kill("SIGKILL");
      await ended;
    },
    async start(more: readonly string[] = []) {
      const started = spawnMortal(program, commandLine(more));
      child = started.child;
      while (started.child.exitCode === null && started.child.signalCode === null) {
        const answer = await ask("PING").catch((error: Error) => error.message);
        if (answer === "PONG" || /^(?:LOADING|MASTERDOWN|NOAUTH)/.test(String(answer))) return;
        await setTimeout(10);
      }
      throw new Error(`${name} did not start.\n${started.output()}`);
    },
    async restart() {
      await server.kill();
      await server.start();
      await until("the restarted Redis serves", async () => (await ask("PING")) === "PONG");
    },
    freeze: () => void child?.kill("SIGSTOP"),
    thaw: () => void child?.kill("SIGCONT"),
    async stop() {
      await server.kill();
      await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
  return server;
}

/** Waits for a condition; what is thrown meanwhile counts as not yet. */
export async function until(what: string, isTrue: () => Promise<boolean> | boolean, timeoutMs = 60_000): Promise<void> {
  const giveUpAt = performance.now() + timeoutMs;
  let last: unknown = "it was not true";
  while (performance.now() < giveUpAt) {
    try {
      if (await isTrue()) return;
    } catch (error) {
      last = error;
    }
    await setTimeout(20);
  }
  throw new Error(`Waited ${timeoutMs} ms for this, and it did not happen: ${what}: ${last}`);
}

const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** A process that the kernel ends with this one, where the system has a way to say so. */
function spawnMortal(program: string, settings: readonly string[]) {
  const setpriv = process.platform === "linux" ? findProgram("setpriv") : null;
  const [file, args] =
    setpriv === null ? [program, settings] : [setpriv, ["--pdeathsig", "KILL", program, ...settings]];
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  child.once("exit", () => running.delete(child));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4000);
    });
  }
  child.once("error", (error) => {
    output += error.message;
  });
  return { child, output: () => output };
}

export function findProgram(name: string): string | null {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"].filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

function requireProgram(name: string): string {
  const program = findProgram(name);
  if (program !== null) return program;
  throw new Error(`The tests need ${name} in PATH. Run \`npm run setup\`.`);
}
