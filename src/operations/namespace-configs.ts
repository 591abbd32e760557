import type { Engine } from "../engine/engine.ts";
import { EngineUnavailable } from "../ground/unavailable.ts";
import type { Answer, CommandOf, CommandType, Find, Outcome, Refusal } from "../matchmaker/commands.ts";
import type { Db } from "../store/db.ts";
import { findNamespaceById, withNamespaceHeld } from "../store/namespaces.ts";
import {
  createConfigReader,
  type NamespaceConfig,
  type NamespaceIdentity,
  type VersionInUse,
} from "./config-reader.ts";

/**
 * Builds a command from a configuration, or returns `Other` instead. `longerBy`: how many symbols longer than usual the
 * codes of a new lobby are.
 */
type Build<T extends CommandType, Other> = (
  config: NamespaceConfig,
  longerBy: number,
) => CommandOf<T> | Other | Promise<CommandOf<T> | Other>;

export interface NamespaceConfigs {
  /** Null: the namespace does not exist. */
  get(namespaceId: string): Promise<NamespaceConfig | null>;
  /** The same without a promise, for every find. Null: call `get`. */
  peek(namespaceId: string): NamespaceConfig | null;
  /** A version of the game, deployed or not. */
  version(gameId: string, versionId: string): Promise<VersionInUse | null>;
  /** Reads a version before a request needs it, unless that would push out one that is in use. */
  readVersion(gameId: string, versionId: string): Promise<void>;
  /**
   * What never changes about a namespace; known also while the store is unavailable. Null: the namespace does not
   * exist.
   */
  identity(namespaceId: string): Promise<NamespaceIdentity | null>;
  /** Call it after every change in the store and before its answer: from then on no request is decided by the old configuration. */
  changed(namespaceId: string): Promise<void>;
  /** Call it when the engine reports that a command was built from a stale configuration; `attempt` counts from 0. */
  renew(namespaceId: string, attempt: number): Promise<void>;
  /**
   * Removes a namespace from engine and store. Until it has succeeded or failed, no read creates the namespace again;
   * after a failure, the next read does.
   */
  removing<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Executes a command built from the newest configuration. If it is stale, or other lobbies have every code it
   * brings, it is built and sent again. If `build` returns something else than a command, that is returned; null: the namespace does not exist.
   */
  execute<T extends CommandType, Other = never>(
    type: T,
    namespaceId: string,
    build: Build<T, Other>,
  ): Promise<Outcome<T> | Exclude<Other, CommandOf<T>> | null>;
  /** Asks in the same way what a find would do. */
  previewFind<Other = never>(
    namespaceId: string,
    build: Build<"find", Other>,
  ): Promise<Answer<"previewFind"> | Exclude<Other, Find> | null>;
}

interface Known {
  readonly loading: Promise<NamespaceConfig | null>;
  /** Null until it is loaded. */
  config: NamespaceConfig | null;
}

const attemptsMax = 10;

export function createNamespaceConfigs(db: Db, engine: Engine, now: () => number): NamespaceConfigs {
  const reader = createConfigReader(db, engine, now);
  const known = new Map<string, Known>();
  /** Data that was read before a change is not authoritative; with other writers, cached data never is. */
  let changes = 0;
  let removals = 0;
  db.onChange((change) => {
    if (typeof change === "string") known.clear();
    else for (const id of change) known.delete(id);
  });

  function get(namespaceId: string): Promise<NamespaceConfig | null> {
    const cached = known.get(namespaceId);
    if (cached) return cached.loading;
    const fresh: Known = { loading: load(namespaceId), config: null };
    known.set(namespaceId, fresh);
    const discard = () => {
      if (known.get(namespaceId) === fresh) known.delete(namespaceId);
    };
    // Missing namespaces are not cached; otherwise requests for random ids would fill the memory.
    fresh.loading.then((config) => {
      fresh.config = config;
      if (!config) discard();
    }, discard);
    return fresh.loading;
  }

  const peek = (namespaceId: string) => known.get(namespaceId)?.config ?? null;

  async function load(namespaceId: string): Promise<NamespaceConfig | null> {
    const changesBefore = changes;
    const namespace = await findNamespaceById(db, namespaceId);
    if (!namespace) return null;
    const isLastWord = () => db.invalidation.isOnlyWriter && removals === 0 && changes === changesBefore;
    return reader.configure(namespace, isLastWord);
  }

  /**
   * The engine may have a newer revision than this node, which then has to read again. If that does not help, the store
   * is older than the engine (a restored backup, a failed removal): then the store's row is written to the engine,
   * while the row is locked against other nodes.
   */
  async function renew(namespaceId: string, attempt: number): Promise<void> {
    known.delete(namespaceId);
    await db.invalidation.check();
    if (attempt === 0) return;
    await withNamespaceHeld(
      db,
      namespaceId,
      async (namespace, held) => namespace && reader.configure(namespace, () => true, held),
    );
  }

  return {
    ...sendCurrent(engine, { get, peek, renew }),
    get,
    peek,
    version: (gameId, versionId) => reader.version(gameId, versionId),
    async readVersion(gameId, versionId) {
      if (reader.hasSpace()) await reader.version(gameId, versionId);
    },
    identity: async (namespaceId) => reader.identity(namespaceId) ?? get(namespaceId),
    renew,
    async changed(namespaceId) {
      changes += 1;
      known.delete(namespaceId);
      await get(namespaceId);
    },
    async removing(work) {
      removals += 1;
      try {
        return await work();
      } finally {
        removals -= 1;
        changes += 1;
        known.clear();
      }
    },
  };
}

/** The retry loop: when the engine reports a stale command, it is built again from a newer configuration. */
function sendCurrent(
  engine: Engine,
  { get, peek, renew }: Pick<NamespaceConfigs, "get" | "peek" | "renew">,
): Pick<NamespaceConfigs, "execute" | "previewFind"> {
  async function send<T extends CommandType, Other, A extends { readonly ok: true } | Refusal>(
    type: T,
    namespaceId: string,
    build: Build<T, Other>,
    sendBuilt: (command: CommandOf<T>) => Promise<A>,
  ) {
    let longerBy = 0;
    for (let attempt = 0; attempt < attemptsMax; ) {
      const config = peek(namespaceId) ?? (await get(namespaceId));
      if (!config) return null;
      const built = build(config, longerBy);
      const command = built instanceof Promise ? await built : built;
      if (!isCommand(command, type)) return command as Exclude<Other, CommandOf<T>>;
      const answer = await sendBuilt(command);
      if (answer.ok) return answer;
      if (answer.code === "CODES_TAKEN") {
        longerBy += 1;
        continue;
      }
      if (answer.code !== "STALE_REVISION") return answer;
      await renew(namespaceId, attempt);
      attempt += 1;
    }
    throw new EngineUnavailable("The namespace's configuration changes faster than it can be read.");
  }

  return {
    execute: (type, namespaceId, build) => send(type, namespaceId, build, (command) => engine.execute(command)),
    previewFind: (namespaceId, build) =>
      send("find", namespaceId, build, ({ idempotency: _, ...find }) => engine.read({ ...find, type: "previewFind" })),
  };
}

function isCommand<T extends CommandType>(value: unknown, type: T): value is CommandOf<T> {
  return typeof value === "object" && value !== null && "type" in value && value.type === type;
}
