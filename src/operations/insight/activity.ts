import { createWaitHistogram, noteWait, waitHistogramBytes } from "./wait-histogram.ts";

/** What is counted, in this order. */
export const counterNames = [
  "finds",
  "joins",
  "creates",
  "lobbies_created",
  "lobbies_failed",
  "lobbies_stopped",
] as const;
export type Counter = (typeof counterNames)[number];

/** What is measured now and then by the node that has the lease. */
export const gaugeNames = ["lobbies", "players"] as const;
type Gauge = (typeof gaugeNames)[number];

/** Everything is counted in steps of this length. */
export const activityStepMs = 10_000;

/** A number for each step; null: there is no figure. */
export type Series = (number | null)[];

/** What one node has of a namespace. Plain JSON, since nodes send it to one another. */
export interface NodeActivity {
  readonly counts: Readonly<Record<Counter | Gauge, Series>>;
  /** By code. */
  readonly refusals: Readonly<Record<string, Series>>;
  /** Steps in which calls waited, each with a histogram. */
  readonly waits: readonly (readonly [step: number, histogram: readonly number[]])[];
}

export interface ActivityWindow {
  /** A multiple of `stepMs`, which is one of 10 s. */
  readonly startMs: number;
  readonly stepMs: number;
  readonly steps: number;
}

/** Counts what happens in the namespaces used last, in memory, for the last hours. */
export interface Activity {
  count(namespaceId: string, counter: Counter): void;
  countRefusal(namespaceId: string, code: string): void;
  /** A call waited so long for its lobby to become ready. */
  countWait(namespaceId: string, waitedMs: number): void;
  /** `isUse`: the namespace counts as used by it; otherwise only one that is counted already gets the figures. */
  measure(namespaceId: string, gauges: Readonly<Record<Gauge, number>>, isUse: boolean): void;
  /** Null: nothing is known of the namespace. */
  read(namespaceId: string, window: ActivityWindow): NodeActivity | null;
  /** The namespaces that are counted. */
  namespaceIds(): string[];
  bytes(): number;
}

const namespacesMax = 500;
/** Over all namespaces; reached only when far more than usual is counted in all of them. */
const bytesMaxDefault = 96 * 1024 * 1024;

/** Steps are kept in chunks, which are made when something happens in them. */
const chunkSteps = 60;
/** 6 hours, and what is left of the chunk in which they begin. */
const chunksMax = 37;

const cellsPerStep = counterNames.length + gaugeNames.length;
const cellOffsets = Object.fromEntries([...counterNames, ...gaugeNames].map((name, at) => [name, at])) as Record<
  Counter | Gauge,
  number
>;
const chunkBytes = chunkSteps * cellsPerStep * 4;
const refusalBytes = chunkSteps * 4;

interface Chunk {
  readonly number: number;
  /** Gauges are kept as one more than they are: 0 is none. */
  readonly cells: Uint32Array;
  readonly refusals: Map<string, Uint32Array>;
  readonly waits: Map<number, Uint32Array>;
  bytes: number;
}

interface Entry {
  /** The first step that is counted. */
  readonly since: number;
  usedAt: number;
  current: Chunk;
  chunks: Chunk[];
}

export function createActivity(now: () => number, bytesMax = bytesMaxDefault): Activity {
  const { entries, chunkAt, grow, bytes } = createChunks(bytesMax);
  const stepNow = () => Math.floor(now() / activityStepMs);

  return {
    count(namespaceId, counter) {
      const step = stepNow();
      chunkAt(namespaceId, step).cells[(step % chunkSteps) * cellsPerStep + cellOffsets[counter]]! += 1;
    },
    countRefusal(namespaceId, code) {
      const step = stepNow();
      const chunk = chunkAt(namespaceId, step);
      const cells = chunk.refusals.get(code) ?? new Uint32Array(chunkSteps);
      cells[step % chunkSteps]! += 1;
      if (chunk.refusals.has(code)) return;
      chunk.refusals.set(code, cells);
      grow(chunk, refusalBytes);
    },
    countWait(namespaceId, waitedMs) {
      const step = stepNow();
      const chunk = chunkAt(namespaceId, step);
      const histogram = chunk.waits.get(step) ?? createWaitHistogram();
      noteWait(histogram, waitedMs);
      if (chunk.waits.has(step)) return;
      chunk.waits.set(step, histogram);
      grow(chunk, waitHistogramBytes);
    },
    measure(namespaceId, gauges, isUse) {
      if (!isUse && !entries.has(namespaceId)) return;
      const step = stepNow();
      const usedAt = entries.get(namespaceId)?.usedAt ?? step;
      const { cells } = chunkAt(namespaceId, step);
      // A read does not count as use: a namespace without activity makes room for others.
      if (!isUse) entries.get(namespaceId)!.usedAt = usedAt;
      const at = (step % chunkSteps) * cellsPerStep;
      for (const name of gaugeNames) cells[at + cellOffsets[name]] = gauges[name] + 1;
    },
    read(namespaceId, window) {
      const entry = entries.get(namespaceId);
      return entry ? readEntry(entry, window) : null;
    },
    namespaceIds: () => [...entries.keys()],
    bytes,
  };
}

/** The chunks of the namespaces used last. */
function createChunks(bytesMax: number) {
  const entries = new Map<string, Entry>();
  let bytes = 0;

  function grow(chunk: Chunk, by: number): void {
    chunk.bytes += by;
    bytes += by;
    while (bytes > bytesMax && entries.size > 1) forgetOldest();
  }

  function forget(chunks: readonly Chunk[]): void {
    for (const chunk of chunks) bytes -= chunk.bytes;
  }

  function forgetOldest(): void {
    let oldest: [string, Entry] | null = null;
    for (const pair of entries) if (oldest === null || pair[1].usedAt < oldest[1].usedAt) oldest = pair;
    if (oldest === null) return;
    entries.delete(oldest[0]);
    forget(oldest[1].chunks);
  }

  function track(namespaceId: string, step: number): Entry {
    if (entries.size >= namespacesMax) forgetOldest();
    const current = newChunk(Math.floor(step / chunkSteps));
    const entry = { since: step, usedAt: step, current, chunks: [current] };
    entries.set(namespaceId, entry);
    grow(current, chunkBytes);
    return entry;
  }

  function nextChunk(entry: Entry, number: number): Chunk {
    entry.current = newChunk(number);
    const isKept = (chunk: Chunk) => chunk.number > number - chunksMax;
    forget(entry.chunks.filter((chunk) => !isKept(chunk)));
    entry.chunks = [...entry.chunks.filter(isKept), entry.current];
    grow(entry.current, chunkBytes);
    return entry.current;
  }

  return {
    entries,
    grow,
    bytes: () => bytes,
    /** Every find comes here: nothing is made unless a chunk begins. */
    chunkAt(namespaceId: string, step: number): Chunk {
      const entry = entries.get(namespaceId) ?? track(namespaceId, step);
      entry.usedAt = step;
      const number = Math.floor(step / chunkSteps);
      return entry.current.number === number ? entry.current : nextChunk(entry, number);
    },
  };
}

function newChunk(number: number): Chunk {
  const cells = new Uint32Array(chunkSteps * cellsPerStep);
  return { number, cells, refusals: new Map(), waits: new Map(), bytes: 0 };
}

function readEntry({ since, chunks }: Entry, { startMs, stepMs, steps }: ActivityWindow): NodeActivity {
  const first = Math.floor(startMs / activityStepMs);
  const perStep = stepMs / activityStepMs;
  /** Counted, though nothing may have happened. */
  const isCounted = (step: number) => first + (step + 1) * perStep > since;
  const zeros = (): Series => Array.from({ length: steps }, (_, step) => (isCounted(step) ? 0 : null));
  const nulls = (): Series => Array(steps).fill(null);
  const counts = { ...fill(counterNames, zeros), ...fill(gaugeNames, nulls) };
  const refusals = new Map<string, Series>();
  const waits = new Map<number, number[]>();

  for (const chunk of chunks) {
    for (let at = 0; at < chunkSteps; at++) {
      const step = Math.floor((chunk.number * chunkSteps + at - first) / perStep);
      if (step >= 0 && step < steps) addStep(chunk, at, step);
    }
  }
  return { counts, refusals: Object.fromEntries(refusals), waits: [...waits] };

  function addStep(chunk: Chunk, at: number, step: number): void {
    const cell = (name: Counter | Gauge) => chunk.cells[at * cellsPerStep + cellOffsets[name]]!;
    for (const name of counterNames) if (cell(name) > 0) counts[name][step] = (counts[name][step] ?? 0) + cell(name);
    // Of several looks in a step the last one counts.
    for (const name of gaugeNames) if (cell(name) > 0) counts[name][step] = cell(name) - 1;
    for (const [code, cells] of chunk.refusals) {
      if (cells[at] === 0) continue;
      const series = refusals.get(code) ?? zeros();
      refusals.set(code, series);
      series[step] = (series[step] ?? 0) + cells[at]!;
    }
    const histogram = chunk.waits.get(chunk.number * chunkSteps + at);
    if (histogram === undefined) return;
    const sum = waits.get(step) ?? Array(histogram.length).fill(0);
    waits.set(step, sum);
    for (const [bucket, count] of histogram.entries()) sum[bucket]! += count;
  }
}

function fill<Name extends string>(names: readonly Name[], make: () => Series): Record<Name, Series> {
  return Object.fromEntries(names.map((name) => [name, make()])) as Record<Name, Series>;
}
