import { type Client, createClient, type Json } from "./client.ts";

/** A namespace with a version of its own that exists for as long as a command runs. */
export interface ThrowawayNamespace {
  readonly params: { readonly game_id: string; readonly namespace_id: string };
  readonly nameId: string;
  readonly versionId: string;
  readonly publicToken: string;
  /** Calls with a server token of the namespace. */
  readonly server: Client;
  /** Removes the namespace, its lobbies and its version. */
  remove(): Promise<void>;
}

interface Limits {
  readonly lobby_count_max: number;
  readonly max_players: number;
  readonly max_players_per_client: null;
}

export async function createThrowawayNamespace(
  admin: Client,
  given: {
    readonly game_id: string;
    readonly kind: "dev" | "load";
    readonly config: unknown;
    readonly limits?: Limits;
  },
): Promise<ThrowawayNamespace> {
  const { game_id, kind, config, limits } = given;
  const display_name = `foyer ${kind}`;
  const nameId = `${kind}-${process.pid}`;
  const { namespace_id } = await admin.call("games.namespaces.createGameNamespace", {
    params: { game_id },
    body: { display_name, name_id: nameId },
  });
  const params = { game_id, namespace_id };
  let versionId: string | null = null;
  const remove = async () => {
    await admin.call("games.namespaces.deleteGameNamespace", { params, query: { force: "true" } });
    if (versionId === null) return;
    await admin.call("games.versions.deleteGameVersion", { params: { game_id, version_id: versionId } });
  };
  try {
    if (limits) await admin.call("games.namespaces.updateGameNamespaceMatchmakerConfig", { params, body: limits });
    const body = { display_name: `${display_name} ${process.pid}`, config };
    const version = await admin.call("games.versions.createGameVersion", { params: { game_id }, body });
    versionId = version.version_id as string;
    await admin.call("games.namespaces.updateGameNamespaceVersion", { params, body: { version_id: versionId } });
    const { token: publicToken } = await admin.call("games.namespaces.createGameNamespaceTokenPublic", { params });
    const { token } = await admin.call("games.namespaces.createGameNamespaceTokenServer", { params });
    const server = createClient({ ...admin.connection, token });
    return { params, nameId, versionId, publicToken, server, remove };
  } catch (error) {
    await remove().catch(() => undefined);
    throw error;
  }
}

/** By its display name. */
export const isThrowaway = (displayName: string): boolean => /^foyer (?:dev|load)$/.test(displayName);

/** Removes what a command left behind that was killed: its process no longer runs on this machine. */
export async function removeLeftovers(admin: Client, game_id: string, kind: "dev" | "load"): Promise<void> {
  const params = { game_id };
  const isLeft = (name: string, start: string) =>
    name.startsWith(start) && !isRunning(Number(name.slice(start.length)));
  const namespaces: Json[] = await admin.all("games.namespaces.listGameNamespaces", "namespaces", { params });
  for (const { name_id, display_name, namespace_id } of namespaces) {
    if (display_name !== `foyer ${kind}` || !isLeft(name_id, `${kind}-`)) continue;
    const query = { force: "true" };
    await admin.call("games.namespaces.deleteGameNamespace", { params: { game_id, namespace_id }, query });
  }
  const versions: Json[] = await admin.all("games.versions.listGameVersions", "versions", { params });
  for (const { version_id, display_name } of versions) {
    if (!isLeft(display_name, `foyer ${kind} `)) continue;
    await admin.call("games.versions.deleteGameVersion", { params: { game_id, version_id } });
  }
}

function isRunning(pid: number): boolean {
  // What is not a process id was not named by a command of this kind.
  if (!Number.isSafeInteger(pid) || pid < 1) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
