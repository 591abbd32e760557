import { type Board, createBoard, type ListedLobbies } from "./board.ts";

/** Null: every one. */
export interface ListFilter {
  readonly gameMode: string | null;
  readonly region: string | null;
}

/** A board with watchers or waiting calls. */
export interface OpenBoard {
  readonly namespaceId: string;
  readonly filter: ListFilter;
  readonly board: Board;
  watchers: number;
  /** There were events since the list was read. */
  isStale: boolean;
  /** When it was read last. */
  readAt: number;
  timer: NodeJS.Timeout | null;
  waiting: { resolve(): void; reject(error: unknown): void }[];
}

export interface RefreshOptions {
  /** What the filter lists now. */
  list(namespaceId: string, filter: ListFilter): Promise<ListedLobbies>;
  /** Milliseconds that only ever increase. */
  steadyNow(): number;
  onError(error: unknown): void;
  readonly everyMs?: number;
}

/** The minimum time between two events of a kind for watchers. */
const everyMsDefault = 1_000;
/**
 * After each read, the pause before the next is this many times as long as the read, so that watches never use all the
 * time.
 */
const restFactor = 3;

/** Reads boards again after events: each at a limited rate, one after the other. */
export function createRefresh(options: RefreshOptions, onShown: (open: OpenBoard) => void) {
  const { steadyNow, everyMs = everyMsDefault } = options;
  const enqueue = createQueue(steadyNow);

  function schedule(open: OpenBoard): void {
    if (open.timer !== null || open.watchers === 0) return;
    const waitMs = Math.max(0, open.readAt + everyMs - steadyNow());
    open.timer = setTimeout(() => enqueue(() => refresh(open)), waitMs).unref();
  }

  async function refresh(open: OpenBoard): Promise<void> {
    if (open.watchers === 0) return;
    open.isStale = false;
    const waiting = open.waiting.splice(0);
    try {
      open.board.show(await options.list(open.namespaceId, open.filter));
      onShown(open);
      for (const { resolve } of waiting) resolve();
    } catch (error) {
      open.isStale = true;
      if (waiting.length === 0) options.onError(error);
      for (const { reject } of waiting) reject(error);
    }
    open.readAt = steadyNow();
    open.timer = null;
    if (open.isStale || open.waiting.length > 0) schedule(open);
  }

  return {
    markStale(open: OpenBoard): void {
      open.isStale = true;
      schedule(open);
    },
    /** Resolves when the list is at least as new as the events that this process had at the call. */
    async whenFresh(open: OpenBoard): Promise<void> {
      if (!open.isStale && open.board.current() !== null) return;
      await new Promise<void>((resolve, reject) => {
        open.waiting.push({ resolve, reject });
        schedule(open);
      });
    },
  };
}

export function newBoard(namespaceId: string, filter: ListFilter): OpenBoard {
  const readAt = Number.NEGATIVE_INFINITY;
  return { namespaceId, filter, board: createBoard(), watchers: 0, isStale: true, readAt, timer: null, waiting: [] };
}

/** One at a time, with a pause after each. */
function createQueue(steadyNow: () => number): (task: () => Promise<void>) => void {
  const tasks: (() => Promise<void>)[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      const startedAt = steadyNow();
      await task();
      const restMs = (steadyNow() - startedAt) * restFactor;
      if (restMs >= 1) await new Promise((resolve) => setTimeout(resolve, restMs).unref());
    }
    isRunning = false;
  }

  return (task) => {
    tasks.push(task);
    if (!isRunning) void run();
  };
}
