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

/** Another process may take it between its choice and its use. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => {
        if (address !== null && typeof address === "object") resolve(address.port);
        else reject(new Error("The system gave no free port."));
      });
    });
  });
}
