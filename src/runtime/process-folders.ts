import { execFile } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, statSync } from "node:fs";
import { readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { signalGroup } from "./process-group.ts";
import { findProcesses } from "./process-identity.ts";
import type { LobbyUser } from "./process-user.ts";

/** Creates one folder per lobby for the files of its process, and removes it when the process has ended. */
export interface LobbyFolders {
  /** Creates the folder, empty except for a folder for temporary files. */
  make(lobbyId: string): { readonly home: string; readonly temporary: string };
  remove(lobbyId: string): Promise<void>;
  /** Removes the folders of lobbies that do not run, which a killed service leaves behind. */
  removeOthers(isRunning: (lobbyId: string) => boolean): Promise<void>;
}

export async function createLobbyFolders(dataDir: string, user: LobbyUser): Promise<LobbyFolders> {
  const root = join(dataDir, "work");
  mkdirSync(root, { recursive: true, mode: 0o700 });
  if (user.ids !== null) await allowPassage(dataDir, root, user.ids);

  async function remove(lobbyId: string): Promise<void> {
    // The next start tries again to remove what cannot be removed now, such as a folder that a lobby has locked.
    const removing =
      user.ids === null
        ? rm(join(root, lobbyId), { recursive: true, force: true, maxRetries: 3 })
        : removeAs(user.ids, join(root, lobbyId), lobbyId);
    await removing.catch(() => undefined);
  }

  return {
    make(lobbyId) {
      const home = join(root, lobbyId);
      const temporary = join(home, "tmp");
      for (const folder of [home, temporary]) mkdirSync(folder, { mode: 0o700 });
      // The inner folder first: once the outer one belongs to the user, the user may replace what is in it.
      if (user.ids !== null) for (const folder of [temporary, home]) chownSync(folder, user.ids.uid, user.ids.gid);
      return { home, temporary };
    },
    remove,
    async removeOthers(isRunning) {
      for (const name of await readdir(root)) if (!isRunning(name)) await remove(name);
    },
  };
}

/**
 * Removes a folder whose content belongs to another user. That user may still have a process that replaces folders by
 * links during the removal, so the removal runs with the rights of the user. Root removes only the folder itself, whose
 * parent the user cannot write to.
 */
async function removeAs(ids: { uid: number; gid: number }, folder: string, lobbyId: string): Promise<void> {
  // A process that left the group of the lobby's process could fill the folder again. It may have forked since.
  for (let left = await findProcesses(lobbyId), rounds = 0; left.length > 0 && rounds < 5; rounds++) {
    for (const { pid } of left) signalGroup(pid, "SIGKILL", "this one");
    left = await findProcesses(lobbyId);
  }
  // Folders without permissions for their own user get them first. The outermost folder stays, so rm always reports an
  // error.
  const script = 'exec >/dev/null 2>&1; chmod -R u+rwX -- "$1"; exec rm -rf -- "$1"';
  const limits = { timeout: removeWithinMs, killSignal: "SIGKILL" } as const;
  const options = { ...ids, ...limits, cwd: "/", env: { PATH: "/usr/bin:/bin" } };
  await run("/bin/sh", ["-c", script, "sh", folder], options).catch(() => undefined);
  await rmdir(folder);
}

const removeWithinMs = 10_000;

/**
 * The lobby user needs search permission on the data folder to reach the folders of its lobbies. The permissions of all
 * other files there exclude it.
 */
async function allowPassage(dataDir: string, root: string, ids: { uid: number; gid: number }): Promise<void> {
  for (const folder of [dataDir, root]) chmodSync(folder, (statSync(folder).mode & 0o777) | 0o011);
  try {
    await run("/bin/sh", ["-c", 'cd -- "$1"', "sh", root], { ...ids, cwd: "/", env: {} });
  } catch {
    throw new Error(
      `The user of FOYER_LOBBY_USER cannot reach the folders of its lobbies in ${root}. ` +
        "Run chmod o+x on the folders above the data folder, or choose another data_dir.",
    );
  }
}

const run = promisify(execFile);
