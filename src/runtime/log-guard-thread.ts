import { type FSWatcher, statSync, watch } from "node:fs";
import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { type GuardedLogs, guardReady, type ToGuard } from "./log-guard.ts";
import { signalGroup } from "./process-group.ts";

/**
 * A thread of its own, because a program can write a gigabyte in the time that the service's thread is busy. It looks at
 * a log whenever the system says that it changed. The service empties a log that is too long; a program that writes on
 * meanwhile is stopped until that is done.
 */
const lookAtMostEveryMs = 2;
/** Where the system gives no notice of changes. */
const lookAtLeastEveryMs = 1_000;
/** A program that is stopped twice in this time waits longer, because each time costs the service work. */
const oftenMs = 1_000;
const oftenPauseMs = 100;

interface Guarded extends GuardedLogs {
  watcher: FSWatcher | null;
  timer: NodeJS.Timeout | null;
  lookedAt: number;
  /** Of the longer log, at that look. */
  size: number;
  /** The service was asked to empty the log. */
  isAsked: boolean;
  /** When the program was last stopped. */
  stoppedAt: number;
  isStopped: boolean;
  pauseMs: number;
}

// The casts are safe: only log-guard.ts starts this file, with this setting and these messages.
const port = parentPort!;
const maxBytes = workerData as number;
/** A program that writes slowly is stopped only when its log is longer than this. */
const slowMaxBytes = maxBytes * 1.25;
const slowBytesPerMs = 20_000;
const guarded = new Map<string, Guarded>();

port.on("message", (message: ToGuard) => {
  if (message.type === "guard") add(message.logs);
  else if (message.type === "emptied") emptied(message.lobbyId);
  else if (message.type === "forget") forget(message.lobbyId);
  else close();
});
const looking = setInterval(() => {
  for (const one of guarded.values()) look(one);
}, lookAtLeastEveryMs);
hurry();
port.postMessage(guardReady);

/** Ahead of the programs that it bounds, where Foyer may do that. On Linux this is of this thread alone. */
function hurry(): void {
  try {
    if (process.platform === "linux") setPriority(-20);
  } catch {
    // Only root may: on a busy machine a log becomes longer before it is looked at.
  }
}

function add(logs: GuardedLogs): void {
  // After a thread failed a lobby may be named twice; one of two guards would leave it stopped.
  forget(logs.lobbyId);
  const [isAsked, isStopped, stoppedAt] = [false, false, Number.NEGATIVE_INFINITY];
  const one: Guarded = {
    ...logs,
    watcher: null,
    timer: null,
    lookedAt: 0,
    size: 0,
    isAsked,
    isStopped,
    stoppedAt,
    pauseMs: 0,
  };
  guarded.set(logs.lobbyId, one);
  try {
    one.watcher = watch(logs.folder, () => changed(one));
    one.watcher.on("error", () => one.watcher?.close());
  } catch {
    // The system can watch no other folder, or the folder was removed: the log is looked at every second.
  }
  // A service that was killed may have left it stopped.
  signalGroup(one.pid, "SIGCONT", "group");
  look(one);
}

function changed(one: Guarded): void {
  if (one.timer !== null) return;
  const restMs = one.lookedAt + lookAtMostEveryMs - performance.now();
  if (restMs <= 0) {
    look(one);
    return;
  }
  one.timer = setTimeout(() => {
    one.timer = null;
    look(one);
  }, restMs);
}

function look(one: Guarded): void {
  const now = performance.now();
  const size = Math.max(...one.files.map(sizeOf));
  const isFast = size - one.size > slowBytesPerMs * (now - one.lookedAt);
  one.lookedAt = now;
  one.size = size;
  if (size > (isFast ? maxBytes : slowMaxBytes) && !one.isStopped && signalGroup(one.pid, "SIGSTOP", "group")) {
    one.isStopped = true;
    one.pauseMs = now - one.stoppedAt < oftenMs ? oftenPauseMs : 0;
    one.stoppedAt = now;
  }
  if (size <= maxBytes || one.isAsked) return;
  one.isAsked = true;
  port.postMessage(one.lobbyId);
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function emptied(lobbyId: string): void {
  const one = guarded.get(lobbyId);
  if (one === undefined) return;
  setTimeout(
    () => {
      one.isAsked = false;
      resume(one);
      if (guarded.get(lobbyId) === one) look(one);
    },
    one.isStopped ? one.pauseMs : 0,
  );
}

function resume(one: Guarded): void {
  if (one.isStopped) signalGroup(one.pid, "SIGCONT", "group");
  one.isStopped = false;
}

function forget(lobbyId: string): void {
  const one = guarded.get(lobbyId);
  if (one === undefined) return;
  guarded.delete(lobbyId);
  one.watcher?.close();
  if (one.timer !== null) clearTimeout(one.timer);
}

/** Lobbies outlive the service, so none may remain stopped. */
function close(): void {
  for (const one of guarded.values()) {
    resume(one);
    forget(one.lobbyId);
  }
  clearInterval(looking);
  port.close();
}
