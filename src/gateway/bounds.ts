import { networkShare } from "../ground/rates.ts";
import { type Refusal, refuse } from "../operations/refusal.ts";
import type { LobbyRoute } from "../operations/routing/routes.ts";

/** Who holds a connection. */
export interface Holder {
  readonly client: string;
  readonly network: string | null;
  /** False: a program on this machine, or a proxy itself, which is not counted as a client. */
  readonly isCounted: boolean;
}

/** Counts the connections through the gateway. */
export interface Bounds {
  /** Whether only clients with a taken seat in the lobby may have what it still has. */
  isForSeated(route: LobbyRoute, holder: Holder): boolean;
  /** Takes a place for a connection; a refusal when there is none. The result gives the place back. */
  take(route: LobbyRoute, holder: Holder, isSeated?: boolean): (() => void) | Refusal;
  count(): number;
}

export function createBounds(limits: { all: number; perClient: number }): Bounds {
  const counts = new Map<string, number>();
  let all = 0;

  const countOf = (key: string) => counts.get(key) ?? 0;

  function add(key: string, change: 1 | -1): void {
    const count = countOf(key) + change;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  }

  /** Strangers leave half of a lobby's connections to those who play there. */
  function isForSeated({ lobbyId, connectionsMax }: LobbyRoute, { isCounted }: Holder): boolean {
    return isCounted && countOf(`s ${lobbyId}`) >= Math.floor(connectionsMax / 2);
  }

  function findRefusal({ lobbyId, connectionsMax, clientConnectionsMax }: LobbyRoute, holder: Holder): Refusal | null {
    const { client, network, isCounted } = holder;
    if (isCounted && countOf(`c ${client}`) >= limits.perClient) return tooManyOfClient();
    if (isCounted && network !== null && countOf(`c ${network}`) >= limits.perClient * networkShare) {
      return tooManyOfClient();
    }
    if (isCounted && countOf(`l ${lobbyId} ${client}`) >= clientConnectionsMax) return tooManyOfClient();
    if (countOf(`l ${lobbyId}`) >= connectionsMax) return full("The lobby has as many connections as it may have.");
    return all >= limits.all ? full("The gateway has as many connections as it may have.") : null;
  }

  return {
    isForSeated,
    take(route, holder, isSeated = false) {
      const refusal = findRefusal(route, holder);
      if (refusal !== null) return refusal;
      if (!isSeated && isForSeated(route, holder)) {
        return full("The lobby has as many connections of clients without a seat in it as it may have.");
      }

      const { client, network, isCounted } = holder;
      const keys = [`l ${route.lobbyId}`];
      if (isCounted) keys.push(`c ${client}`, `l ${route.lobbyId} ${client}`);
      if (isCounted && !isSeated) keys.push(`s ${route.lobbyId}`);
      if (isCounted && network !== null) keys.push(`c ${network}`);
      all += 1;
      for (const key of keys) add(key, 1);
      return once(() => {
        all -= 1;
        for (const key of keys) add(key, -1);
      });
    },
    count: () => all,
  };
}

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    run();
  };
}

function tooManyOfClient(): Refusal {
  const message = "This client has too many connections to lobbies. Close some first.";
  return refuse("API_RATE_LIMIT", message, { retryAfterS: 1 });
}

function full(message: string): Refusal {
  return refuse("API_UNAVAILABLE", `${message} Try again shortly.`, { retryAfterS: 5 });
}
