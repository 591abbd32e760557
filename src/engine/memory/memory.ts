import { EngineUnavailable } from "../../ground/unavailable.ts";
import { apply, takeEffects } from "../../matchmaker/apply.ts";
import { type Change, createStateLoader, loadState, type StateLoader } from "../../matchmaker/changes.ts";
import type {
  Answer,
  CommandOf,
  CommandType,
  Event,
  Outcome,
  Query,
  QueryOf,
  QueryType,
} from "../../matchmaker/commands.ts";
import { CommandFault } from "../../matchmaker/outcome.ts";
import { answer } from "../../matchmaker/queries.ts";
import { createState, nextDueAt, type State } from "../../matchmaker/state.ts";
import type { Engine } from "../engine.ts";
import { createEventHub } from "../event-hub.ts";
import { createEventLog } from "./event-log.ts";
import type { Journal } from "./journal.ts";

/** The states themselves, for audits and tests: the caller must not write to them. */
export interface MemoryEngine extends Engine {
  states(): ReadonlyMap<string, State>;
}

/**
 * All namespaces in this process. A command is decided at once, in memory, and answered when the journal has it;
 * a read is answered when everything it shows is in the journal.
 *
 * When the journal refuses, memory is ahead of it. Then memory is thrown away and loaded again, every command whose
 * changes were lost fails, reads go on, and each new command first probes whether the journal writes again. When a rule
 * throws, only its namespace is loaded again.
 */
export async function createMemoryEngine(journal: Journal): Promise<MemoryEngine> {
  const hub = createEventHub();
  const log = createEventLog();
  let states = new Map<string, State>();
  /** Namespaces whose heartbeat clocks still have to start anew: their first command does it. */
  const unstarted = new Set<string>();
  let phase: "running" | "lost" | "read-only" | "closed" = "lost";
  /** Grows with each loss, so that a command knows whether its changes were among those lost. */
  let generation = 0;
  let lastCommit: Promise<void> = Promise.resolve();
  let lastGroup: CommitGroup | null = null;
  let loading: Promise<void> | null = null;
  let probing: Promise<void> | null = null;
  /** Namespaces that a rule left half written: each is loaded again by itself. Nothing here rejects. */
  const reloads = new Map<string, Promise<void>>();

  await load();
  phase = "running";

  async function load(): Promise<void> {
    const loaders = new Map<string, StateLoader>();
    await journal.load((namespaceId, stored) => {
      const loader = loaders.get(namespaceId) ?? createStateLoader(namespaceId);
      loaders.set(namespaceId, loader);
      loader.add(stored);
    });
    states = new Map();
    unstarted.clear();
    reloads.clear();
    for (const [namespaceId, loader] of loaders) {
      states.set(namespaceId, loader.finish());
      unstarted.add(namespaceId);
    }
    lastCommit = Promise.resolve();
  }

  function run<T extends CommandType>(command: CommandOf<T>): { outcome: Outcome<T>; committed: Promise<void> } {
    const { namespaceId, now } = command;
    if (unstarted.delete(namespaceId)) run({ type: "restarted", namespaceId, now });
    const state = states.get(namespaceId) ?? createState(namespaceId);
    const { outcome, changes, events } = applyOrReload(state, command);
    writeOrDropNamespace(state);
    return { outcome, committed: commit(namespaceId, changes, events) };
  }

  /** A rule that throws may have written half of what it meant to; the journal knows what is true of its namespace. */
  function applyOrReload<T extends CommandType>(state: State, command: CommandOf<T>) {
    try {
      return apply(state, command);
    } catch (error) {
      if (error instanceof CommandFault) keepEffects(state);
      else reload(state.namespaceId);
      throw error;
    }
  }

  /** What was due before a command that was no good has happened all the same. */
  function keepEffects(state: State): void {
    const { changes, events } = takeEffects(state);
    writeOrDropNamespace(state);
    void commit(state.namespaceId, changes, events);
  }

  function writeOrDropNamespace(state: State): void {
    if (isBlank(state)) states.delete(state.namespaceId);
    else states.set(state.namespaceId, state);
  }

  /** What was decided before is appended already, and so part of what is loaded. Others do not wait for it. */
  function reload(namespaceId: string): void {
    const mine = generation;
    states.delete(namespaceId);
    const reloaded = journal.loadNamespace(namespaceId).then((stored) => {
      if (mine !== generation) return;
      writeOrDropNamespace(loadState(namespaceId, stored));
      unstarted.add(namespaceId);
      reloads.delete(namespaceId);
    });
    const orLose = () => {
      if (generation === mine) lose();
    };
    reloads.set(namespaceId, reloaded.catch(orLose));
  }

  function commit(namespaceId: string, changes: readonly Change[], events: readonly Event[]): Promise<void> {
    if (changes.length === 0) return lastCommit;
    const appended = append(namespaceId, changes);
    if (lastGroup?.appended !== appended || lastGroup.generation !== generation) lastGroup = newGroup(appended);
    for (const event of events) lastGroup.events.push(event);
    lastCommit = lastGroup.committed;
    return lastCommit;
  }

  /** A journal that throws at once has refused like one that rejects. */
  function append(namespaceId: string, changes: readonly Change[]): Promise<void> {
    try {
      return journal.append(namespaceId, changes);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  function newGroup(appended: Promise<void>): CommitGroup {
    const mine = generation;
    const events: Event[] = [];
    const committed = appended.then(
      () => {
        // It is in the journal, and so in what is loaded next, even if its caller cannot be told so any more.
        for (const event of events) hub.publish(log.add(event));
        if (mine !== generation) throw new EngineUnavailable("Memory was thrown away while the change was written.");
      },
      (error: unknown) => {
        if (mine === generation) lose();
        throw new EngineUnavailable("The journal did not take the change.", { cause: error });
      },
    );
    // Those who wait for it hear of a failure; that nobody may be waiting is no reason to end the process.
    committed.catch(() => undefined);
    return { appended, generation: mine, events, committed };
  }

  function lose(): void {
    generation += 1;
    if (phase !== "closed") phase = "lost";
  }

  /** Null: what is in memory can be shown. */
  function untilReadable(query: Query): Promise<unknown> | null {
    if (phase === "lost" || phase === "closed") return becomeReadable();
    if (reloads.size === 0) return null;
    if (query.type === "namespaces") return Promise.all(reloads.values());
    return reloads.get(query.namespaceId) ?? null;
  }

  async function becomeReadable(): Promise<void> {
    if (phase === "closed") throw new EngineUnavailable("The engine is closed.");
    if (phase !== "lost") return;
    loading ??= lastCommit
      .catch(() => undefined)
      .then(load)
      .then(() => {
        if (phase === "lost") phase = "read-only";
      })
      .finally(() => {
        loading = null;
      });
    await loading.catch((error: unknown) => {
      throw new EngineUnavailable("The journal could not be read.", { cause: error });
    });
  }

  async function becomeWritable(): Promise<void> {
    await becomeReadable();
    if (phase !== "read-only") return;
    probing ??= journal
      .probe()
      .then(() => {
        if (phase === "read-only") phase = "running";
      })
      .finally(() => {
        probing = null;
      });
    await probing.catch((error: unknown) => {
      throw new EngineUnavailable("The journal does not take changes.", { cause: error });
    });
  }

  return {
    async execute<T extends CommandType>(command: CommandOf<T>): Promise<Outcome<T>> {
      while (phase !== "running" || reloads.has(command.namespaceId)) {
        await (phase === "running" ? reloads.get(command.namespaceId) : becomeWritable());
      }
      const { outcome, committed } = run(command);
      await committed;
      return outcome;
    },

    async read<T extends QueryType>(query: QueryOf<T>): Promise<Answer<T>> {
      for (let attemptsLeft = 2; ; attemptsLeft--) {
        for (let waiting = untilReadable(query); waiting !== null; waiting = untilReadable(query)) await waiting;
        // A border: the compiler cannot see that an answer has the type of its query.
        const result = look(query) as Answer<T>;
        const isDurable = await lastCommit.then(
          () => true,
          () => false,
        );
        if (isDurable) return result;
        if (attemptsLeft === 0) throw new EngineUnavailable("The journal keeps failing.");
      }
    },

    async checkWritable() {
      while (phase !== "running") await becomeWritable();
    },

    events: hub.subscribe,
    position: log.position,
    eventsAfter: log.eventsAfter,
    latest: log.latest,
    keepEvents: log.keepEvents,
    onGap: log.onGap,
    states: () => states,

    async close() {
      if (phase === "closed") return;
      phase = "closed";
      await lastCommit.catch(() => undefined);
      await journal.flush().catch(() => undefined);
      await journal.close();
      hub.close();
    },
  };

  /** While the journal takes nothing, a read shows the last durable state: what is due then waits. */
  function look(query: Query): Answer<QueryType> {
    if (query.type === "namespaces") return listNamespaces();
    const { namespaceId, now } = query;
    const isDue = unstarted.has(namespaceId) || nextDueAt(stateOf(namespaceId)) <= now;
    if (phase === "running" && isDue) run({ type: "expire", namespaceId, now });
    return answer(stateOf(namespaceId), query);
  }

  function stateOf(namespaceId: string): State {
    return states.get(namespaceId) ?? createState(namespaceId);
  }

  function listNamespaces(): Answer<"namespaces"> {
    return [...states.values()]
      .map((state) => ({ namespaceId: state.namespaceId, dueAt: nextDueAt(state) }))
      .sort((a, b) => (a.namespaceId < b.namespaceId ? -1 : 1))
      .map(({ namespaceId, dueAt }) => ({ namespaceId, nextDueAt: dueAt === Infinity ? null : dueAt }));
  }
}

/** Commands whose changes the journal answers with one promise: they are durable together, and told of together. */
interface CommitGroup {
  readonly appended: Promise<void>;
  readonly generation: number;
  readonly events: Event[];
  readonly committed: Promise<void>;
}

function isBlank(state: State): boolean {
  return state.namespace === null && state.lobbies.size === 0 && state.players.size === 0 && state.keys.size === 0;
}
