import type { ResolvedVersionConfig } from "../contract/version-config.ts";
import type { Engine } from "../engine/engine.ts";
import { EngineUnavailable } from "../ground/unavailable.ts";
import type { CommandOf, CommandType, Limits, Outcome } from "../matchmaker/commands.ts";
import { blocksAt } from "../store/blocks.ts";
import type { Db } from "../store/db.ts";
import { findNamespaceById, type Namespace, withNamespaceHeld } from "../store/namespaces.ts";
import { findVersion } from "../store/versions.ts";
import { blockTable, type IsBlocked } from "./auth/client-blocks.ts";
import { resolveVersionConfig } from "./cloud/version-document.ts";

export interface VersionInUse {
  readonly versionId: string;
  readonly config: ResolvedVersionConfig;
}

interface NamespaceIdentity {
  readonly namespaceId: string;
  readonly nameId: string;
  readonly gameId: string;
}

/** What the matchmaker needs to know of a namespace, as of one revision. */
export interface NamespaceConfig extends NamespaceIdentity {
  readonly revision: number;
  readonly limits: Limits;
  /** Null: none deployed yet. */
  readonly version: VersionInUse | null;
  /** Null: nobody is blocked. */
  readonly isBlocked: IsBlocked | null;
}

export interface NamespaceConfigs {
  /** Null: there is no such namespace. */
  get(namespaceId: string): Promise<NamespaceConfig | null>;
  /** A version of the game, deployed or not. */
  version(gameId: string, versionId: string): Promise<VersionInUse | null>;
  /** Reads a version before anybody needs it, as long as that pushes out none that is in use. */
  readVersion(gameId: string, versionId: string): Promise<void>;
  /** What never changes about a namespace, so that it is known also while the store is away. Null: there is none. */
  identity(namespaceId: string): Promise<NamespaceIdentity | null>;
  /** Call it after every change in the store and before its answer: from then on nobody decides by the old configuration. */
  changed(namespaceId: string): Promise<void>;
  /** Call it when the engine says that a command was built from a stale configuration; `attempt` counts from 0. */
  renew(namespaceId: string, attempt: number): Promise<void>;
  /**
   * Removes a namespace from engine and store. Until it has ended, well or badly, nothing that is read brings the
   * namespace back; after it failed, the next read does.
   */
  removing<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Executes a command built from the newest configuration. When it turns out stale, it is built and sent again.
   * What `build` returns that is no command is returned as it is; null: there is no such namespace.
   */
  execute<T extends CommandType, Other = never>(
    type: T,
    namespaceId: string,
    build: (config: NamespaceConfig) => CommandOf<T> | Other | Promise<CommandOf<T> | Other>,
  ): Promise<Outcome<T> | Exclude<Other, CommandOf<T>> | null>;
}

const attemptsMax = 10;
const versionsMax = 1000;
const identitiesMax = 10_000;

export function createNamespaceConfigs(db: Db, engine: Engine, now: () => number): NamespaceConfigs {
  const known = new Map<string, Promise<NamespaceConfig | null>>();
  const versions = new Map<string, VersionInUse>();
  const identities = new Map<string, NamespaceIdentity>();
  /** What was read before a change is not the store's last word. */
  let changes = 0;
  let removals = 0;
  db.onChange((change) => {
    if (typeof change === "string") known.clear();
    else for (const id of change) known.delete(id);
  });

  function get(namespaceId: string): Promise<NamespaceConfig | null> {
    const cached = known.get(namespaceId);
    if (cached) return cached;
    const loading = load(namespaceId);
    known.set(namespaceId, loading);
    const discard = () => {
      if (known.get(namespaceId) === loading) known.delete(namespaceId);
    };
    // What does not exist is not remembered, or asking for random ids would fill the memory.
    loading.then((config) => config ?? discard(), discard);
    return loading;
  }

  /** Reads the store and tells the engine, so that a command built from the result is never ahead of the engine. */
  async function load(namespaceId: string): Promise<NamespaceConfig | null> {
    const changesBefore = changes;
    const namespace = await findNamespaceById(db, namespaceId);
    if (!namespace) return null;
    // Of a store that others write to, a row that was read is never the last word.
    const isLastWord = () => db.sharing === null && removals === 0 && changes === changesBefore;
    return tellEngine(namespace, isLastWord);
  }

  async function tellEngine(namespace: Namespace, isLastWord: () => boolean, store = db): Promise<NamespaceConfig> {
    const { namespaceId, gameId, nameId, revision, versionId } = namespace;
    const { lobbyCountMax, maxPlayers, maxPlayersPerClient } = namespace;
    const limits = { lobbyCountMax, maxPlayers, maxPlayersPerClient };
    if (identities.size >= identitiesMax) identities.delete(identities.keys().next().value!);
    identities.set(namespaceId, { namespaceId, gameId, nameId });
    const deployed = versionId === null ? null : await version(gameId, versionId, store);
    const isBlocked = blockTable(await blocksAt(store, namespaceId, revision));
    await engine.execute({
      type: "configure",
      namespaceId,
      now: now(),
      revision,
      limits,
      deployedVersionId: versionId,
      idleMinimums: deployed ? idleMinimumsOf(deployed.config) : [],
      isAuthoritative: isLastWord(),
    });
    return { namespaceId, nameId, gameId, revision, limits, version: deployed, isBlocked };
  }

  /**
   * The engine may know something newer than this node, which then has to read again. If that does not help, the store
   * went back behind the engine (a restored backup, a removal that failed): then the store's word is made to hold, while
   * the row is locked against other nodes.
   */
  async function renew(namespaceId: string, attempt: number): Promise<void> {
    known.delete(namespaceId);
    await db.sharing?.check();
    if (db.sharing === null || attempt === 0) return;
    await withNamespaceHeld(
      db,
      namespaceId,
      async (namespace, held) => namespace && tellEngine(namespace, () => true, held),
    );
  }

  async function version(gameId: string, versionId: string, store = db): Promise<VersionInUse | null> {
    const key = `${gameId}/${versionId}`;
    const cached = versions.get(key);
    if (cached) return cached;
    const row = await findVersion(store, gameId, versionId);
    if (!row) return null;
    const found = { versionId, config: resolveVersionConfig(JSON.parse(row.config)) };
    if (versions.size >= versionsMax) versions.delete(versions.keys().next().value!);
    versions.set(key, found);
    return found;
  }

  return {
    get,
    version: (gameId, versionId) => version(gameId, versionId),
    async readVersion(gameId, versionId) {
      if (versions.size < versionsMax / 2) await version(gameId, versionId);
    },
    identity: async (namespaceId) => identities.get(namespaceId) ?? get(namespaceId),
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
    async execute<T extends CommandType, Other>(
      type: T,
      namespaceId: string,
      build: (config: NamespaceConfig) => CommandOf<T> | Other | Promise<CommandOf<T> | Other>,
    ) {
      for (let attempt = 0; attempt < attemptsMax; attempt++) {
        const config = await get(namespaceId);
        if (!config) return null;
        const built = build(config);
        const command = built instanceof Promise ? await built : built;
        if (!isCommand(command, type)) return command as Exclude<Other, CommandOf<T>>;
        const outcome = await engine.execute(command);
        if (outcome.ok || outcome.code !== "STALE_REVISION") return outcome;
        await renew(namespaceId, attempt);
      }
      throw new EngineUnavailable("The namespace's configuration changes faster than it can be read.");
    },
  };
}

function isCommand<T extends CommandType>(value: unknown, type: T): value is CommandOf<T> {
  return typeof value === "object" && value !== null && "type" in value && value.type === type;
}

function idleMinimumsOf(config: ResolvedVersionConfig) {
  return Object.entries(config.game_modes).flatMap(([gameMode, mode]) => {
    if (mode.idle_lobbies.min === 0 || !("process" in mode.runtime)) return [];
    return mode.regions.map((region) => ({ gameMode, region, min: mode.idle_lobbies.min }));
  });
}
