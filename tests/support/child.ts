import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { clientOf, noteIssued, type Service } from "./harness.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Child {
  readonly process: ChildProcess;
  readonly client: ReturnType<typeof clientOf>;
  /** Everything that it has written to both of its outputs. */
  output(): string;
  /** Its exit code, null when a signal ended it. */
  readonly ended: Promise<number | null>;
}

/** A data folder that several processes can have one after the other. */
export function newDataDir(): string {
  const folder = join(root, "test-output", "data", `child-${process.pid}-${randomBytes(6).toString("hex")}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Where a child runs. */
export interface Place {
  /** The beginning of its command, such as one that enters another network. */
  readonly within: readonly string[];
  /** Where this process reaches it. */
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The built service as a process of its own on SQLite. Its output goes where the search for leaked tokens looks. */
export function spawnFoyer(
  dataDir: string,
  more: readonly string[] = [],
  nodeFlags: readonly string[] = [],
  place: Omit<Place, "url"> = { within: [], env: {} },
): Pick<Child, "process" | "output" | "ended"> {
  const logFile = join(root, "test-output", "logs", `child-${process.pid}-${randomBytes(6).toString("hex")}.log`);
  mkdirSync(join(root, "test-output", "logs"), { recursive: true });
  const flags = [
    "--port=0",
    "--no-demo",
    "--metrics-port=off",
    `--data-dir=${dataDir}`,
    "--log-level=debug",
    "--log-format=json",
  ];
  const command = [
    ...place.within,
    process.execPath,
    ...nodeFlags,
    join(root, "dist/cli/foyer.js"),
    "serve",
    ...flags,
    ...more,
  ];
  const child = spawn(command[0]!, command.slice(1), {
    cwd: dataDir,
    env: { PATH: process.env.PATH, ...place.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (piece: string) => {
      output += piece;
      appendFileSync(logFile, piece);
    });
  }
  const ended = once(child, "close").then(([code]) => code as number | null);
  return { process: child, output: () => output, ended };
}

/** The same, once it answers. */
export async function startChild(
  dataDir: string,
  more: readonly string[] = [],
  nodeFlags: readonly string[] = [],
  place?: Place,
): Promise<Child> {
  const child = spawnFoyer(dataDir, more, nodeFlags, place);
  while (!child.output().includes("Stop with Ctrl-C")) {
    const isOver = await Promise.race([
      child.ended.then(() => true),
      once(child.process.stderr!, "data").then(() => false),
    ]);
    if (isOver) throw new Error(`foyer ended before it was ready: ${child.output()}`);
  }
  const url = place?.url ?? /API +(\S+)/.exec(child.output())![1]!;
  const token = readFileSync(join(dataDir, "admin-token"), "utf8").trim();
  noteIssued(token);
  return { ...child, client: clientOf("sqlite", url, token) };
}

/** The process as a service, for `createArena`. */
export const serviceOf = ({ client, process }: Child, dataDir: string): Service => ({
  ...client,
  kind: "sqlite",
  dataDir,
  databaseUrl: null,
  close: async () => void process.kill("SIGTERM"),
});
