import { setImmediate } from "node:timers/promises";
import { EngineUnavailable } from "../../ground/unavailable.ts";
import type {
  Answer,
  Command,
  CommandOf,
  CommandType,
  Outcome,
  Query,
  QueryOf,
  QueryType,
} from "../../matchmaker/commands.ts";
import { answer } from "../../matchmaker/queries.ts";
import { configureUnchanged } from "../../matchmaker/rules/configure.ts";
import { nextDueAt, nextExpiryAt, type State } from "../../matchmaker/state.ts";
import type { Engine } from "../engine.ts";
import type { Journal } from "./journal.ts";
import { runCommand } from "./memory-commits.ts";
import { becomeReadable, becomeWritable, untilReadable } from "./memory-phases.ts";
import { createMemory, findState, loadMemory, type Memory, noteStall } from "./memory-state.ts";

/** The states themselves, for audits and tests: the caller must not write to them. */
export interface MemoryEngine extends Engine {
  states(): ReadonlyMap<string, State>;
}

/**
 * All namespaces in this process. A command is decided immediately, in memory, and answered when the journal has stored
 * it (docs/decisions/0008); a read is answered when everything it shows is in the journal.
 *
 * When the journal refuses, memory is ahead of it. Then the engine discards memory and loads it again, every command
 * whose changes were lost fails, reads continue, and each new command first probes whether the journal accepts changes
 * again. When a rule throws, only its namespace is loaded again.
 *
 * `hasStalled` says whether the process did not run for a while; then heartbeat clocks start again, as after a restart.
 */
export async function createMemoryEngine(journal: Journal, hasStalled = () => false): Promise<MemoryEngine> {
  const memory = createMemory(journal, hasStalled);
  await loadMemory(memory);
  memory.phase = "running";

  return {
    execute<T extends CommandType>(command: CommandOf<T>): Promise<Outcome<T>> {
      if (command.type === "removeNamespace") return removeInSteps(memory, command);
      return isReady(memory, command.namespaceId) ? run(memory, command) : runWhenReady(memory, command);
    },

    // The compiler cannot see that an answer has the type of its query.
    read: <T extends QueryType>(query: QueryOf<T>) => readDurable(memory, query) as Promise<Answer<T>>,

    async checkWritable() {
      while (memory.phase !== "running") await becomeWritable(memory);
    },

    events: memory.hub.subscribe,
    position: memory.log.position,
    eventsAfter: memory.log.eventsAfter,
    latest: memory.log.latest,
    keepEvents: memory.log.keepEvents,
    onGap: memory.log.onGap,
    states: () => memory.states,

    async close() {
      if (memory.phase === "closed") return;
      memory.phase = "closed";
      await memory.lastCommit.catch(() => undefined);
      await journal.flush().catch(() => undefined);
      await journal.close();
      memory.hub.close();
    },
  };
}

/** Whether a command of the namespace is decided now. */
function isReady({ phase, reloads }: Memory, namespaceId: string): boolean {
  return phase === "running" && !reloads.has(namespaceId);
}

/** Other commands are decided between two steps. */
async function removeInSteps<T extends CommandType>(memory: Memory, command: CommandOf<T>): Promise<Outcome<T>> {
  for (;;) {
    const outcome = await runWhenReady(memory, command);
    const { lobbies, players, keys } = findState(memory, command.namespaceId);
    const isDone = ("onlyMark" in command && command.onlyMark) || lobbies.size + players.size + keys.size === 0;
    if (!outcome.ok || isDone) return outcome;
    await setImmediate();
  }
}

async function runWhenReady<T extends CommandType>(memory: Memory, command: CommandOf<T>): Promise<Outcome<T>> {
  const { namespaceId } = command;
  while (!isReady(memory, namespaceId)) {
    if (memory.phase === "running") {
      await memory.reloads.get(namespaceId);
      continue;
    }
    const unchanged = await readUnchanged(memory, command);
    // The compiler cannot see that the command is one of T.
    if (unchanged !== null) return unchanged as Outcome<T>;
    await becomeWritable(memory);
  }
  return run(memory, command);
}

/** Every read needs the configuration of its namespace. The journal has it, unless it changed. */
async function readUnchanged(memory: Memory, command: Command): Promise<Outcome<"configure"> | null> {
  if (command.type !== "configure") return null;
  await becomeReadable(memory);
  return memory.phase === "read-only" ? configureUnchanged(findState(memory, command.namespaceId), command) : null;
}

/** Not async: that would cost every command another promise. */
function run<T extends CommandType>(memory: Memory, command: CommandOf<T>): Promise<Outcome<T>> {
  try {
    const { outcome, committed } = runCommand(memory, command);
    return committed.then(() => outcome);
  } catch (error) {
    return Promise.reject(error);
  }
}

async function readDurable(memory: Memory, query: Query): Promise<Answer<QueryType>> {
  for (let attemptsLeft = 2; ; attemptsLeft--) {
    let waiting = untilReadable(memory, query);
    while (waiting !== null) {
      await waiting;
      waiting = untilReadable(memory, query);
    }
    const result = look(memory, query);
    const isDurable = await memory.lastCommit.then(
      () => true,
      () => false,
    );
    if (isDurable) return result;
    if (attemptsLeft === 0) throw new EngineUnavailable("The journal keeps failing.");
  }
}

/** While the journal refuses changes, a read shows the last durable state, and due deadlines wait. */
function look(memory: Memory, query: Query): Answer<QueryType> {
  if (query.type === "namespaces") return listNamespaces(memory);
  const { namespaceId, now } = query;
  noteStall(memory);
  const isDue = memory.unstarted.has(namespaceId) || nextExpiryAt(findState(memory, namespaceId)) <= now;
  if (memory.phase === "running" && isDue) runCommand(memory, { type: "expire", namespaceId, now });
  return answer(findState(memory, namespaceId), query);
}

function listNamespaces({ states }: Memory): Answer<"namespaces"> {
  return [...states.values()]
    .map((state) => ({ namespaceId: state.namespaceId, dueAt: nextDueAt(state) }))
    .sort((a, b) => (a.namespaceId < b.namespaceId ? -1 : 1))
    .map(({ namespaceId, dueAt }) => ({ namespaceId, nextDueAt: dueAt === Infinity ? null : dueAt }));
}
