import { execFile } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, statSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { LobbyUser } from "./process-user.ts";

/** A folder of its own for each lobby, for whatever its process writes. It is gone when the process is. */
export interface LobbyFolders {
  /** Makes the folder, empty but for a place for temporary files. */
  make(lobbyId: string): { readonly home: string; readonly temporary: string };
  remove(lobbyId: string): Promise<void>;
  /** Removes those of lobbies that do not run, as a service that was killed leaves them behind. */
  removeOthers(isRunning: (lobbyId: string) => boolean): Promise<void>;
}

export async function createLobbyFolders(dataDir: string, user: LobbyUser): Promise<LobbyFolders> {
  const root = join(dataDir, "work");
  mkdirSync(root, { recursive: true, mode: 0o700 });
  if (user.ids !== null) await letPass(dataDir, root, user.ids);

  async function remove(lobbyId: string): Promise<void> {
    // What cannot be removed now, such as a folder that a lobby has locked, is tried again at the next start.
    await rm(join(root, lobbyId), { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }

  return {
    make(lobbyId) {
      const home = join(root, lobbyId);
      const temporary = join(home, "tmp");
      for (const folder of [home, temporary]) mkdirSync(folder, { mode: 0o700 });
      // The inner one first: once the outer one is the user's, what is in it may be anything.
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
 * A user that may not list the data folder still has to get through it to the folders of its lobbies. Everything else
 * in there is closed to it by its own rights.
 */
async function letPass(dataDir: string, root: string, ids: { uid: number; gid: number }): Promise<void> {
  for (const folder of [dataDir, root]) chmodSync(folder, (statSync(folder).mode & 0o777) | 0o011);
  try {
    await run("/bin/sh", ["-c", 'cd -- "$1"', "sh", root], { ...ids, cwd: "/", env: {} });
  } catch {
    throw new Error(
      `The user of FOYER_LOBBY_USER cannot reach the folders of its lobbies in ${root}. ` +
        "Let others search the folders above the data folder (chmod o+x), or choose another data_dir.",
    );
  }
}

const run = promisify(execFile);
