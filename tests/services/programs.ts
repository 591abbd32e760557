import { type SpawnOptions, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";

/** Runs a program to its end; fails with what it wrote when that is not a good one. */
export function run(program: string, arguments_: readonly string[], options: SpawnOptions = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, arguments_, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-4000);
      });
    }
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${program} ended with ${code}.\n${output}`));
    });
  });
}

/** Installs packages of Debian or Ubuntu where this process may do so; else nothing happens. */
export async function installPackages(...packages: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return;
  // In that run level the packages start no servers of their own.
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  const keep = "Dpkg::Options::=--force-confold";
  await run("/usr/bin/apt-get", ["update", "-qq"], { env });
  await run("/usr/bin/apt-get", ["install", "-y", "-qq", "--no-install-recommends", "-o", keep, ...packages], { env });
}

/**
 * A port that nothing listens on. It is below those that the system hands out for connections, which may be in use at any
 * moment without anybody listening, and from a part of its own for each process of the run.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < portsPerProcess; tries++) {
    const port = firstPort + (process.pid % processes) * portsPerProcess + (nextPort++ % portsPerProcess);
    if (await isFree(port)) return port;
  }
  throw new Error("Every port that the tests use is taken; something else listens on them.");
}

const firstPort = 22_500;
const processes = 100;
const portsPerProcess = 100;
let nextPort = 0;

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
