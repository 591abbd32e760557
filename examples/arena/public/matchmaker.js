import { describeRefusal, unreachable } from "./words.js";

/** The calls that a player's machine makes to Foyer, with the public token of the namespace. */
export function createMatchmaker(publicToken) {
  function call(method, path, body, tries = triesMax) {
    const headers = { authorization: `Bearer ${publicToken}` };
    if (body) {
      headers["content-type"] = "application/json";
      // With a key, a retry after a broken connection returns the same seat and not a second one.
      headers["idempotency-key"] = newKey();
    }
    return ask(path, { method, headers, ...(body && { body: JSON.stringify(body) }) }, tries);
  }

  return {
    find: (gameModes) => call("POST", "/matchmaker/lobbies/find", { game_modes: gameModes }),
    join: (lobbyId) => call("POST", "/matchmaker/lobbies/join", { lobby_id: lobbyId }),
    joinByCode: (code) => call("POST", "/matchmaker/lobbies/join", { code }),
    /** The seat that this player still has, as find answered it. The caller tries again. */
    resume: (playerToken) => call("POST", "/matchmaker/players/resume", { player_token: playerToken }, 1),
    createPrivate: (gameMode) =>
      call("POST", "/matchmaker/lobbies/create", { game_mode: gameMode, publicity: "private" }),
    list: () => call("GET", "/matchmaker/lobbies/list?include_state=true"),
  };
}

/** What the service gives the page of its demo: the public token and the game modes. */
export function readConfig() {
  return ask("/play/config.json", {}, triesMax);
}

const triesMax = 4;

/** Retries when no answer came or the service is busy; throws in words for players when it refuses. */
async function ask(path, request, tries) {
  for (let attempt = 1; ; attempt++) {
    const answer = await send(path, request);
    const isWorthAnother = answer === null || answer.response.status === 503;
    if (isWorthAnother && attempt < tries) {
      const waitS = Number(answer?.response.headers.get("retry-after") ?? attempt);
      await new Promise((resolve) => setTimeout(resolve, waitS * 1000));
      continue;
    }
    if (answer === null) throw unreachable();
    if (!answer.response.ok) throw describeRefusal(answer.response.status, answer.json?.code);
    return answer.json;
  }
}

/** Null: no answer came. */
async function send(path, request) {
  try {
    const response = await fetch(path, request);
    const text = await response.text();
    return { response, json: text === "" ? null : JSON.parse(text) };
  } catch {
    return null;
  }
}

function newKey() {
  // crypto.randomUUID exists only on https and localhost; this also works on a phone in the same network.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
