import type { Engine } from "../engine/engine.ts";
import type { Answer, LobbyView } from "../matchmaker/commands.ts";

const pageSize = 500;

/** The lobbies of a namespace, page by page; stopped ones only on demand, as long as they are remembered. */
export async function* livingLobbies(
  engine: Engine,
  namespaceId: string,
  now: () => number,
  includeStopped = false,
): AsyncIterable<LobbyView> {
  let after: string | null = null;
  do {
    const query = { type: "listAllLobbies", namespaceId, now: now(), includeStopped, after, limit: pageSize } as const;
    const page: Answer<"listAllLobbies"> = await engine.read(query);
    yield* page.lobbies;
    after = page.next;
  } while (after !== null);
}
