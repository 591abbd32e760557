import { setTimeout as sleep } from "node:timers/promises";
import { EngineUnavailable } from "../../ground/unavailable.ts";
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
import type { RedisLink, Script } from "../../redis/interface.ts";
import { createRedisClock } from "../../redis/redis-clock.ts";
import type { Engine } from "../engine.ts";
import { createBatches } from "./batches.ts";
import { createStreams } from "./events.ts";
import { createHearing, type Heard } from "./hearing.ts";
import { createNamespaceList } from "./namespace-list.ts";
import { readAnswer } from "./read-answers.ts";
import { readOutcome, type WrittenAnswer } from "./read-outcomes.ts";
import { commandScripts, queryScripts } from "./scripts.ts";
import { type Written, writeCommand, writeQuery } from "./write-commands.ts";

/** About as long as one run of it takes. */
const removalPauseMs = 4;

export interface RedisEngine extends Engine {
  /** From now on this node hears heartbeats. Until somebody does, no heartbeat clock runs. */
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
  /** This process hears heartbeats from the beginning; else from `startHearing` on. */
  readonly isHearing: boolean;
}

/**
 * All namespaces in Redis, one atomic script per command, so that any number of nodes share them. The rules are those of
 * src/matchmaker, written once more in lua/.
 */
export async function createRedisEngine(options: RedisEngineOptions): Promise<RedisEngine> {
  const { link, prefix } = options;
  const keyOf = (namespaceId: string) => `${prefix}:{${namespaceId}}:ns`;
  const namespaces = createNamespaceList(link, prefix);
  const streams = await createStreams(link, prefix, options.wallClock(), namespaces.doubt);
  const send = createBatches(link);
  const clock = createRedisClock();
  const hearing = createHearing(link, prefix);
  /** Namespaces that this node could not reach, and since when by Redis' clock: the next command says so there. */
  const unreached = new Map<string, number>();
  /** Since when not even their names could be read. */
  let allUnreachedSince: number | null = null;
  let isClosed = false;
  await (options.isHearing ? hearing.start() : hearing.again());

  async function namespaceIdsAgain(): Promise<string[]> {
    try {
      const ids = await namespaces.ids();
      for (const id of allUnreachedSince === null ? [] : ids) noteUnreached(id, allUnreachedSince!);
      allUnreachedSince = null;
      return ids;
    } catch (error) {
      allUnreachedSince ??= hearing.redisNow();
      throw error;
    }
  }

  function noteTold(namespaceId: string, position: string): void {
    namespaces.use(namespaceId);
    streams.note(namespaceId, position);
  }

  function noteUnreached(namespaceId: string, since: number): void {
    if (!unreached.has(namespaceId)) unreached.set(namespaceId, since);
  }

  /** In a Cluster one server may be away while others are there, which only its own namespaces know. */
  async function heardNow(): Promise<Heard> {
    const known = hearing.known();
    if (known) return known;
    const heard = await hearing.again();
    if (heard.isAmongOthers && !link.isCluster) unreached.clear();
    return heard;
  }

  async function run(script: Script, namespaceId: string, written: Written, isLong = false) {
    const since = hearing.redisNow();
    try {
      return await runToEnd(script, namespaceId, written, isLong);
    } catch (error) {
      if (error instanceof EngineUnavailable) noteUnreached(namespaceId, since);
      throw error;
    }
  }

  /** A namespace in which very much is due is brought up to date in several runs. */
  async function runToEnd(
    script: Script,
    namespaceId: string,
    written: Written,
    isLong = false,
  ): Promise<WrittenAnswer> {
    for (let again = ""; ; again = "again") {
      const answer = await runOnce(script, namespaceId, written, again, isLong);
      if (answer[0] === "LATE") throw new EngineUnavailable("The command reached Redis too late to be decided.");
      if (answer[0] === "DEAF") throw new EngineUnavailable("The command came too long after Redis was last asked.");
      if (answer[0] === "EARLY") throw new EngineUnavailable("This machine's clock is ahead of Redis'.");
      if (answer[0] === "GONE") throw new EngineUnavailable("The command was answered before, and the answer is gone.");
      if (answer[0] === "FAULT") throw new Error(String(answer[1]));
      if (answer[0] !== "MORE") return answer;
      // Nobody waits for a removal as others wait for a seat: it leaves them every second turn.
      if (script === commandScripts.removeNamespace) await sleep(removalPauseMs);
    }
  }

  /**
   * One that came too late by what was known of Redis' clock, or too long after hearing was asked for, had no effect. It is
   * sent once more while its caller waits, for by then both are known.
   */
  async function runOnce(
    script: Script,
    namespaceId: string,
    [body, create, made]: Written,
    again: string,
    isLong: boolean,
  ): Promise<WrittenAnswer> {
    const giveUpAt = link.giveUpAt();
    const opId = options.newOpId();
    for (let triesLeft = 1; ; triesLeft--) {
      if (isClosed) throw new EngineUnavailable("The engine is closed.");
      const { since, at } = await heardNow();
      const sentAt = options.wallClock();
      const deadline = clock.deadlineOf(namespaceId, giveUpAt, sentAt);
      const unreachedSince = unreached.get(namespaceId);
      const missed = unreachedSince === undefined ? "" : String(unreachedSince);
      const args = [body, opId, String(sentAt), create, made, again, String(deadline), since, at, missed];
      const startedAt = performance.now();
      const [position, answer, redisNow] = await send({ script, key: keyOf(namespaceId), args, giveUpAt, isLong });
      clock.learn(namespaceId, redisNow, startedAt);
      if (position !== "") noteTold(namespaceId, position);
      const isRefused = answer[0] === "LATE" || answer[0] === "DEAF" || answer[0] === "EARLY";
      if (!isRefused && unreached.get(namespaceId) === unreachedSince) unreached.delete(namespaceId);
      if (answer[0] === "DEAF") await hearing.again();
      else if (answer[0] !== "LATE") return answer;
      if (triesLeft === 0 || performance.now() >= giveUpAt) return answer;
    }
  }

  /** Before and after: whoever finds that a namespace is gone strikes it off, and must not win against its return. */
  async function listed<T>(namespaceId: string, execute: () => Promise<T>): Promise<T> {
    await namespaces.add(namespaceId);
    const outcome = await execute();
    await namespaces.add(namespaceId);
    return outcome;
  }

  return {
    async execute<T extends CommandType>(command: CommandOf<T>): Promise<Outcome<T>> {
      const { namespaceId, type } = command;
      const isLong = type === "find" && (command as CommandOf<"find">).explain === true;
      const execute = () =>
        run(commandScripts[type], namespaceId, writeCommand(command), isLong).finally(() =>
          namespaces.doubt(namespaceId),
        );
      const isMaking = type === "configure" || type === "removeNamespace";
      return readOutcome(command, await (isMaking ? listed(namespaceId, execute) : execute()));
    },

    async read<T extends QueryType>(query: QueryOf<T>): Promise<Answer<T>> {
      if (isClosed) throw new EngineUnavailable("The engine is closed.");
      // Borders: the compiler cannot see that an answer has the type of its query.
      if (query.type === "namespaces") return (await namespaces.all((await namespaceIdsAgain()).sort())) as Answer<T>;
      const asked = query as NamespaceQueryOf<NamespaceQueryType>;
      const { type, namespaceId } = asked;
      const answer = readAnswer(asked, await run(queryScripts[type], namespaceId, writeQuery(asked)));
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
      if (isClosed) return;
      isClosed = true;
      namespaces.close();
      await hearing.close();
      await streams.close();
    },
  };
}
