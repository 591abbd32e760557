import type { Call, Client, Clients, Reply } from "./soak-client.ts";

/** The namespace under load. */
export interface SoakWorld {
  readonly url: string;
  readonly namespacePath: string;
  readonly adminToken: string;
  readonly publicToken: string;
  readonly serverToken: string;
}

/** What players and lobbies do. Each `step` is one request, or two where a lobby registers and is ready at once. */
export interface Churn {
  /** Sends what is due next: what a lobby or a seated player has to do, else the find of a new player. */
  step(): Promise<Outcome>;
  /** Registers and opens lobbies until there are enough; before the first step. */
  begin(): Promise<void>;
}

export interface Outcome {
  /** An answer that the contract has for this moment: a success, or for example the 410 of a lobby that has just stopped. */
  readonly isGood: boolean;
  /** Foyer refused it because it has too much to do. */
  readonly isOverload: boolean;
  readonly what: string;
  /** From when it was sent. */
  readonly ms: number;
}

interface Lobby {
  readonly id: string;
  /** Of its server. */
  readonly address: string;
  readonly token: string;
  readonly code: string | null;
  readonly players: Map<string, string>;
  isEnding: boolean;
}

const lobbyCount = 40;
const seatsPerLobby = 1000;
const lobbyLifeMs = 20_000;
const heartbeatEveryMs = 5000;
const stayMs = 2000;
/** A lobby whose request was refused sends it again after so long. */
const retryMs = 1000;

export const gameMode = {
  max_players: seatsPerLobby,
  max_players_direct: seatsPerLobby + 100,
  codes: { enabled: true },
  player_keys: "open",
  timeouts: { reservation_s: 5, reconnect_s: 5, heartbeat_s: 15 },
  runtime: { external: {} },
};

/** What may be answered while lobbies stop, players vanish and seats run out under the caller. */
const expected = new Set([
  "MATCHMAKER_LOBBY_STOPPED",
  "MATCHMAKER_LOBBY_NOT_FOUND",
  "MATCHMAKER_PLAYER_RESERVATION_EXPIRED",
  "MATCHMAKER_PLAYER_REMOVED",
  "MATCHMAKER_LOBBY_FULL",
  "TOKEN_INVALID",
]);

export function createChurn(clients: Clients, world: SoakWorld, random: () => number): Churn {
  const lobbies: Lobby[] = [];
  /** What is due later, soonest first; few thousand entries at most. */
  const later: { dueAt: number; run(): Promise<Outcome> }[] = [];
  let made = 0;
  let registered = 0;

  const address = () => `198.18.${Math.floor(random() * 256)}.${1 + Math.floor(random() * 254)}`;
  const ofPlayer = async (what: string, call: Call) => judged(what, await clients.players.call(call));
  const ofServer = async (what: string, client: Client, call: Call) => judged(what, await client.call(call));
  const after = (ms: number, run: () => Promise<Outcome>) => {
    const entry = { dueAt: performance.now() + ms * (0.5 + random()), run };
    let [at, end] = [0, later.length];
    while (at < end) {
      const middle = (at + end) >> 1;
      if (later[middle]!.dueAt > entry.dueAt) end = middle;
      else at = middle + 1;
    }
    later.splice(at, 0, entry);
  };
  const ofLobby = (what: string, lobby: Lobby, method: "POST" | "PUT", path: string, body?: unknown) =>
    ofServer(what, path.startsWith("players/") ? clients.servers : clients.lobbies, {
      method,
      path: `/matchmaker/${path}`,
      token: lobby.token,
      client: lobby.address,
      ...(body !== undefined && { body }),
    });

  async function register(): Promise<Outcome> {
    const ports = { default: { hostname: "game.example.com", port: 20_000, is_tls: true } };
    const body = { game_mode: "duel", region: "local", ports };
    // Lobbies run on servers of their own, so they do not share one address.
    const address = `192.0.2.${1 + (registered++ % 250)}`;
    const call = { method: "POST", path: "/matchmaker/lobbies/register", token: world.serverToken } as const;
    const { reply, outcome } = await ofServer("register", clients.lobbies, { ...call, client: address, body });
    if (reply.status !== 200) {
      after(retryMs, register);
      return outcome;
    }
    const { lobby_id, token, code } = JSON.parse(reply.body) as { lobby_id: string; token: string; code?: string };
    const lobby: Lobby = { id: lobby_id, address, token, code: code ?? null, players: new Map(), isEnding: false };
    return ready(lobby);
  }

  async function ready(lobby: Lobby): Promise<Outcome> {
    const { reply, outcome } = await ofLobby("ready", lobby, "POST", "lobbies/ready");
    if (reply.status !== 204) {
      // One that has ended meanwhile has a successor.
      after(retryMs, outcome.isOverload ? () => ready(lobby) : register);
      return outcome;
    }
    lobbies.push(lobby);
    after(lobbyLifeMs, () => closeLobby(lobby));
    after(heartbeatEveryMs, () => heartbeat(lobby));
    return outcome;
  }

  async function heartbeat(lobby: Lobby): Promise<Outcome> {
    const body = { player_ids: [...lobby.players.keys()] };
    const { outcome } = await ofLobby("heartbeat", lobby, "POST", "lobbies/heartbeat", body);
    if (!lobby.isEnding) after(outcome.isOverload ? retryMs : heartbeatEveryMs, () => heartbeat(lobby));
    return outcome;
  }

  async function closeLobby(lobby: Lobby): Promise<Outcome> {
    const at = lobbies.indexOf(lobby);
    if (at !== -1) lobbies.splice(at, 1);
    after(0, register);
    after(stayMs, () => stopLobby(lobby));
    return (await ofLobby("setClosed", lobby, "PUT", "lobbies/closed", { is_closed: true })).outcome;
  }

  async function stopLobby(lobby: Lobby): Promise<Outcome> {
    lobby.isEnding = true;
    const { outcome } = await ofLobby("stop", lobby, "POST", "lobbies/stop");
    if (outcome.isOverload) after(retryMs, () => stopLobby(lobby));
    return outcome;
  }

  /** One in ten joins by code, one in ten has a key, one in twenty is sent again with its idempotency key. */
  async function find(): Promise<Outcome> {
    const kind = random();
    const number = ++made;
    const lobby = lobbies[Math.floor(random() * lobbies.length)];
    const from = { method: "POST", token: world.publicToken, client: address() } as const;
    const isJoin = kind < 0.1 && lobby?.code != null;
    const keyed = kind > 0.9 ? { players: [{ key: `player-${number}` }] } : {};
    const call: Call = isJoin
      ? { ...from, path: "/matchmaker/lobbies/join", body: { code: lobby.code } }
      : { ...from, path: "/matchmaker/lobbies/find", body: { game_modes: ["duel"], ...keyed } };
    const isRepeated = kind > 0.2 && kind < 0.25;
    const sent = isRepeated ? { ...call, idempotencyKey: `once-${number}` } : call;
    const { reply, outcome } = await ofPlayer(isJoin ? "join" : "find", sent);
    if (reply.status === 200) seat(reply);
    if (isRepeated) after(100, async () => (await ofPlayer("find again", sent)).outcome);
    return outcome;
  }

  /** One in five vanishes before it connects; of the others one in ten vanishes afterwards. */
  function seat({ body }: Reply): void {
    const { lobby, players } = JSON.parse(body) as {
      lobby: { lobby_id: string };
      players: { player_id: string; token: string }[];
    };
    const at = lobbies.find(({ id }) => id === lobby.lobby_id);
    const player = players[0]!;
    if (at === undefined || random() < 0.2) return;
    after(50, async () => {
      const body = { player_token: player.token };
      const { reply, outcome } = await ofLobby("connected", at, "POST", "players/connected", body);
      if (reply.status !== 200) return outcome;
      at.players.set(player.player_id, player.token);
      after(stayMs, () => leave(at, player));
      return outcome;
    });
  }

  async function leave(at: Lobby, player: { player_id: string; token: string }): Promise<Outcome> {
    at.players.delete(player.player_id);
    // One who vanishes is missing from the heartbeats; something else is sent in this step.
    if (random() < 0.1) return list();
    const body = { player_token: player.token, ...(random() < 0.2 && { may_return: true }) };
    return (await ofLobby("disconnected", at, "POST", "players/disconnected", body)).outcome;
  }

  async function list(): Promise<Outcome> {
    const path = "/matchmaker/lobbies/list?limit=20";
    return (await ofPlayer("list", { method: "GET", path, token: world.publicToken, client: address() })).outcome;
  }

  return {
    step() {
      const isDue = later.length > 0 && later[0]!.dueAt <= performance.now();
      return isDue ? later.shift()!.run() : find();
    },
    async begin() {
      for (let count = 0; count < lobbyCount; count++) await register();
      while (lobbies.length < lobbyCount) {
        const next = later.shift()!;
        await next.run();
      }
    },
  };
}

function judged(what: string, reply: Reply): { reply: Reply; outcome: Outcome } {
  return { reply, outcome: judge(what, reply) };
}

function judge(what: string, { status, body, ms }: Reply): Outcome {
  if (status >= 200 && status < 300) return { isGood: true, isOverload: false, what, ms };
  const code = /"code":"([A-Z_]+)"/.exec(body)?.[1] ?? "no answer";
  const isOverload = code === "API_UNAVAILABLE" || code === "API_RATE_LIMIT";
  return { isGood: expected.has(code), isOverload, what: `${what}: ${status} ${code}`, ms };
}
