import { createRates, takeForClient } from "../../ground/rates.ts";
import type { Client } from "../callers.ts";
import { refuse } from "../refusal.ts";

/** How many seats one client may take in a minute, over find, join and create. */
export interface SeatBudget {
  /**
   * Holds the seats in the client's budget, if there is a client, until they are settled; or refuses and holds nothing.
   */
  take(client: Client | null, seats: number): SeatsHeld | ReturnType<typeof tooManySeats>;
}

interface SeatsHeld {
  /** Releases the seats unless they were taken. */
  settle(areTaken: boolean): void;
}

/** `monotonic` is in milliseconds. A client has one budget for all namespaces: it limits machines, not games. */
export function createSeatBudget(perMinute: number, monotonic: () => number): SeatBudget {
  const rates = createRates();
  return {
    take(client, seats) {
      const taken = client?.isLimited ? takeForClient(rates, "seats", client, perMinute, monotonic(), seats) : null;
      if (taken === null) return unlimited;
      if (!taken.allowed) return tooManySeats(taken.resetS);
      return {
        settle(areTaken) {
          if (!areTaken) taken.giveBack();
        },
      };
    },
  };
}

const unlimited: SeatsHeld = { settle: () => undefined };

function tooManySeats(retryAfterS: number) {
  const message = `This client has reached its limit of seats per minute. Try again in ${retryAfterS} seconds.`;
  return refuse("API_RATE_LIMIT", message, { retryAfterS });
}
