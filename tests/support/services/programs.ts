import { type SpawnOptions, spawn } from "node:child_process";
import { createServer } from "node:net";

/** Runs a program to its end; fails with what it wrote when that is not a good one. */
export async function run(program: string, arguments_: readonly string[], options: SpawnOptions = {}): Promise<void> {
  await readOutput(program, arguments_, options);
}

/** The same; gives what it wrote, at most the last 4,000 characters. */
export function readOutput(
  program: string,
  arguments_: readonly string[],
  options: SpawnOptions = {},
): Promise<string> {
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
      if (code === 0) resolve(output.trim());
      else reject(new Error(`${program} ended with ${code}.\n${output}`));
    });
  });
}

/** A port that nothing listens on, from those of this process. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < freePorts; tries++) {
    const port = ownPorts + portsForLobbies + (nextPort++ % freePorts);
    if (await isFree(port)) return port;
  }
  throw new Error("Every port of this process is taken; something else listens on them.");
}

let nextPort = 0;

/** Ports for lobbies, which the service assigns: the first of a hundred that no other test uses. */
export const lobbyPorts = () => ownPorts + 1;

// They are below those that the system hands out for connections, which may be in use at any moment without anybody
// listening, and outside the default range for lobbies.
const lowestPort = 12_000;
const processes = 60;
const portsPerProcess = 250;
const portsForLobbies = 101;
const freePorts = portsPerProcess - portsForLobbies;

/** Each process has ports of its own for as long as it lives: it has the first of them, so that no other takes them. */
const ownPorts = await claimPorts();

async function claimPorts(): Promise<number> {
  for (let tries = 0; tries < processes; tries++) {
    const port = lowestPort + ((process.pid + tries) % processes) * portsPerProcess;
    const claim = createServer().unref();
    const isMine = await new Promise<boolean>((resolve) => {
      claim.once("error", () => resolve(false));
      claim.listen({ port, host: "127.0.0.1", exclusive: true }, () => resolve(true));
    });
    if (isMine) return port;
  }
  throw new Error(`Other programs listen on the ports from ${lowestPort} on that the tests use.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
