import type { ResolvedVersionConfig } from "../contract/version-config.ts";
import type { Engine } from "../engine/engine.ts";
import type { Limits } from "../matchmaker/commands.ts";
import { blocksAt } from "../store/blocks.ts";
import type { Db } from "../store/db.ts";
import type { Namespace } from "../store/namespaces.ts";
import { findVersion } from "../store/versions.ts";
import { blockTable, type IsBlocked } from "./auth/client-blocks.ts";
import { resolveVersionConfig } from "./cloud/version-document.ts";

export interface VersionInUse {
  readonly versionId: string;
  readonly displayName: string;
  readonly config: ResolvedVersionConfig;
}

/** What never changes about a namespace. */
export interface NamespaceIdentity {
  readonly namespaceId: string;
  readonly nameId: string;
  readonly gameId: string;
}

/** What the matchmaker needs to know about a namespace, at one revision (docs/decisions/0009). */
export interface NamespaceConfig extends NamespaceIdentity {
  readonly revision: number;
  readonly limits: Limits;
  /** Null: no version is deployed. */
  readonly version: VersionInUse | null;
  /** Null: no client is blocked. */
  readonly isBlocked: IsBlocked | null;
}

/** Creates configurations from rows, and caches the versions that it has read. */
export interface ConfigReader {
  /**
   * Returns the configuration of a namespace after the engine has stored it, so that a command built from it is never
   * ahead of the engine. `isLastWord`: the row wins, even if the engine has a later revision.
   */
  configure(namespace: Namespace, isLastWord: () => boolean, store?: Db): Promise<NamespaceConfig>;
  /** For a namespace that was configured before; undefined: not cached. */
  identity(namespaceId: string): NamespaceIdentity | undefined;
  /** A version of the game, deployed or not. */
  version(gameId: string, versionId: string, store?: Db): Promise<VersionInUse | null>;
  /** Whether a version may be read into the cache without pushing out one that is in use. */
  hasSpace(): boolean;
}

const versionsMax = 1000;
const identitiesMax = 10_000;

export function createConfigReader(db: Db, engine: Engine, now: () => number): ConfigReader {
  const versions = new Map<string, VersionInUse>();
  const identities = new Map<string, NamespaceIdentity>();

  async function version(gameId: string, versionId: string, store = db): Promise<VersionInUse | null> {
    const key = `${gameId}/${versionId}`;
    const cached = versions.get(key);
    if (cached) return cached;
    const row = await findVersion(store, gameId, versionId);
    if (!row) return null;
    const found = {
      versionId,
      displayName: row.displayName,
      config: resolveVersionConfig(JSON.parse(row.config), row.defaults),
    };
    if (versions.size >= versionsMax) versions.delete(versions.keys().next().value!);
    versions.set(key, found);
    return found;
  }

  return {
    async configure(namespace, isLastWord, store = db) {
      const { namespaceId, gameId, nameId, revision, versionId } = namespace;
      const { lobbyCountMax, maxPlayers, maxPlayersPerClient } = namespace;
      if (identities.size >= identitiesMax) identities.delete(identities.keys().next().value!);
      identities.set(namespaceId, { namespaceId, gameId, nameId });
      const limits = { lobbyCountMax, maxPlayers, maxPlayersPerClient };
      const deployed = versionId === null ? null : await version(gameId, versionId, store);
      const isBlocked = blockTable(await blocksAt(store, namespaceId, revision));
      await engine.execute({
        type: "configure",
        namespaceId,
        now: now(),
        revision,
        limits,
        deployedVersionId: versionId,
        idleMinimums: deployed ? listIdleMinimums(deployed.config) : [],
        isAuthoritative: isLastWord(),
      });
      return { namespaceId, nameId, gameId, revision, limits, version: deployed, isBlocked };
    },
    identity: (namespaceId) => identities.get(namespaceId),
    version,
    hasSpace: () => versions.size < versionsMax / 2,
  };
}

function listIdleMinimums(config: ResolvedVersionConfig) {
  return Object.entries(config.game_modes).flatMap(([gameMode, mode]) => {
    if (mode.idle_lobbies.min === 0 || "external" in mode.runtime) return [];
    return mode.regions.map((region) => ({ gameMode, region, min: mode.idle_lobbies.min }));
  });
}
