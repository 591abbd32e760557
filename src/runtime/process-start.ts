import { type ChildProcess, spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { buildEnvironment } from "./process-environment.ts";
import { readIdentity } from "./process-identity.ts";
import type { ProcessParts } from "./process-parts.ts";
import { createRunningProcess, type RunningProcess } from "./process-table.ts";
import { type LobbyExit, LobbyNotStarted, type LobbyPorts, type LobbyToStart } from "./runtime.ts";

type OnEnd = (process: RunningProcess, exit: LobbyExit) => void;

/**
 * Starts the process of a lobby. If that fails, it cleans up everything. `onEnd` is called when the process has ended.
 */
export async function startProcess(parts: ProcessParts, lobby: LobbyToStart, onEnd: OnEnd): Promise<LobbyPorts> {
  const { options, table, ports, folders, records } = parts;
  const { lobbyId } = lobby;
  if (table.count() >= options.processesMax) {
    const message = `This machine runs ${options.processesMax} lobbies, the maximum. Raise FOYER_MAX_LOBBY_PROCESSES to allow more.`;
    throw new LobbyNotStarted(message, { isShortage: true });
  }
  table.addStarting(lobbyId, lobby.namespaceId);
  try {
    const cwd = lobby.cwd === null ? null : await findFolder(options.lobbyRoot, lobby.cwd);
    const chosen = await ports.take(lobby.ports);
    try {
      return await launch(parts, lobby, { cwd, chosen }, onEnd);
    } catch (error) {
      ports.release(Object.values(chosen));
      await folders.remove(lobbyId);
      records.write({ lobbyId, pid: null, identity: null, ports: {}, hasEnded: true });
      throw toNotStarted(error);
    }
  } finally {
    table.removeStarting(lobbyId);
  }
}

/** The working folder and the port numbers by label. */
interface Chosen {
  readonly cwd: string | null;
  readonly chosen: Readonly<Record<string, number>>;
}

/** Each step is recorded before the next, so that after a kill the next service finds the process. */
async function launch(parts: ProcessParts, lobby: LobbyToStart, chosen: Chosen, onEnd: OnEnd): Promise<LobbyPorts> {
  const { options, records, table } = parts;
  const { lobbyId } = lobby;
  const ports = announcePorts(options.hostname, lobby, chosen.chosen);
  records.write({ lobbyId, pid: null, identity: null, ports, hasEnded: false });
  const child = spawnProcess(parts, lobby, chosen);
  child.unref();
  const started = new Promise<void>((resolveStarted, reject) => {
    child.once("spawn", resolveStarted);
    child.once("error", reject);
  });
  const { pid } = child;
  if (pid !== undefined) {
    const running = createRunningProcess({ lobbyId, pid, ports, child, identity: null });
    table.add(running);
    child.once("exit", (code, signal) => onEnd(running, { code, signal }));
    records.write({ lobbyId, pid, identity: null, ports, hasEnded: false });
    running.identity = await readIdentity(pid);
    if (!running.isEnding) records.write({ lobbyId, pid, identity: running.identity, ports, hasEnded: false });
  }
  await started;
  return ports;
}

/** In a group of its own, so that it outlives the service and can be ended with all its child processes. */
function spawnProcess(
  { folders, logs, user }: ProcessParts,
  lobby: LobbyToStart,
  { cwd, chosen }: Chosen,
): ChildProcess {
  const own = folders.make(lobby.lobbyId);
  const output = logs.open(lobby.lobbyId);
  try {
    return spawn(lobby.command, [...lobby.args], {
      cwd: cwd ?? own.home,
      env: buildEnvironment(lobby.env, chosen, own),
      detached: true,
      stdio: ["ignore", ...output.descriptors],
      ...user.ids,
    });
  } finally {
    output.close();
  }
}

const tlsProtocols: ReadonlySet<string> = new Set(["https", "wss", "tls"]);

function announcePorts(hostname: string, lobby: LobbyToStart, chosen: Readonly<Record<string, number>>): LobbyPorts {
  const entries = Object.entries(chosen).map(([label, port]) => {
    const protocol = lobby.ports[label]?.protocol ?? "";
    return [label, { hostname, port, isTls: tlsProtocols.has(protocol), protocol }];
  });
  return Object.fromEntries(entries);
}

/** A missing folder would be reported as a missing program, so the folder is checked first. */
async function findFolder(root: string, cwd: string): Promise<string> {
  const folder = resolve(root, cwd);
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return folder;
  const message = "The folder that the version starts its program in does not exist on the service's machine.";
  throw new LobbyNotStarted(message, { cause: new Error(`there is no folder ${folder}`) });
}

function toNotStarted(error: unknown): LobbyNotStarted {
  if (error instanceof LobbyNotStarted) return error;
  const code = (error as NodeJS.ErrnoException).code ?? "unknown";
  const why =
    {
      ENOENT: "the program does not exist",
      EACCES: "Foyer may not execute the program",
      EAGAIN: "the machine has no free process or memory",
    }[code] ?? code;
  return new LobbyNotStarted(`The program of the version could not be started: ${why}.`, { cause: error });
}
