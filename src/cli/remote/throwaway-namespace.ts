import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { VersionConfig } from "foyer-sdk";
import { all, type Client, createClient } from "./client.ts";

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
    /** The game exists for commands of this kind only. The name of the namespace says so, to those that join later. */
    readonly isNewGame?: boolean;
    readonly config: VersionConfig;
    readonly limits?: Limits;
  },
): Promise<ThrowawayNamespace> {
  const { game_id, kind, isNewGame = false, config, limits } = given;
  const display_name = `foyer ${kind}`;
  // The random end: the same process may have made one before, and a later process may have the same id.
  const owner = `${machineMark()}-${process.pid}-${randomBytes(3).toString("hex")}`;
  const nameId = `${kind}-${isNewGame ? newGameMark : ""}${owner}`;
  const { namespace_id } = await admin.games.namespaces.createGameNamespace(game_id, { display_name, name_id: nameId });
  const params = { game_id, namespace_id };
  let versionId: string | null = null;
  const remove = async () => {
    await admin.games.namespaces.deleteGameNamespace(game_id, namespace_id, { force: true });
    if (versionId !== null) await admin.games.versions.deleteGameVersion(game_id, versionId);
  };
  try {
    const { namespaces, versions } = admin.games;
    if (limits) await namespaces.updateGameNamespaceMatchmakerConfig(game_id, namespace_id, limits);
    const body = { display_name: `${display_name} ${owner}`, config };
    versionId = (await versions.createGameVersion(game_id, body)).version_id;
    await namespaces.updateGameNamespaceVersion(game_id, namespace_id, { version_id: versionId });
    const { token: publicToken } = await namespaces.createGameNamespaceTokenPublic(game_id, namespace_id);
    const { token } = await namespaces.createGameNamespaceTokenServer(game_id, namespace_id);
    const server = createClient({ ...admin.connection, token });
    return { params, nameId, versionId, publicToken, server, remove };
  } catch (error) {
    await remove().catch(() => undefined);
    throw error;
  }
}

const newGameMark = "new-";

/** Whether commands that run now made the game, which goes with the last of them. */
export async function isThrowawayGame(admin: Client, game_id: string): Promise<boolean> {
  const namespaces = await all(admin.games.namespaces.listGameNamespaces(game_id));
  return namespaces.some(
    ({ name_id, display_name }) => isThrowaway(display_name) && name_id.startsWith(`dev-${newGameMark}`),
  );
}

/** By its display name. */
export const isThrowaway = (displayName: string): boolean => /^foyer (?:dev|load)$/.test(displayName);

/** Removes what a command left behind that was killed: its process no longer runs on this machine. */
export async function removeLeftovers(admin: Client, game_id: string, kind: "dev" | "load"): Promise<void> {
  const mark = machineMark();
  function isLeft(name: string, start: string): boolean {
    if (!name.startsWith(start)) return false;
    const [machine, pid] = name.slice(start.length).replace(newGameMark, "").split("-");
    return machine === mark && !isRunning(Number(pid));
  }
  const namespaces = await all(admin.games.namespaces.listGameNamespaces(game_id));
  for (const { name_id, display_name, namespace_id } of namespaces) {
    if (display_name !== `foyer ${kind}` || !isLeft(name_id, `${kind}-`)) continue;
    await admin.games.namespaces.deleteGameNamespace(game_id, namespace_id, { force: true });
  }
  const versions = await all(admin.games.versions.listGameVersions(game_id));
  for (const { version_id, display_name } of versions) {
    if (!isLeft(display_name, `foyer ${kind} `)) continue;
    await admin.games.versions.deleteGameVersion(game_id, version_id);
  }
}

/** Differs between machines, and between containers: a process id of another one says nothing here. */
function machineMark(): string {
  const id = readOr("", () => readFileSync("/etc/machine-id", "latin1"));
  const pidNamespace = readOr("", () => readlinkSync("/proc/self/ns/pid"));
  return createHash("sha256").update(`${hostname()} ${id} ${pidNamespace}`).digest("hex").slice(0, 6);
}

/** Not every system has these files. */
function readOr(otherwise: string, read: () => string): string {
  try {
    return read();
  } catch {
    return otherwise;
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
