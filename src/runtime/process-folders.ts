import { execFile } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, statSync } from "node:fs";
import { readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { signalGroup } from "./process-group.ts";
import { findProcesses } from "./process-identity.ts";
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
  if (user.ids !== null) await allowPassage(dataDir, root, user.ids);

  async function remove(lobbyId: string): Promise<void> {
    // What cannot be removed now, such as a folder that a lobby has locked, is tried again at the next start.
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
 * Removes a folder whose content belongs to another user. That user may still have a process that puts links in the
 * place of folders while they are walked through, so the walk has no more rights than the user; root takes away only
 * the folder itself, which stands where the user cannot write.
 */
async function removeAs(ids: { uid: number; gid: number }, folder: string, lobbyId: string): Promise<void> {
  // What has left the group of the lobby's process would fill the folder again. It may have forked since.
  for (let left = await findProcesses(lobbyId), rounds = 0; left.length > 0 && rounds < 5; rounds++) {
    for (const { pid } of left) signalGroup(pid, "SIGKILL", "this one");
    left = await findProcesses(lobbyId);
  }
  // Folders that are closed to their own user are opened first. The outermost one stays, so rm always complains.
  const script = 'exec >/dev/null 2>&1; chmod -R u+rwX -- "$1"; exec rm -rf -- "$1"';
  const limits = { timeout: removeWithinMs, killSignal: "SIGKILL" } as const;
  const options = { ...ids, ...limits, cwd: "/", env: { PATH: "/usr/bin:/bin" } };
  await run("/bin/sh", ["-c", script, "sh", folder], options).catch(() => undefined);
  await rmdir(folder);
}

const removeWithinMs = 10_000;

/**
 * A user that may not list the data folder still has to get through it to the folders of its lobbies. Everything else
 * in there is closed to it by its own rights.
 */
async function allowPassage(dataDir: string, root: string, ids: { uid: number; gid: number }): Promise<void> {
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
