import type { PlayerApi } from "./generated/api.ts";
import type { Lobby } from "./generated/types.ts";
import { sleep } from "./retry.ts";

export type WatchedLobby = Lobby;

const pauseMaxMs = 15_000;

/** The whole list each time that it changes. After a break it opens the stream again, which begins with a new snapshot. */
export async function* watchLobbies(
  api: Pick<PlayerApi, "lobbies">,
  query: Parameters<PlayerApi["lobbies"]["watch"]>[0],
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly WatchedLobby[]> {
  for (let failures = 0; ; failures++) {
    const known = new Map<string, WatchedLobby>();
    try {
      for await (const { event, data } of api.lobbies.watch(query, signal ? { signal } : {})) {
        failures = 0;
        if (event === "removed") for (const id of data.lobby_ids) known.delete(id);
        else for (const lobby of data.lobbies) known.set(lobby.lobby_id, lobby);
        yield [...known.values()];
      }
    } catch (error) {
      if (signal?.aborted) return;
      const { status = 0 } = error as { status?: number };
      // Foyer refuses this watch for a reason that does not pass.
      if (status >= 400 && status < 500 && status !== 429) throw error;
    }
    await sleep(Math.random() * Math.min(500 * 2 ** failures, pauseMaxMs), signal).catch(() => undefined);
    if (signal?.aborted) return;
  }
}
