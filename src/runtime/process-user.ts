import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The user that lobbies run as. Null ids: the user that runs the service. */
export interface LobbyUser {
  readonly ids: { readonly uid: number; readonly gid: number } | null;
}

/** Looks the user up. Throws when there is no such user, or when the service may not start programs as another one. */
export async function findLobbyUser(name: string | null): Promise<LobbyUser> {
  if (name === null) return { ids: null };
  if (process.getuid?.() !== 0) {
    throw new Error(
      `FOYER_LOBBY_USER is ${name}, but only root may start programs as another user. Run Foyer as root, or do not set FOYER_LOBBY_USER.`,
    );
  }
  const [uid, gid] = await Promise.all([lookUpId("-u", name), lookUpId("-g", name)]);
  if (uid === 0) throw new Error("FOYER_LOBBY_USER is root. Choose a user without rights, or do not set it.");
  return { ids: { uid, gid } };
}

async function lookUpId(flag: "-u" | "-g", name: string): Promise<number> {
  try {
    // The name may look like a flag; after -- it is always a name.
    const { stdout } = await run("id", [flag, "--", name]);
    return Number(stdout.trim());
  } catch {
    throw new Error(
      `FOYER_LOBBY_USER is ${name}, and this machine has no such user. Create the user, or do not set FOYER_LOBBY_USER.`,
    );
  }
}

const run = promisify(execFile);
