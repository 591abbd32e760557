import type { PlacedEvent } from "../engine.ts";
import { isLater } from "../positions.ts";
import type { WrittenEvent } from "./read-views.ts";
import {
  entriesAfter,
  lastPosition,
  nextEntries,
  readableEvent,
  type StreamKeys,
  streamKey,
} from "./stream-entries.ts";

/** Reads the stream of each namespace from this process' position on, whenever there may be new events. */
export interface StreamReaders {
  readonly keys: StreamKeys;
  readonly startedAt: number;
  readonly readings: Map<string, Reading>;
  /** Up to where this process was answered, where it has not read so far yet. */
  readonly answered: Map<string, string>;
  readonly running: Set<Promise<void>>;
  readonly gapListeners: ((namespaceId: string, position: string) => void)[];
  onTold(namespaceId: string): void;
  publish(event: PlacedEvent): void;
  hasStarted: boolean;
  isClosed: boolean;
  sweeping: NodeJS.Timeout | undefined;
}

interface Reading {
  position: string;
  isRunning: boolean;
  /** There were events since the run began: it has to look once more. */
  isStale: boolean;
}

const entriesPerCall = 500;
/** A message of Redis may be lost; what it was about is found this much later. */
const sweepEveryMs = 5_000;
/** By so much the clocks of this machine and Redis may differ. */
const clockDifferenceMs = 1_000;

export function createStreamReaders(
  options: Pick<StreamReaders, "keys" | "startedAt" | "onTold" | "publish">,
): StreamReaders {
  return {
    ...options,
    readings: new Map(),
    answered: new Map(),
    running: new Set(),
    gapListeners: [],
    hasStarted: false,
    isClosed: false,
    sweeping: undefined,
  };
}

/** What is in the streams now is not read; what comes from now on is. */
export async function startReading(readers: StreamReaders): Promise<void> {
  const { keys } = readers;
  const sweepQuietly = () => void sweep(readers).catch(() => undefined);
  await keys.link.subscribe(`${keys.prefix}:events`, (namespaceId) => wakeReader(readers, namespaceId), sweepQuietly);
  await Promise.all(
    (await knownNamespaces(keys)).map(async (namespaceId) => {
      ensureReading(readers, namespaceId).position = await lastPosition(keys, namespaceId);
    }),
  );
  readers.hasStarted = true;
  readers.sweeping = setInterval(sweepQuietly, sweepEveryMs);
  readers.sweeping.unref();
}

/** What this process was answered is read first. */
export async function stopReading(readers: StreamReaders): Promise<void> {
  if (readers.isClosed) return;
  readers.isClosed = true;
  clearInterval(readers.sweeping);
  for (const namespaceId of readers.answered.keys()) wakeReader(readers, namespaceId);
  while (readers.running.size > 0) await Promise.all(readers.running);
}

/** For a namespace that was unknown at the start, every event since the start is new. */
function ensureReading({ readings, startedAt }: StreamReaders, namespaceId: string): Reading {
  const firstPosition = `${startedAt - clockDifferenceMs}-0`;
  const reading = readings.get(namespaceId) ?? { position: firstPosition, isRunning: false, isStale: false };
  readings.set(namespaceId, reading);
  return reading;
}

/** One at a time per namespace, so that events keep their order; what wakes it meanwhile makes it look once more. */
export function wakeReader(readers: StreamReaders, namespaceId: string): void {
  const reading = ensureReading(readers, namespaceId);
  reading.isStale = true;
  if (reading.isRunning || !readers.hasStarted) return;
  reading.isRunning = true;
  const run = readOn(readers, namespaceId, reading)
    // Redis cannot be read now: the next message, the end of the gap or the sweep tries again.
    .catch(() => undefined)
    .finally(() => readers.running.delete(run));
  readers.running.add(run);
}

async function readOn(readers: StreamReaders, namespaceId: string, reading: Reading): Promise<void> {
  try {
    while (reading.isStale) await readOnce(readers, namespaceId, reading);
  } finally {
    // In the same step as the last look at `isStale`: what wakes the reader from now on starts another run.
    reading.isRunning = false;
  }
}

async function readOnce(readers: StreamReaders, namespaceId: string, reading: Reading): Promise<void> {
  const { keys, answered } = readers;
  reading.isStale = false;
  const entries = await nextEntries(keys, namespaceId, reading.position, entriesPerCall);
  if (entries.length > 0) readers.onTold(namespaceId);
  const isFarBehind = entries.length === entriesPerCall;
  // Redis keeps far more events than one call returns, so events can only be missing after a full call.
  if (isFarBehind && (await entriesAfter(keys, namespaceId, reading.position, 1)) === null) {
    noteGap(readers, namespaceId, reading.position);
  }
  for (const entry of entries) publishEntry(readers, namespaceId, entry, reading);
  if (!isLater(answered.get(namespaceId) ?? "0-0", reading.position)) answered.delete(namespaceId);
  if (isFarBehind) reading.isStale = true;
}

/** An event that this Foyer cannot read counts as lost. */
function publishEntry(readers: StreamReaders, namespaceId: string, entry: WrittenEvent, reading: Reading): void {
  const event = readableEvent(namespaceId, entry);
  if (event === null) noteGap(readers, namespaceId, reading.position);
  else readers.publish(event);
  reading.position = entry[0];
}

function noteGap({ gapListeners }: StreamReaders, namespaceId: string, position: string): void {
  for (const listener of gapListeners) listener(namespaceId, position);
}

async function sweep(readers: StreamReaders): Promise<void> {
  const { keys, readings, answered } = readers;
  const known = new Set(await knownNamespaces(keys));
  for (const [namespaceId, reading] of [...readings]) {
    if (known.has(namespaceId) || answered.has(namespaceId) || reading.isRunning) continue;
    // A failover may have lost the name of a namespace that is there: nothing of it may be read twice when it is back.
    const isGone = (await keys.link.call("EXISTS", streamKey(keys, namespaceId))) === 0;
    if (isGone && !reading.isRunning) readings.delete(namespaceId);
  }
  for (const namespaceId of known) wakeReader(readers, namespaceId);
}

async function knownNamespaces({ link, prefix }: StreamKeys): Promise<string[]> {
  return (await link.call("SMEMBERS", `${prefix}:namespaces`)) as string[];
}
