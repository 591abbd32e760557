import { createStateLoader, loadState, type StateLoader } from "../../matchmaker/changes.ts";
import type { Event } from "../../matchmaker/commands.ts";
import { createState, type State } from "../../matchmaker/state.ts";
import { createEventHub, type EventHub } from "../event-hub.ts";
import { createEventLog, type EventLog } from "./event-log.ts";
import type { Journal } from "./journal.ts";

/** The state of the memory engine. Only the files memory-*.ts use it. */
export interface Memory {
  readonly journal: Journal;
  readonly hub: EventHub;
  readonly log: EventLog;
  /** Whether this process did not run for a while, so that no lobby could send heartbeats. */
  hasStalled(): boolean;
  states: Map<string, State>;
  /** Namespaces whose heartbeat clocks still have to restart: their first command does it. */
  readonly unstarted: Set<string>;
  phase: "running" | "lost" | "read-only" | "closed";
  /** Increases with each loss, so that a command knows whether its changes were lost. */
  generation: number;
  lastCommit: Promise<void>;
  lastGroup: CommitGroup | null;
  loading: Promise<void> | null;
  probing: Promise<void> | null;
  /** Namespaces that a failed rule left half written: each is loaded again. These promises never reject. */
  readonly reloads: Map<string, Promise<void>>;
}

/** Commands whose changes the journal confirms with one promise: they become durable, and are published, together. */
export interface CommitGroup {
  readonly appended: Promise<void>;
  readonly generation: number;
  readonly events: Event[];
  readonly committed: Promise<void>;
}

export function createMemory(journal: Journal, hasStalled: () => boolean): Memory {
  return {
    journal,
    hasStalled,
    hub: createEventHub(),
    log: createEventLog(),
    states: new Map(),
    unstarted: new Set(),
    phase: "lost",
    generation: 0,
    lastCommit: Promise.resolve(),
    lastGroup: null,
    loading: null,
    probing: null,
    reloads: new Map(),
  };
}

/** Discards memory and loads the content of the journal. */
export async function loadMemory(memory: Memory): Promise<void> {
  const loaders = new Map<string, StateLoader>();
  await memory.journal.load((namespaceId, stored) => {
    const loader = loaders.get(namespaceId) ?? createStateLoader(namespaceId);
    loaders.set(namespaceId, loader);
    loader.add(stored);
  });
  memory.states = new Map();
  memory.unstarted.clear();
  memory.reloads.clear();
  for (const [namespaceId, loader] of loaders) {
    memory.states.set(namespaceId, loader.finish());
    memory.unstarted.add(namespaceId);
  }
  memory.lastCommit = Promise.resolve();
}

/** The heartbeats of a time in which this process did not run may be waiting in its sockets: no clock counts that time. */
export function noteStall(memory: Memory): void {
  if (!memory.hasStalled()) return;
  for (const namespaceId of memory.states.keys()) memory.unstarted.add(namespaceId);
}

/** Earlier decisions are already appended, and so part of the load. Other namespaces do not wait. */
export function reloadNamespace(memory: Memory, namespaceId: string): void {
  const { generation } = memory;
  memory.states.delete(namespaceId);
  const reloaded = memory.journal.loadNamespace(namespaceId).then((stored) => {
    if (generation !== memory.generation) return;
    keepOrDrop(memory, loadState(namespaceId, stored));
    memory.unstarted.add(namespaceId);
    memory.reloads.delete(namespaceId);
  });
  const orLose = () => {
    if (generation === memory.generation) loseMemory(memory);
  };
  memory.reloads.set(namespaceId, reloaded.catch(orLose));
}

/** The journal has less than memory, so memory is invalid until it is loaded again. */
export function loseMemory(memory: Memory): void {
  memory.generation += 1;
  if (memory.phase !== "closed") memory.phase = "lost";
}

/** Drops a namespace without records. */
export function keepOrDrop(memory: Memory, state: State): void {
  const isBlank =
    state.namespace === null && state.lobbies.size === 0 && state.players.size === 0 && state.keys.size === 0;
  if (isBlank) memory.states.delete(state.namespaceId);
  else memory.states.set(state.namespaceId, state);
}

export function findState(memory: Memory, namespaceId: string): State {
  return memory.states.get(namespaceId) ?? createState(namespaceId);
}
