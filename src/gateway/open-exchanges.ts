import type { Refusal } from "../operations/refusal.ts";

/** The connections to lobbies that are open now. */
export interface OpenExchanges {
  /** The result says that it is over. */
  add(exchange: OpenExchange): () => void;
  closeLobby(lobbyId: string, why: Refusal): void;
  closeAll(why: Refusal): void;
  all(): Iterable<OpenExchange>;
}

interface OpenExchange {
  readonly lobbyId: string;
  readonly namespaceId: string;
  readonly client: string;
  /** Ends it immediately; if there is no answer yet, with this one. */
  close(why: Refusal): void;
}

export function createOpenExchanges(): OpenExchanges {
  const byLobby = new Map<string, Set<OpenExchange>>();

  function* all(): Iterable<OpenExchange> {
    for (const exchanges of byLobby.values()) yield* exchanges;
  }

  return {
    add(exchange) {
      const { lobbyId } = exchange;
      const exchanges = byLobby.get(lobbyId) ?? new Set();
      byLobby.set(lobbyId, exchanges.add(exchange));
      return () => {
        exchanges.delete(exchange);
        if (exchanges.size === 0 && byLobby.get(lobbyId) === exchanges) byLobby.delete(lobbyId);
      };
    },
    closeLobby(lobbyId, why) {
      for (const exchange of [...(byLobby.get(lobbyId) ?? [])]) exchange.close(why);
    },
    closeAll(why) {
      for (const exchange of [...all()]) exchange.close(why);
    },
    all,
  };
}
