import { createRates, takeForClient } from "../../ground/rates.ts";
import type { Client } from "../callers.ts";
import { refuse } from "../refusal.ts";

/** How many seats one client may take in a minute, over find, join and create. */
export interface SeatBudget {
  /** Takes them from what is left of the client, if there is one, until they are settled; or says why not, and takes nothing. */
  take(client: Client | null, seats: number): SeatsHeld | ReturnType<typeof tooManySeats>;
}

interface SeatsHeld {
  /** Gives them back unless they were taken. */
  settle(areTaken: boolean): void;
}

/** `monotonic` is in milliseconds. Clients of all namespaces have one budget: it is about machines, not about games. */
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
  const message = `This client would take more seats than it may in a minute. Try again in ${retryAfterS} seconds.`;
  return refuse("API_RATE_LIMIT", message, { retryAfterS });
}
