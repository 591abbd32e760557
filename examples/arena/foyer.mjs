import { setTimeout as sleep } from "node:timers/promises";

/** Foyer refused a call; `code` is one of those on its page /docs/errors. */
export class FoyerRefusal extends Error {
  constructor(status, { code, message }) {
    super(message);
    this.name = "FoyerRefusal";
    this.status = status;
    this.code = code;
  }

  /** Foyer has stopped the lobby, or no longer remembers it. */
  get meansGone() {
    return this.status === 410 || this.status === 401;
  }
}

const answerWithinMs = 5_000;
const tries = 6;

/** Every call that a lobby makes to Foyer. They are plain HTTP; copy them into the language of your server. */
export function createFoyer({ endpoint, token }) {
  async function call(method, path, body) {
    const response = await fetch(`${endpoint}/matchmaker${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(answerWithinMs),
    });
    const text = await response.text();
    if (response.ok) return text === "" ? null : JSON.parse(text);
    throw new FoyerRefusal(response.status, errorOf(text, response.status));
  }

  /** For calls that are safe to repeat: retries them while Foyer restarts, with growing pauses. */
  async function persist(method, path, body) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call(method, path, body);
      } catch (error) {
        const isFinal = error instanceof FoyerRefusal && error.status < 500;
        if (isFinal || attempt === tries) throw error;
        await sleep(100 * 2 ** attempt);
      }
    }
  }

  return {
    ready: () => persist("POST", "/lobbies/ready"),
    setClosed: (isClosed) => persist("PUT", "/lobbies/closed", { is_closed: isClosed }),
    setState: (state) => call("PUT", "/lobbies/state", state),
    heartbeat: (playerIds) => call("POST", "/lobbies/heartbeat", { player_ids: playerIds }),
    stop: () => call("POST", "/lobbies/stop"),
    /** Never retried: only the first use of a player's token counts. */
    connected: (playerToken) => call("POST", "/players/connected", { player_token: playerToken }),
    /** With `mayReturn` Foyer holds the seat for a while, so that the player can come back to it. */
    disconnected: (playerToken, mayReturn) =>
      persist("POST", "/players/disconnected", { player_token: playerToken, may_return: mayReturn }),
  };
}

function errorOf(text, status) {
  try {
    const { code, message } = JSON.parse(text);
    return { code, message };
  } catch {
    // The answer came from a proxy between this server and Foyer.
    return { code: "UNKNOWN", message: `The answer has status ${status} and did not come from Foyer.` };
  }
}
