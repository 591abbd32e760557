import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, LobbyView, WantedLobbies } from "../matchmaker/commands.ts";
import type { Engine } from "./engine.ts";

/** A pause between two steps, so that a scan of very many lobbies does not block other work. */
const pauseMs = 1;

/**
 * The wanted lobbies of a namespace, step by step; stopped ones only on request, and only those that the engine still
 * keeps.
 */
export async function* pickLobbies(
  engine: Pick<Engine, "read">,
  namespaceId: string,
  now: () => number,
  wanted: WantedLobbies = {},
): AsyncIterable<LobbyView> {
  let after: string | null = null;
  do {
    const query = { type: "pickLobbies", namespaceId, now: now(), wanted, after } as const;
    const page: Answer<"pickLobbies"> = await engine.read(query);
    yield* page.lobbies;
    after = page.next;
    if (after !== null) await sleep(pauseMs);
  } while (after !== null);
}
