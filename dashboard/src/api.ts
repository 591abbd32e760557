import { type UseQueryOptions, type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { CallOptions, Foyer } from "foyer-sdk";
import { useSession } from "./session/session.tsx";

type Options<T> = Pick<UseQueryOptions<T>, "refetchInterval" | "enabled" | "placeholderData" | "staleTime">;

/**
 * Reads something with an operation of the SDK, and keeps it under the key:
 * `useAsk(["game", game], (foyer, options) => foyer.games.getGame(game, options))`.
 */
export function useAsk<T>(
  key: readonly unknown[],
  ask: (foyer: Foyer, options: CallOptions) => Promise<T>,
  options: Options<T> = {},
): UseQueryResult<T> {
  const { foyer } = useSession();
  return useQuery({ queryKey: key, queryFn: ({ signal }) => ask(foyer, { signal }), ...options });
}

/** More than a person reads in a page; who has more of something than this uses the command. */
const itemsMax = 2_000;

/** All items of a list, page by page. */
export async function everything<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) {
    items.push(item);
    if (items.length >= itemsMax) break;
  }
  return items;
}

export const useGames = () =>
  useAsk(["games"], (foyer, options) => everything(foyer.games.listGames({ limit: 500 }, options)));

export const useGame = (game: string) =>
  useAsk(["game", game], async (foyer, options) => (await foyer.games.getGame(game, options)).game);

export const useNamespaces = (game: string) =>
  useAsk(["namespaces", game], (foyer, options) =>
    everything(foyer.games.namespaces.listGameNamespaces(game, { limit: 500 }, options)),
  );

export const useNamespace = (game: string, namespace: string) =>
  useAsk(
    ["namespace", game, namespace],
    async (foyer, options) => (await foyer.games.namespaces.getGameNamespace(game, namespace, options)).namespace,
  );
