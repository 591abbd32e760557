import { type ChildProcess, spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Holdings } from "../ground/shares.ts";
import { newestText } from "./log-text.ts";
import { environmentOf } from "./process-environment.ts";
import { createLobbyFolders } from "./process-folders.ts";
import { groupIsGone, signalGroup } from "./process-group.ts";
import { identityOf, processesOf } from "./process-identity.ts";
import { createProcessLogs } from "./process-logs.ts";
import { createPorts, type PortRange } from "./process-ports.ts";
import { createProcessRecords, type ProcessRecord } from "./process-records.ts";
import { lobbyUserOf } from "./process-user.ts";
import { type LobbyExit, LobbyNotStarted, type LobbyPorts, type LobbyToStart, type Runtime } from "./runtime.ts";

export interface ProcessOptions {
  readonly dataDir: string;
  /** What a version's `cwd` is relative to. */
  readonly lobbyRoot: string;
  /** Under which name players reach the machine. */
  readonly hostname: string;
  readonly ports: PortRange;
  readonly processesMax: number;
  readonly stopGraceMs: number;
  /** Per stream; as much again is kept of what came before. */
  readonly logMaxBytes: number;
  /** Null: lobbies run as the user that runs the service. */
  readonly user: string | null;
  now(): number;
  /** Learns which namespaces the processes belong to. */
  readonly holdings: Holdings;
}

interface Running {
  readonly lobbyId: string;
  readonly pid: number;
  readonly ports: LobbyPorts;
  /** Null: started by an earlier process of the service, so its end is noticed by looking. */
  readonly child: ChildProcess | null;
  identity: string | null;
  isStopping: boolean;
  isEnding: boolean;
  readonly gone: Promise<LobbyExit>;
  setGone(exit: LobbyExit): void;
  /** Ends it when it does not end by itself in time. */
  killTimer: NodeJS.Timeout | undefined;
}

const watchEveryMs = 250;
const rotateEveryMs = 1_000;
const pruneEveryMs = 10 * 60_000;
/** Who looks at a lobby that has just ended, or still follows its log, finds all of it. */
const endedWholeMs = 60 * 60_000;
const endedLogMaxBytes = 1024 * 1024;
const endedKeptMax = 200;
const exitsKeptMax = 1_000;
const endedKeptMs = 7 * 24 * 60 * 60_000;

/**
 * One process of this machine per lobby, in a group of its own, so that it outlives the service and can be ended with
 * everything that it started. What an earlier process of the service left running is known from the beginning.
 */
export async function createProcessRuntime(options: ProcessOptions): Promise<Runtime> {
  const user = await lobbyUserOf(options.user);
  const records = createProcessRecords(join(options.dataDir, "lobbies"));
  const logs = createProcessLogs(records.folderOf);
  const folders = await createLobbyFolders(options.dataDir, user);
  const ports = createPorts(options.ports, process.pid);
  const running = new Map<string, Running>();
  const listeners: ((lobbyId: string, exit: LobbyExit) => void)[] = [];
  /** Asked for and without a process yet, so that each lobby is either here or running, and counts once. */
  const starting = new Set<string>();
  /** The namespaces of both. Whose a process of an earlier run is, is known when somebody takes it over. */
  const namespaceOf = new Map<string, string>();
  /** The latest ones, the oldest first. */
  const exits = new Map<string, LobbyExit>();
  let isClosed = false;

  for (const record of await records.readAll()) {
    if (!record.hasEnded) await takeBack(record);
    else if (record.exit) noteExit(record.lobbyId, record.exit);
  }
  const timers = [every(watchEveryMs, watch), every(rotateEveryMs, rotate), every(pruneEveryMs, prune)];
  await prune();

  async function takeBack(record: ProcessRecord): Promise<void> {
    const left = await processesOf(record.lobbyId);
    // Without an identity the service was killed in the moment of starting it; then only its variables can tell.
    const pid = record.identity === null ? left.find(({ isLeader }) => isLeader)?.pid : record.pid;
    const identity = pid ? await identityOf(pid) : null;
    if (pid && identity !== null && (record.identity === null || record.identity === identity)) {
      remember(record.lobbyId, pid, record.ports, null).identity = identity;
      ports.hold(numbersOf(record.ports));
      records.write({ ...record, pid, identity });
      return;
    }
    for (const process of left) signalGroup(process.pid, "SIGKILL", "this one");
    records.write({ ...record, pid: null, hasEnded: true });
  }

  function remember(lobbyId: string, pid: number, lobbyPorts: LobbyPorts, child: ChildProcess | null): Running {
    let setGone: Running["setGone"] = () => {};
    const gone = new Promise<LobbyExit>((resolveGone) => {
      setGone = resolveGone;
    });
    const entry: Running = {
      lobbyId,
      pid,
      ports: lobbyPorts,
      child,
      identity: null,
      isStopping: false,
      isEnding: false,
      gone,
      setGone,
      killTimer: undefined,
    };
    starting.delete(lobbyId);
    running.set(lobbyId, entry);
    return entry;
  }

  async function launch(lobby: LobbyToStart, cwd: string | null, chosen: Record<string, number>): Promise<LobbyPorts> {
    const { lobbyId } = lobby;
    const announced = announce(lobby, chosen);
    records.write({ lobbyId, pid: null, identity: null, ports: announced, hasEnded: false });
    const own = folders.make(lobbyId);
    const output = logs.open(lobbyId);
    let child: ChildProcess;
    try {
      child = spawn(lobby.command, [...lobby.args], {
        cwd: cwd ?? own.home,
        env: environmentOf(lobby.env, chosen, own),
        detached: true,
        stdio: ["ignore", ...output.descriptors],
        ...user.ids,
      });
    } finally {
      output.close();
    }
    child.unref();
    const started = new Promise<void>((resolveStarted, reject) => {
      child.once("spawn", resolveStarted);
      child.once("error", reject);
    });
    const { pid } = child;
    if (pid !== undefined) {
      const entry = remember(lobbyId, pid, announced, child);
      child.once("exit", (code, signal) => void end(entry, { code, signal }));
      records.write({ lobbyId, pid, identity: null, ports: announced, hasEnded: false });
      entry.identity = await identityOf(pid);
      if (!entry.isEnding) {
        records.write({ lobbyId, pid, identity: entry.identity, ports: announced, hasEnded: false });
      }
    }
    await started;
    return announced;
  }

  function announce(lobby: LobbyToStart, chosen: Record<string, number>): LobbyPorts {
    const entries = Object.entries(chosen).map(([label, port]) => {
      const isTls = tlsProtocols.has(lobby.ports[label]?.protocol ?? "");
      return [label, { hostname: options.hostname, port, isTls }];
    });
    return Object.fromEntries(entries);
  }

  /** The process itself has ended. Whoever listens hears it at once; the ports are free when its whole group is gone. */
  async function end(entry: Running, exit: LobbyExit): Promise<void> {
    if (entry.isEnding) return;
    entry.isEnding = true;
    const { lobbyId, pid } = entry;
    if (!isClosed) {
      if (!entry.isStopping) {
        for (const listener of listeners) listener(lobbyId, exit);
        signalGroup(pid, "SIGKILL", "group");
      }
      await groupIsGone(pid, options.stopGraceMs);
    }
    ports.release(numbersOf(entry.ports));
    await cleanUp(entry, exit);
    noteExit(lobbyId, exit);
    running.delete(lobbyId);
    letGo(lobbyId);
    entry.setGone(exit);
  }

  /** Once closed, what is on the disk belongs to the next process of the service. A full disk keeps nobody running. */
  async function cleanUp({ lobbyId, identity, ports: lobbyPorts }: Running, exit: LobbyExit): Promise<void> {
    if (!isClosed) await folders.remove(lobbyId);
    if (isClosed) return;
    try {
      records.write({ lobbyId, pid: null, identity, ports: lobbyPorts, hasEnded: true, exit });
    } catch {
      // The next process of the service finds out by itself that it has ended.
    }
  }

  function noteExit(lobbyId: string, exit: LobbyExit): void {
    exits.set(lobbyId, exit);
    for (const oldest of exits.keys()) {
      if (exits.size <= exitsKeptMax) return;
      exits.delete(oldest);
    }
  }

  async function watch(): Promise<void> {
    for (const entry of running.values()) {
      if (entry.child === null && !(await isStillIt(entry))) void end(entry, { code: null, signal: null });
    }
  }

  async function isStillIt(entry: Running): Promise<boolean> {
    return entry.identity === (await identityOf(entry.pid));
  }

  async function rotate(): Promise<void> {
    for (const { lobbyId } of running.values()) await logs.rotate(lobbyId, options.logMaxBytes);
  }

  async function prune(): Promise<void> {
    await folders.removeOthers(isRunning);
    for (const { lobbyId, at } of await records.prune(options.now() - endedKeptMs, endedKeptMax)) {
      if (at < options.now() - endedWholeMs) await logs.shorten(lobbyId, endedLogMaxBytes);
    }
  }

  function isRunning(lobbyId: string): boolean {
    return running.has(lobbyId) || starting.has(lobbyId);
  }

  function hold(lobbyId: string, namespaceId: string): void {
    if (namespaceOf.has(lobbyId)) return;
    namespaceOf.set(lobbyId, namespaceId);
    options.holdings.add(namespaceId, options.now());
  }

  function letGo(lobbyId: string): void {
    const namespaceId = namespaceOf.get(lobbyId);
    if (namespaceId === undefined || isRunning(lobbyId)) return;
    namespaceOf.delete(lobbyId);
    options.holdings.remove(namespaceId, options.now());
  }

  const room = () => options.processesMax - running.size - starting.size;

  return {
    async start(lobby) {
      if (room() <= 0) {
        const message = `As many lobbies run on this machine as may: ${options.processesMax}. FOYER_MAX_LOBBY_PROCESSES allows more.`;
        throw new LobbyNotStarted(message, { isShortage: true });
      }
      starting.add(lobby.lobbyId);
      hold(lobby.lobbyId, lobby.namespaceId);
      try {
        const cwd = lobby.cwd === null ? null : await folderOf(options.lobbyRoot, lobby.cwd);
        const chosen = await ports.take(lobby.ports);
        try {
          return await launch(lobby, cwd, chosen);
        } catch (fault) {
          ports.release(Object.values(chosen));
          await folders.remove(lobby.lobbyId);
          records.write({ lobbyId: lobby.lobbyId, pid: null, identity: null, ports: {}, hasEnded: true });
          throw notStarted(fault);
        }
      } finally {
        starting.delete(lobby.lobbyId);
        letGo(lobby.lobbyId);
      }
    },

    async stop(lobbyId) {
      const entry = running.get(lobbyId);
      if (!entry) return null;
      if (!entry.isStopping && !entry.isEnding && (entry.child !== null || (await isStillIt(entry)))) {
        entry.isStopping = true;
        signalGroup(entry.pid, "SIGTERM", "group");
        entry.killTimer = setTimeout(() => signalGroup(entry.pid, "SIGKILL", "group"), options.stopGraceMs);
        void entry.gone.then(() => clearTimeout(entry.killTimer));
      }
      return entry.gone;
    },

    list: async () => [...running.values()].filter(({ isEnding }) => !isEnding).map(({ lobbyId }) => lobbyId),
    isRunning,
    exitOf: (lobbyId) => exits.get(lobbyId) ?? null,
    room,
    logs: (lobbyId, stream, maxBytes, hide) =>
      newestText((from, length) => logs.piece(lobbyId, stream, from, length), maxBytes, hide),
    logPiece: logs.piece,

    async adopt(lobbyId, namespaceId) {
      const entry = running.get(lobbyId);
      if (!entry || entry.isEnding) return null;
      hold(lobbyId, namespaceId);
      return entry.ports;
    },

    onExit(listener) {
      listeners.push(listener);
    },

    async close() {
      isClosed = true;
      for (const timer of timers) clearInterval(timer);
      // Nobody looks any more whether the number is still that of the lobby's process.
      for (const { killTimer } of running.values()) clearTimeout(killTimer);
    },
  };
}

const tlsProtocols: ReadonlySet<string> = new Set(["https", "wss", "tls"]);

function numbersOf(ports: LobbyPorts): number[] {
  return Object.values(ports).map(({ port }) => port);
}

/** A missing folder would be reported as a missing program, so it is looked for first. */
async function folderOf(root: string, cwd: string): Promise<string> {
  const folder = resolve(root, cwd);
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return folder;
  const message = "The folder that the version starts its program in does not exist on the service's machine.";
  throw new LobbyNotStarted(message, { cause: new Error(`there is no folder ${folder}`) });
}

function notStarted(fault: unknown): LobbyNotStarted {
  if (fault instanceof LobbyNotStarted) return fault;
  const code = (fault as NodeJS.ErrnoException).code ?? "unknown";
  const why =
    { ENOENT: "there is no such program", EACCES: "it may not be run", EAGAIN: "the machine has no room" }[code] ??
    code;
  return new LobbyNotStarted(`The program of the version could not be started: ${why}.`, { cause: fault });
}

/** A task that fails is tried again at the next turn: a full disk must not end the service. */
function every(ms: number, task: () => Promise<void>): NodeJS.Timeout {
  let isBusy = false;
  return setInterval(async () => {
    if (isBusy) return;
    isBusy = true;
    await task().catch(() => undefined);
    isBusy = false;
  }, ms).unref();
}
