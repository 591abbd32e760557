import { every } from "./every.ts";
import { createProcessEnds, type ProcessEnds } from "./process-ends.ts";
import { signalGroup } from "./process-group.ts";
import { findProcesses, readIdentity } from "./process-identity.ts";
import { openProcessParts, type ProcessOptions, type ProcessParts } from "./process-parts.ts";
import { listPortNumbers } from "./process-ports.ts";
import type { ProcessRecord } from "./process-records.ts";
import { startProcess } from "./process-start.ts";
import { createRunningProcess, type RunningProcess } from "./process-table.ts";
import { type Driver, type LobbyExit, LobbyNotStarted, type ProcessProgram } from "./runtime.ts";
import type { ServerParts } from "./server-parts.ts";
import { listUnansweredPorts } from "./try-ports.ts";

const watchEveryMs = 250;
const pruneEveryMs = 10 * 60_000;

/**
 * One process of this machine per lobby, in a group of its own, so that it outlives the service and can be ended with
 * all its child processes. At the start the driver takes over the processes of an earlier service.
 */
export async function createProcessDriver(
  shared: ServerParts,
  options: ProcessOptions,
): Promise<Driver<ProcessProgram>> {
  const parts = await openProcessParts(shared, options);
  const { records, table, slots, folders } = parts;
  const { stopGraceMs } = shared.options;
  const ends = createProcessEnds(parts);
  for (const record of await records.readAll()) {
    if (record.kind === undefined && !record.hasEnded) await recover(parts, record);
  }
  const removeOldFolders = () => folders.removeOthers(slots.isRunning);
  const timers = [every(watchEveryMs, () => watch(parts, ends)), every(pruneEveryMs, removeOldFolders)];
  await removeOldFolders();

  return {
    async start(lobby) {
      if (!options.isEnabled) throw new LobbyNotStarted("This service runs no processes: see FOYER_RUNTIMES.");
      return startProcess(parts, lobby, (process, exit) => void ends.end(process, exit));
    },
    async stop(lobbyId) {
      const process = table.get(lobbyId);
      return process ? stop(process, stopGraceMs) : null;
    },
    list: async () => [...table.all()].filter(({ isEnding }) => !isEnding).map(({ lobbyId }) => lobbyId),
    async unansweredPorts(lobbyId) {
      const process = table.get(lobbyId);
      return process ? listUnansweredPorts(process.ports, shared.options.bind) : null;
    },
    async adopt(lobbyId, namespaceId) {
      const process = table.get(lobbyId);
      if (!process || process.isEnding) return null;
      slots.claim(lobbyId, namespaceId);
      return process.ports;
    },
    async close() {
      ends.close();
      for (const timer of timers) clearInterval(timer);
      // The driver no longer checks whether a process id still belongs to the lobby's process.
      for (const { killTimer } of table.all()) clearTimeout(killTimer);
      await parts.guard.close();
    },
  };
}

/** Finds the process that an earlier service started, or records that it has ended. */
async function recover({ table, ports, records, logs, guard }: ProcessParts, record: ProcessRecord): Promise<void> {
  const { lobbyId } = record;
  const left = await findProcesses(lobbyId);
  // Without an identity, the service was killed while it started the process. Then only the variables identify the
  // process.
  const pid = record.identity === null ? left.find(({ isLeader }) => isLeader)?.pid : record.pid;
  const identity = pid ? await readIdentity(pid) : null;
  if (pid && identity !== null && (record.identity === null || record.identity === identity)) {
    table.add(createRunningProcess({ lobbyId, pid, ports: record.ports, child: null, identity }));
    guard.guard(logs.guarded(lobbyId, pid));
    ports.hold(listPortNumbers(record.ports));
    records.write({ ...record, pid, identity });
    return;
  }
  for (const process of left) signalGroup(process.pid, "SIGKILL", "this one");
  records.write({ ...record, pid: null, hasEnded: true });
}

/** Asks the process to end, and kills it after the grace period. */
async function stop(process: RunningProcess, graceMs: number): Promise<LobbyExit> {
  const { pid, isStopping, isEnding, child } = process;
  if (!isStopping && !isEnding && (child !== null || (await isSameProcess(process)))) {
    process.isStopping = true;
    signalGroup(pid, "SIGTERM", "group");
    process.killTimer = setTimeout(() => signalGroup(pid, "SIGKILL", "group"), graceMs);
    void process.ended.then(() => clearTimeout(process.killTimer));
  }
  return process.ended;
}

/** Notices the ends of processes that are not children of this one. */
async function watch({ table }: ProcessParts, ends: ProcessEnds): Promise<void> {
  for (const process of table.all()) {
    if (process.child === null && !(await isSameProcess(process))) void ends.end(process, { code: null, signal: null });
  }
}

/** The process id may belong to another process by now. */
async function isSameProcess({ pid, identity }: RunningProcess): Promise<boolean> {
  return identity === (await readIdentity(pid));
}
