import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** As whom lobbies run. Null ids: as the user that runs the service. */
export interface LobbyUser {
  readonly ids: { readonly uid: number; readonly gid: number } | null;
}

/** Looks the user up. Throws when there is no such user, or when the service may not start programs as another one. */
export async function findLobbyUser(name: string | null): Promise<LobbyUser> {
  if (name === null) return { ids: null };
  if (process.getuid?.() !== 0) {
    throw new Error(
      `FOYER_LOBBY_USER is ${name}, but only root may start programs as another user. Run Foyer as root, or leave FOYER_LOBBY_USER out.`,
    );
  }
  const [uid, gid] = await Promise.all([lookUpId("-u", name), lookUpId("-g", name)]);
  if (uid === 0) throw new Error("FOYER_LOBBY_USER is root. Give lobbies a user without rights, or leave it out.");
  return { ids: { uid, gid } };
}

async function lookUpId(flag: "-u" | "-g", name: string): Promise<number> {
  try {
    // The name may look like a flag; after -- it is a name all the same.
    const { stdout } = await run("id", [flag, "--", name]);
    return Number(stdout.trim());
  } catch {
    throw new Error(`FOYER_LOBBY_USER is ${name}, and this machine has no such user. Create it, or leave it out.`);
  }
}

const run = promisify(execFile);
