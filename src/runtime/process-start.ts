import { type ChildProcess, spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { withoutInherited } from "../ground/inherited.ts";
import { isUnspecified } from "../ground/local-host.ts";
import { announcePorts } from "./announce-ports.ts";
import { buildEnvironment, searchPath } from "./process-environment.ts";
import { readIdentity } from "./process-identity.ts";
import type { ProcessParts } from "./process-parts.ts";
import { createRunningProcess, type RunningProcess } from "./process-table.ts";
import { findFormatIssue } from "./program-file.ts";
import { type LobbyExit, LobbyNotStarted, type LobbyPorts, type LobbyToStart, type ProcessProgram } from "./runtime.ts";
import { checkRoom } from "./server-parts.ts";

type ProcessLobby = LobbyToStart<ProcessProgram>;
type OnEnd = (process: RunningProcess, exit: LobbyExit) => void;

/**
 * Starts the process of a lobby. If that fails, it cleans up everything. `onEnd` is called when the process has ended.
 */
export async function startProcess(parts: ProcessParts, lobby: ProcessLobby, onEnd: OnEnd): Promise<LobbyPorts> {
  const { slots, ports, folders, records, lobbyRoot } = parts;
  const { lobbyId } = lobby;
  checkRoom(parts);
  slots.addStarting(lobbyId, lobby.namespaceId);
  try {
    const { cwd: given } = lobby.program;
    const cwd = given === null ? null : await findFolder(lobbyRoot, given);
    await checkFormat(lobby, cwd);
    const chosen = await ports.take(lobby.ports);
    try {
      return await launch(parts, lobby, { cwd, chosen }, onEnd);
    } catch (error) {
      ports.release(Object.values(chosen));
      await folders.remove(lobbyId);
      records.write({ lobbyId, pid: null, identity: null, ports: {}, hasEnded: true });
      throw toNotStarted(error, lobby.program.command);
    }
  } finally {
    slots.removeStarting(lobbyId);
  }
}

/** The working folder and the port numbers by label. */
interface Chosen {
  readonly cwd: string | null;
  readonly chosen: Readonly<Record<string, number>>;
}

/** Each step is recorded before the next, so that after a kill the next service finds the process. */
async function launch(parts: ProcessParts, lobby: ProcessLobby, chosen: Chosen, onEnd: OnEnd): Promise<LobbyPorts> {
  const { options, records, table, logs, guard } = parts;
  const { lobbyId } = lobby;
  const ports = announcePorts(
    options.hostname,
    lobby,
    chosen.chosen,
    isUnspecified(options.bind) ? null : options.bind,
  );
  records.write({ lobbyId, pid: null, identity: null, ports, hasEnded: false });
  await guard.open();
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
    guard.guard(logs.guarded(lobbyId, pid));
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
  { folders, logs, user, options: { bind } }: ProcessParts,
  lobby: ProcessLobby,
  { cwd, chosen }: Chosen,
): ChildProcess {
  const own = folders.make(lobby.lobbyId);
  const output = logs.open(lobby.lobbyId);
  try {
    return spawn(lobby.program.command, [...lobby.program.args], {
      cwd: cwd ?? own.home,
      env: buildEnvironment(lobby.env, chosen, { ...own, bind }),
      detached: true,
      stdio: withoutInherited(["ignore", ...output.descriptors]),
      ...user.ids,
    });
  } finally {
    output.close();
  }
}

/** A missing folder would be reported as a missing program, so the folder is checked first. */
async function findFolder(root: string, cwd: string): Promise<string> {
  const folder = resolve(root, cwd);
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return folder;
  const message =
    `The folder ${quoted(cwd)}, the version's cwd, does not exist on the machine that runs the lobby. ` +
    "It is relative to FOYER_LOBBY_ROOT.";
  throw new LobbyNotStarted(message, { cause: new Error(`there is no folder ${folder}`) });
}

async function checkFormat({ program: { command }, env }: ProcessLobby, cwd: string | null): Promise<void> {
  const issue = await findFormatIssue(command, cwd, env.PATH ?? searchPath());
  if (issue !== null) throw new LobbyNotStarted(`The program ${quoted(command)} ${issue}`);
}

function toNotStarted(error: unknown, command: string): LobbyNotStarted {
  if (error instanceof LobbyNotStarted) return error;
  const code = (error as NodeJS.ErrnoException).code ?? "unknown";
  const program = quoted(command);
  const why =
    {
      ENOENT: command.includes("/")
        ? `The program ${program} does not exist, or the interpreter in its first line does not. A path that does not begin with / is relative to cwd.`
        : `The program ${program} is in no folder of PATH. Install it on the machine that runs the lobby, or give its path.`,
      EACCES: `Foyer may not execute the program ${program}. Run chmod +x on it.`,
      EAGAIN: `The machine has no free process or memory for the program ${program}.`,
    }[code] ?? `The program ${program} could not be started: ${code}.`;
  return new LobbyNotStarted(why, { cause: error });
}

/** A name from the version, as far as it fits into a message. */
function quoted(name: string): string {
  return JSON.stringify(name.length > shownMax ? `${name.slice(0, shownMax)}…` : name);
}

const shownMax = 200;
