import { fileURLToPath } from "node:url";
import { type ServerProcess, startServer } from "../server-process.ts";
import type { RoomCount } from "./count.ts";
import { CannotStart } from "./peer.ts";

/** A program of one of the folders here, which has the peer's packages, and its port for questions. */
export interface ForeignServer {
  readonly server: ServerProcess;
  rooms(): Promise<readonly RoomCount[]>;
  lock(roomId: string): Promise<void>;
}

/** No peer gets longer than this to make its rooms. */
const giveUpAfterS = 60;

export async function startForeign(folder: string, options: Readonly<Record<string, unknown>>): Promise<ForeignServer> {
  const cwd = fileURLToPath(new URL(`${folder}/`, import.meta.url));
  const args = [JSON.stringify({ ...options, giveUpAfterS })];
  const server = await startServer(`${cwd}server.mjs`, args, cwd, { NODE_ENV: "production" }).catch((error: Error) => {
    const reason = /CANNOT (.*)/.exec(error.message)?.[1];
    throw reason === undefined ? error : new CannotStart(reason);
  });
  const control = /CONTROL (\S+)/.exec(server.greeting)![1]!;
  const ask = async (path: string): Promise<unknown> => {
    const answer = await fetch(`${control}${path}`);
    if (!answer.ok) throw new Error(`${folder} answered ${answer.status} to ${path}: ${await answer.text()}`);
    return answer.json();
  };
  return {
    server,
    rooms: async () => (await ask("/rooms")) as RoomCount[],
    lock: async (roomId) => void (await ask(`/lock/${roomId}`)),
  };
}
