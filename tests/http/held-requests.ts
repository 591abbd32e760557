import { createArena, type Matchmaker } from "../support/arena.ts";

/** Requests that are in flight for as long as a test wants: each asks for a log that the driver does not give yet. */
export interface HeldRequests {
  readonly path: string;
  /** Sends it and resolves when the service waits for the log. */
  hold(send: (path: string) => void): Promise<void>;
  /** Gives every log that is waited for. */
  release(): void;
}

export async function createHeldRequests({ service, runtime }: Matchmaker): Promise<HeldRequests> {
  const arena = await createArena(service);
  const { lobbyId } = await arena.register();
  const path = `${arena.namespace.path}/lobbies/${lobbyId}/logs`;
  const waiting: (() => void)[] = [];
  let isHeld = () => {};
  runtime.logPiece = async (_lobbyId, _stream, _from, maxBytes) => {
    // A reader of a log first asks for its length.
    if (maxBytes === 0) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        isHeld();
      });
    }
    return { bytes: Buffer.alloc(0), start: 0, first: 0, end: 0 };
  };
  return {
    path,
    async hold(send) {
      const held = new Promise<void>((resolve) => {
        isHeld = resolve;
      });
      send(path);
      await held;
    },
    release() {
      for (const give of waiting.splice(0)) give();
    },
  };
}
