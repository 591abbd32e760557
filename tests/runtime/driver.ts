import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createLog } from "../../src/ground/log.ts";
import { redact } from "../../src/ground/redact.ts";
import { createHoldings } from "../../src/ground/shares.ts";
import type { DockerOptions } from "../../src/runtime/docker/docker-parts.ts";
import { openDrivers, type RuntimeOptions } from "../../src/runtime/drivers.ts";
import type {
  LobbyExit,
  LobbyLog,
  LobbyToStart,
  LogStream,
  ProcessProgram,
  Runtime,
} from "../../src/runtime/runtime.ts";
import { lobbyPorts } from "../support/services/programs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

export const testFolder = fileURLToPath(new URL(".", import.meta.url));

/** Files run side by side, so each process has ports of its own; in five parts, from 0 to 4. */
export function ownPorts(part = 0): { min: number; max: number } {
  const min = lobbyPorts() + part * 20;
  return { min, max: min + 19 };
}

/** The same as the setting of a service. */
export function ownRange(part = 0): string {
  const { min, max } = ownPorts(part);
  return `${min}-${max}`;
}

export interface Driver extends Omit<Runtime, "logs"> {
  readonly dataDir: string;
  readonly exits: { lobbyId: string; exit: LobbyExit }[];
  /** The newest part of a log as those who ask for it get it. */
  logs(lobbyId: string, stream: LogStream, maxBytes: number): Promise<LobbyLog>;
}

export interface DriverOptions extends Partial<Omit<RuntimeOptions, "process" | "docker">> {
  readonly user?: string | null;
  readonly docker?: Partial<DockerOptions>;
}

export async function openDriver({ user = null, docker = {}, ...options }: DriverOptions = {}): Promise<Driver> {
  const dataDir = options.dataDir ?? temporaryFolder();
  const runtime = await openDrivers({
    dataDir,
    hostname: "game.example.com",
    ports: ownPorts(),
    bind: "0.0.0.0",
    processesMax: 64,
    stopGraceMs: 10_000,
    logMaxBytes: 64 * 1024,
    now: Date.now,
    holdings: createHoldings(),
    ...options,
    process: { isEnabled: true, lobbyRoot: testFolder, user },
    docker: { ...noDocker, ...docker },
  });
  const exits: Driver["exits"] = [];
  runtime.onExit((lobbyId, exit) => exits.push({ lobbyId, exit }));
  const logs: Driver["logs"] = (lobbyId, stream, maxBytes) => runtime.logs(lobbyId, stream, maxBytes, redact);
  return { ...runtime, dataDir, exits, logs };
}

const noDocker: DockerOptions = {
  isEnabled: false,
  socket: "/nowhere/engine.sock",
  nodeId: "node",
  images: { find: async () => null, record: async (_versionId, _image, found) => found },
  findImageIssue: () => null,
  maxima: { memoryMib: 4096, cpus: 4, pids: 1024 },
  log: createLog({ level: "silent", format: "json" }),
  waitMs: 10_000,
  pullWithinMs: 60_000,
  syncEveryMs: 500,
  backoff: { firstMs: 50, maxMs: 500 },
};

/** A lobby whose program is a line of shell. */
export function shellLobby(
  script: string,
  { command = "/bin/sh", args = ["-c", script], cwd = ".", ...more }: Partial<LobbyToStart & ProcessProgram> = {},
): LobbyToStart<ProcessProgram> {
  const lobbyId = randomUUID();
  return {
    lobbyId,
    namespaceId: randomUUID(),
    env: { FOYER_LOBBY_ID: lobbyId },
    ports: { default: { protocol: "tcp" } },
    ...more,
    program: { kind: "process", command, args, cwd },
  };
}

export function pidOf(driver: Driver, lobbyId: string): number {
  return JSON.parse(readFileSync(`${driver.dataDir}/lobbies/${lobbyId}/process.json`, "utf8")).pid;
}

/** Whether it runs; a zombie process does not. */
export function isRunning(pid: number): boolean {
  if (!existsSync("/proc/self/stat")) return canSignal(pid);
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2, text.lastIndexOf(")") + 3) !== "Z";
  } catch {
    // It ended between the two looks.
    return false;
  }
}

function canSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // The process no longer exists.
    return false;
  }
}
