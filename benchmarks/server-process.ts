import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Answer } from "./requests.ts";

/** A server under test, in its own process, so that its processor time is measured separately from the client's. */
export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** What it had written to standard error when its address came. */
  readonly greeting: string;
  /** Microseconds of processor time, user and system, since the process began. */
  cpuMicroseconds(): Promise<number>;
  /** MiB of the heap after everything that is not used was collected. */
  heapAfterCollection(): Promise<number>;
  stop(): Promise<void>;
}

/** Foyer on a data folder, as `foyer serve` starts it, once it says that it is ready. */
export async function serveFoyer(
  folder: string,
  more: readonly string[] = ["--metrics-port", "off"],
): Promise<ServerProcess> {
  const args = ["serve", "--data-dir", folder, "--port", "0", "--no-demo", ...more];
  const server = await startServer(foyerProgram, args, folder);
  while ((await fetch(`${server.url}/readyz`)).status !== 200) await sleep(5);
  return server;
}

/** The least that Node can do: these answers, by path, whatever is asked. */
export function startBare(answers: Readonly<Record<string, Answer>>, host = "127.0.0.1"): Promise<ServerProcess> {
  return startServer(bareProgram, [JSON.stringify(answers), host], tmpdir());
}

/** Starts a Node program and waits until it has written its address to standard error, as `API http://…`. */
export async function startServer(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const child = spawn(process.execPath, ["--import", reporter, program, ...args], {
    cwd,
    env: { ...plainEnvironment(), ...env },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const { url, greeting } = await addressOf(child, program);
  return {
    url,
    greeting,
    pid: child.pid!,
    async cpuMicroseconds() {
      const answer = once(child, "message");
      child.send("cpu");
      const [{ user, system }] = (await answer) as [NodeJS.CpuUsage];
      return user + system;
    },
    async heapAfterCollection() {
      const answer = once(child, "message");
      child.send("heap");
      const [{ heapUsed }] = (await answer) as [NodeJS.MemoryUsage];
      return heapUsed / 2 ** 20;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

const reporter = new URL("report-cpu.mjs", import.meta.url).href;

const foyerProgram = fileURLToPath(new URL("../dist/cli/foyer.js", import.meta.url));
const bareProgram = fileURLToPath(new URL("bare-server.mjs", import.meta.url));

/** What the operator has set for his own service must not change what is measured. */
function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:FOYER_|NODE_OPTIONS$)/.test(name)));
}

function addressOf(child: ChildProcess, program: string): Promise<{ url: string; greeting: string }> {
  return new Promise((resolve, reject) => {
    let written = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      written += text;
      const url = /\bAPI\s+(http:\/\/\S+)/.exec(written)?.[1];
      if (url) resolve({ url, greeting: written });
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${program} ended with ${code} before it listened:\n${written}`)));
  });
}
