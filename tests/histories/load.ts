import type { Admission, Operation } from "../checker/history.ts";
import type { Namespace } from "../support/server.ts";
import { type Answer, type Connections, isTurnedAway } from "./connection.ts";

export interface LoadOptions {
  readonly actors: number;
  readonly operations: number;
  readonly seed: number;
  readonly clients: number;
  readonly capacity: number;
  readonly directCapacity: number;
}

interface KnownLobby {
  readonly lobbyId: string;
  readonly token: string;
}
interface KnownSeat {
  readonly playerId: string;
  readonly token: string;
  readonly lobby: KnownLobby;
}

/** A number from 0 to below 1 each time, the same for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Many clients and lobbies at once, each doing what chance says; gives what they saw. */
export async function runLoad(
  connections: Connections,
  namespace: Namespace,
  options: LoadOptions,
  onProgress: (operations: number) => void = () => undefined,
): Promise<Operation[]> {
  const history: Operation[] = [];
  const lobbies: KnownLobby[] = [];
  /** A lobby may be registered whose token nobody has. */
  let hasOrphan = false;

  async function call<T extends Omit<Operation, "start" | "end" | "outcome">>(
    operation: T,
    request: Parameters<Connections["send"]> extends [unknown, ...infer R] ? R : never,
  ) {
    let start = 0;
    const answer = await connections.send(
      () => {
        start = performance.now();
      },
      ...request,
    );
    // A call may be held up until the lobby that it got a seat in has come and gone, or until it has waited long enough for a
    // lobby whose registration lost its answer, so that nobody can make it ready: the seat was there for a while.
    const isLost =
      isTurnedAway(answer) ||
      answer.json?.code === "MATCHMAKER_LOBBY_START_FAILED" ||
      (answer.json?.code === "MATCHMAKER_LOBBY_NOT_READY" && hasOrphan);
    const end = isLost ? Infinity : performance.now();
    if (answer.status >= 500 && !isLost)
      throw new Error(`${request[1]} answered ${answer.status}: ${JSON.stringify(answer.json)}`);
    const outcome = isLost ? "lost" : answer.status < 300 ? "ok" : "refused";
    // Cast: the compiler cannot see that the parts of an operation make one.
    const noted = { ...operation, start, end, outcome } as unknown as Operation;
    history.push(noted);
    if (history.length % 10_000 === 0) onProgress(history.length);
    return { answer, noted, at: history.length - 1 };
  }

  async function admit(type: "find" | "join", clientId: string, seats: number, lobby: KnownLobby | null) {
    const path = `/matchmaker/lobbies/${type}`;
    const body =
      type === "find" ? { game_modes: ["duel"], party_size: seats } : { lobby_id: lobby!.lobbyId, party_size: seats };
    const operation = { type, clientId, seats, pool: "duel", lobbyId: null, playerIds: [] };
    const headers = { "x-forwarded-for": clientId };
    const { answer, noted, at } = await call(operation, ["POST", path, namespace.publicToken, body, headers]);
    if (noted.outcome !== "ok") {
      if (noted.outcome === "lost") return [];
      // Only a find that found nothing says something about lobbies; one that was refused for its client does not.
      if (answer.json.code !== "MATCHMAKER_NO_AVAILABLE_LOBBIES")
        history[at] = { ...(noted as Admission), type: "join" };
      return [];
    }
    const { lobby_id: lobbyId } = answer.json.lobby;
    const given: { player_id: string; token: string }[] = answer.json.players;
    history[at] = { ...(noted as Admission), lobbyId, playerIds: given.map(({ player_id }) => player_id) };
    const home = lobbies.find((known) => known.lobbyId === lobbyId) ?? lobby;
    return home === null ? [] : given.map(({ player_id, token }) => ({ playerId: player_id, token, lobby: home }));
  }

  async function makeLobby(): Promise<void> {
    const { capacity, directCapacity } = options;
    const body = {
      game_mode: "duel",
      region: "local",
      ports: { default: { hostname: "localhost", port: 7000, is_tls: false } },
    };
    const made = { type: "make", lobbyId: "", pool: "duel", capacity, directCapacity } as const;
    const { answer, noted, at } = await call(made, [
      "POST",
      "/matchmaker/lobbies/register",
      namespace.serverToken,
      body,
    ]);
    if (noted.outcome === "lost") hasOrphan = true;
    if (noted.outcome !== "ok") return;
    const lobby: KnownLobby = { lobbyId: answer.json.lobby_id, token: answer.json.token };
    let ready: Answer;
    do ready = await connections.send(() => undefined, "POST", "/matchmaker/lobbies/ready", lobby.token);
    while (isTurnedAway(ready));
    // Another client that knows the lobby may have ended it in between.
    if (ready.status >= 300 && ready.status !== 410) throw new Error(`ready answered ${ready.status}`);
    // Until it is ready a find may have to wait for it, so it counts as there from then on.
    history[at] = { ...made, lobbyId: lobby.lobbyId, start: noted.start, end: performance.now(), outcome: "ok" };
    lobbies.push(lobby);
  }

  const seatCall = (type: "connect" | "disconnect" | "drop", { lobby, token, playerId }: KnownSeat) =>
    call({ type, lobbyId: lobby.lobbyId, playerId }, [
      "POST",
      `/matchmaker/players/${type === "connect" ? "connected" : "disconnected"}`,
      lobby.token,
      { player_token: token, ...(type === "drop" && { may_return: true }) },
    ]);

  /** Several machines may come back with one token at the same time; some players stay away. */
  async function dropAndReturn(seat: KnownSeat, tries: number): Promise<void> {
    await seatCall("drop", seat);
    await Promise.all(Array.from({ length: tries }, () => seatCall("connect", seat)));
  }

  async function act(actor: number): Promise<void> {
    const random = createRandom(options.seed * 1000 + actor);
    const below = (bound: number) => Math.floor(random() * bound);
    const clientId = `192.0.2.${actor % options.clients}`;
    const seats: KnownSeat[] = [];
    while (history.length < options.operations) {
      const lobby = lobbies[below(lobbies.length)];
      const chance = random();
      if (lobby === undefined || chance < 0.015) await makeLobby();
      else if (chance < 0.025 && lobbies.length > 4) {
        lobbies.splice(lobbies.indexOf(lobby), 1);
        await call({ type: "stop", lobbyId: lobby.lobbyId }, ["POST", "/matchmaker/lobbies/stop", lobby.token]);
      } else if (chance < 0.13) {
        const isClosed = random() < 0.5;
        const type = isClosed ? "close" : "open";
        const body = { is_closed: isClosed };
        await call({ type, lobbyId: lobby.lobbyId }, ["PUT", "/matchmaker/lobbies/closed", lobby.token, body]);
      } else if (seats.length > 3 || (seats.length > 0 && chance < 0.35)) {
        const at = below(seats.length);
        if (random() < 0.6) await seatCall("disconnect", seats.splice(at, 1)[0]!);
        else await dropAndReturn(seats[at]!, below(3));
      } else {
        const type = chance < 0.45 ? "join" : "find";
        const taken = await admit(type, clientId, 1 + below(2), type === "join" ? lobby : null);
        seats.push(...taken);
        // Several machines may try one token at the same time; some tokens are never used.
        for (const seat of taken) {
          const tries = [0, 1, 1, 1, 2, 3][below(6)]!;
          await Promise.all(Array.from({ length: tries }, () => seatCall("connect", seat)));
        }
      }
    }
  }

  await Promise.all(Array.from({ length: options.actors }, (_, actor) => act(actor)));
  return history;
}
