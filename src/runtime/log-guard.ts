import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { startThread } from "../ground/thread.ts";

/** The logs of one process group. */
export interface GuardedLogs {
  readonly lobbyId: string;
  readonly pid: number;
  readonly folder: string;
  readonly files: readonly string[];
}

export type ToGuard =
  | { readonly type: "guard"; readonly logs: GuardedLogs }
  | { readonly type: "emptied" | "forget"; readonly lobbyId: string }
  | { readonly type: "close" };

/** Bounds the logs of processes while they write. */
export interface LogGuard {
  /** Resolves when what is written from now on is bounded. */
  open(): Promise<void>;
  guard(logs: GuardedLogs): void;
  /** Its process group has ended. */
  forget(lobbyId: string): void;
  close(): Promise<void>;
}

/** The first message of the thread; the others are ids of lobbies whose log is too long. */
export const guardReady = "ready";
const restartAfterMs = 1_000;

/** `rotate` empties a log that is too long. The thread starts with the first lobby. */
export function createLogGuard(maxBytes: number, rotate: (lobbyId: string) => Promise<void>): LogGuard {
  const all = new Map<string, GuardedLogs>();
  let thread: Promise<Worker> | null = null;
  let restarting: NodeJS.Timeout | null = null;
  let isClosed = false;

  async function start(): Promise<Worker> {
    const worker = startThread(new URL("./log-guard-thread", import.meta.url), "foyer-logs", maxBytes);
    worker.unref();
    const ready = once(worker, "message");
    worker.on("message", async (lobbyId: string) => {
      if (lobbyId === guardReady) return;
      // After a failure the log is looked at again.
      await rotate(lobbyId).catch(() => undefined);
      post({ type: "emptied", lobbyId });
    });
    // Only without memory; lobbies that it stopped continue when the next one guards them.
    worker.on("error", lost);
    await ready;
    return worker;
  }

  /** The next thread guards the logs of all lobbies again. */
  function lost(): void {
    thread = null;
    if (isClosed || restarting !== null) return;
    restarting = setTimeout(() => {
      restarting = null;
      for (const logs of all.values()) post({ type: "guard", logs });
    }, restartAfterMs).unref();
  }

  function open(): Promise<Worker> {
    thread ??= start().catch((error: unknown) => {
      // No thread can be made now, for lack of memory or of process ids.
      lost();
      throw error;
    });
    return thread;
  }

  function post(message: ToGuard): void {
    if (isClosed) return;
    // A thread that does not start is started again.
    open().then(
      (worker) => worker.postMessage(message),
      () => undefined,
    );
  }

  return {
    open: async () => void (await open().catch(() => undefined)),
    guard(logs) {
      all.set(logs.lobbyId, logs);
      post({ type: "guard", logs });
    },
    forget(lobbyId) {
      if (all.delete(lobbyId)) post({ type: "forget", lobbyId });
    },
    async close() {
      isClosed = true;
      const started = thread;
      thread = null;
      const worker = await started?.catch(() => null);
      if (!worker) return;
      const ended = once(worker, "exit");
      worker.ref();
      worker.postMessage({ type: "close" } satisfies ToGuard);
      await ended.catch(() => undefined);
    },
  };
}
