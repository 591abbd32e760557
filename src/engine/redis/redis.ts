import type {
  Answer,
  CommandOf,
  CommandType,
  NamespaceQueryOf,
  NamespaceQueryType,
  Outcome,
  QueryOf,
  QueryType,
} from "../../matchmaker/commands.ts";
import type { RedisLink } from "../../redis/interface.ts";
import { createRedisClock } from "../../redis/redis-clock.ts";
import type { Engine } from "../engine.ts";
import { createBatches } from "./batches.ts";
import { createStreams } from "./events.ts";
import { createHearing } from "./hearing.ts";
import { createNamespaceList, type NamespaceList } from "./namespace-list.ts";
import { readAnswer } from "./read-answers.ts";
import { readOutcome } from "./read-outcomes.ts";
import { noteUnreached, refuseClosed, runScript, type ScriptRuns } from "./script-runs.ts";
import { commandScripts, queryScripts } from "./scripts.ts";
import { writeCommand, writeQuery } from "./write-commands.ts";

export interface RedisEngine extends Engine {
  /** From now on this node receives heartbeats. Until some node does, no heartbeat clock runs. */
  startHearing(): Promise<void>;
}

export interface RedisEngineOptions {
  readonly link: RedisLink;
  /** What the names of all keys begin with. */
  readonly prefix: string;
  /** A new id for each operation, so that scripts recognise one that is sent again. */
  newOpId(): string;
  /** Of this machine, in milliseconds: not the time of commands, but the time at which they are sent. */
  wallClock(): number;
  /** Whether this process receives heartbeats from the start; else from `startHearing` on. */
  readonly isHearing: boolean;
}

/**
 * All namespaces in Redis, with one atomic script per command, so that any number of nodes can share them
 * (docs/decisions/0011). The rules are those of src/matchmaker, written again in lua/.
 */
export async function createRedisEngine(options: RedisEngineOptions): Promise<RedisEngine> {
  const { link, prefix, newOpId, wallClock } = options;
  const namespaces = createNamespaceList(link, prefix);
  const streams = await createStreams(link, prefix, wallClock(), namespaces.invalidate);
  const hearing = createHearing(link, prefix);
  const runs: ScriptRuns = {
    ...{ link, prefix, newOpId, wallClock, hearing },
    send: createBatches(link),
    clock: createRedisClock(),
    unreached: new Map(),
    onTold(namespaceId, position) {
      namespaces.use(namespaceId);
      streams.note(namespaceId, position);
    },
    isClosed: false,
  };
  const readNamespaceIds = createIdReader(namespaces, runs);
  await (options.isHearing ? hearing.start() : hearing.again());

  return {
    execute: (command) => executeCommand(runs, namespaces, command),

    async read<T extends QueryType>(query: QueryOf<T>): Promise<Answer<T>> {
      refuseClosed(runs);
      // Borders: the compiler cannot see that an answer has the type of its query.
      if (query.type === "namespaces") return (await namespaces.all((await readNamespaceIds()).sort())) as Answer<T>;
      const asked = query as NamespaceQueryOf<NamespaceQueryType>;
      const { type, namespaceId } = asked;
      const answer = readAnswer(asked, await runScript(runs, queryScripts[type], namespaceId, writeQuery(asked)));
      if (type === "counts" && (answer as Answer<"counts">).revision !== null) namespaces.use(namespaceId);
      return answer as Answer<T>;
    },

    /** A server that is full, lost its replicas or became a replica answers reads and refuses this. */
    async checkWritable() {
      await link.call("SET", `${prefix}:{nodes}:probe`, ["1"]);
    },

    events: streams.events,
    position: streams.position,
    eventsAfter: streams.eventsAfter,
    latest: streams.latest,
    keepEvents: streams.keepEvents,
    onGap: streams.onGap,
    startHearing: () => hearing.start(),

    async close() {
      if (runs.isClosed) return;
      runs.isClosed = true;
      namespaces.close();
      await hearing.close();
      await streams.close();
    },
  };
}

async function executeCommand<T extends CommandType>(
  runs: ScriptRuns,
  namespaces: NamespaceList,
  command: CommandOf<T>,
): Promise<Outcome<T>> {
  const { namespaceId, type } = command;
  const isLong = type === "find" && (command as CommandOf<"find">).explain === true;
  const execute = () =>
    runScript(runs, commandScripts[type], namespaceId, writeCommand(command), isLong).finally(() =>
      namespaces.invalidate(namespaceId),
    );
  const isMaking = type === "configure" || type === "removeNamespace";
  return readOutcome(command, await (isMaking ? executeListed(namespaces, namespaceId, execute) : execute()));
}

/**
 * Before and after: a node that finds no namespace removes it from the list, which must not hide one that was created
 * again.
 */
async function executeListed<T>(namespaces: NamespaceList, namespaceId: string, execute: () => Promise<T>): Promise<T> {
  await namespaces.add(namespaceId);
  const outcome = await execute();
  await namespaces.add(namespaceId);
  return outcome;
}

/** Reads the names of namespaces. When that failed for a while, all of them count as unreached since then. */
function createIdReader(namespaces: NamespaceList, runs: ScriptRuns): () => Promise<string[]> {
  let unreachedSince: number | null = null;
  return async () => {
    try {
      const ids = await namespaces.ids();
      if (unreachedSince !== null) for (const id of ids) noteUnreached(runs, id, unreachedSince);
      unreachedSince = null;
      return ids;
    } catch (error) {
      unreachedSince ??= runs.hearing.redisNow();
      throw error;
    }
  };
}
