import { setTimeout as sleep } from "node:timers/promises";

/** What Foyer answered when it did not do what it was asked; `code` is one of those on its page /docs/errors. */
export class FoyerRefusal extends Error {
  constructor(status, { code, message }) {
    super(message);
    this.name = "FoyerRefusal";
    this.status = status;
    this.code = code;
  }

  /** The lobby has ended as far as Foyer is concerned: stopped, or forgotten since. */
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

  /** For calls that may be made twice: while Foyer is being restarted they are made again, with growing pauses. */
  async function persist(method, path, body) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call(method, path, body);
      } catch (fault) {
        const isFinal = fault instanceof FoyerRefusal && fault.status < 500;
        if (isFinal || attempt === tries) throw fault;
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
    /** Not made twice: the first use of a player's token is the only one that counts. */
    connected: async (playerToken) =>
      (await call("POST", "/players/connected", { player_token: playerToken })).player_id,
    disconnected: (playerToken) => persist("POST", "/players/disconnected", { player_token: playerToken }),
  };
}

function errorOf(text, status) {
  try {
    const { code, message } = JSON.parse(text);
    return { code, message };
  } catch {
    // Something between this server and Foyer answered.
    return { code: "UNKNOWN", message: `The address of Foyer answered ${status}.` };
  }
}
