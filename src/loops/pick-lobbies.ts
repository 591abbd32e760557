import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "../engine/engine.ts";
import type { Answer, LobbyView, WantedLobbies } from "../matchmaker/commands.ts";

/** Between two steps, so that whoever looks at very many lobbies leaves room for others. */
const pauseMs = 1;

/** The lobbies of a namespace that are wanted, step by step; stopped ones only on demand, as long as they are remembered. */
export async function* pickLobbies(
  engine: Engine,
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
