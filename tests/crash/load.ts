import { type Answer, type Connection, isTurnedAway, openConnection } from "../histories/connection.ts";
import { createRandom } from "../histories/load.ts";
import type { Namespace, Server } from "../support/server.ts";
import {
  type Acknowledged,
  acknowledged,
  attempt,
  type KnownLobby,
  type KnownPlayer,
  type Ledger,
  type SeatState,
} from "./acknowledged.ts";

/** The connection broke while the call was under way. */
class Broken extends Error {}

/** The server turned the call away; nothing is known but what was known before. */
class TurnedAway extends Error {}

/** Plays with the server until its connection breaks, and notes in the ledger what was begun and what was acknowledged. */
export async function playUntilKilled(
  server: Server,
  namespace: Namespace,
  ledger: Ledger,
  actor: number,
  seed: number,
): Promise<void> {
  const random = createRandom(seed * 100 + actor);
  const below = (bound: number) => Math.floor(random() * bound);
  const clientId = `192.0.2.${actor}`;
  const mine: KnownLobby[] = [];
  const seats: { player: KnownPlayer; lobby: KnownLobby }[] = [];
  let connection: Connection;
  let calls = 0;

  async function send(method: string, path: string, token: string, body?: unknown, key?: string): Promise<Answer> {
    const headers = { "x-forwarded-for": clientId, ...(key !== undefined && { "idempotency-key": key }) };
    let answer: Answer;
    try {
      answer = await connection.send(method, path, token, body, headers);
    } catch {
      throw new Broken();
    }
    if (isTurnedAway(answer)) throw new TurnedAway();
    if (answer.status >= 500) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.json)}`);
    ledger.acknowledgements += 1;
    return answer;
  }

  async function register(): Promise<void> {
    ledger.unknownLobbies += 1;
    const ports = { default: { hostname: "localhost", port: 7000, is_tls: false } };
    const body = { game_mode: "duel", region: "local", ports };
    const { status, json } = await send("POST", "/matchmaker/lobbies/register", namespace.serverToken, body);
    ledger.unknownLobbies -= 1;
    if (status !== 200) return;
    const lobby: KnownLobby = {
      lobbyId: json.lobby_id,
      token: json.token,
      status: acknowledged("starting"),
      isClosed: acknowledged(false),
      state: acknowledged(null),
      players: [],
    };
    ledger.lobbies.set(lobby.lobbyId, lobby);
    lobby.status = attempt(lobby.status, "ready");
    // A find may wait for it, so it repeats ready until that is answered.
    while (!(await isHeard(() => send("POST", "/matchmaker/lobbies/ready", lobby.token))));
    lobby.status = acknowledged("ready");
    mine.push(lobby);
  }

  async function find(): Promise<void> {
    calls += 1;
    const key = `${seed}-${actor}-${calls}`;
    const noted = { key, clientId, playerId: null as string | null, lobbyId: null as string | null };
    ledger.finds.push(noted);
    const body = { game_modes: ["duel"] };
    const { status, json } = await send("POST", "/matchmaker/lobbies/find", namespace.publicToken, body, key);
    if (status !== 200) {
      // A refusal leaves nothing behind, and the same call may well be served later.
      ledger.finds.splice(ledger.finds.indexOf(noted), 1);
      return;
    }
    const { player_id: playerId, token } = json.players[0];
    noted.playerId = playerId;
    noted.lobbyId = json.lobby.lobby_id;
    const lobby = ledger.lobbies.get(json.lobby.lobby_id);
    if (lobby === undefined) return;
    const player: KnownPlayer = { playerId, token, status: acknowledged("reserved") };
    lobby.players.push(player);
    seats.push({ player, lobby });
  }

  async function act(): Promise<void> {
    const lobby = mine[below(mine.length)];
    const chance = random();
    if (lobby === undefined || chance < 0.06) return register();
    if (chance < 0.08) {
      mine.splice(mine.indexOf(lobby), 1);
      lobby.status = attempt(lobby.status, "stopped");
      for (const player of lobby.players) player.status = attempt(player.status, "gone");
      await send("POST", "/matchmaker/lobbies/stop", lobby.token);
      lobby.status = acknowledged("stopped");
    } else if (chance < 0.25) {
      const isClosed = random() < 0.5;
      lobby.isClosed = attempt(lobby.isClosed, isClosed);
      await send("PUT", "/matchmaker/lobbies/closed", lobby.token, { is_closed: isClosed });
      lobby.isClosed = acknowledged(isClosed);
    } else if (chance < 0.35) {
      calls += 1;
      lobby.state = attempt(lobby.state, calls);
      await send("PUT", "/matchmaker/lobbies/state", lobby.token, calls);
      lobby.state = acknowledged(calls);
    } else if (chance < 0.6 || seats.length === 0) await find();
    else await useSeat(seats[below(seats.length)]!);
  }

  async function useSeat(seat: { player: KnownPlayer; lobby: KnownLobby }): Promise<void> {
    const { player, lobby } = seat;
    const before = player.status;
    const next = nextState(before, random());
    player.status = attempt(before, next);
    const path = `/matchmaker/players/${next === "connected" ? "connected" : "disconnected"}`;
    const body = { player_token: player.token, ...(next === "held" && { may_return: true }) };
    const { status } = await send("POST", path, lobby.token, body);
    // A refusal means that the lobby has stopped, and its seats with it.
    if (status >= 300) player.status = attempt(before, "gone");
    else player.status = acknowledged(next);
    if (status >= 300 || next === "gone") seats.splice(seats.indexOf(seat), 1);
  }

  try {
    connection = await openConnection(server.port);
    for (;;) await act().catch(unlessTurnedAway);
  } catch (error) {
    if (error instanceof Broken || isRefusedConnection(error)) return;
    throw error;
  }
}

/** Reserved and held players mostly connect, connected ones drop or leave. Only one that surely is connected can be held. */
function nextState({ possible }: Acknowledged<SeatState>, chance: number): SeatState {
  const last = possible.at(-1);
  if (last === "reserved" || last === "held") return chance < 0.7 ? "connected" : "gone";
  return last === "connected" && possible.length === 1 && chance < 0.6 ? "held" : "gone";
}

async function isHeard(call: () => Promise<unknown>): Promise<boolean> {
  return call().then(
    () => true,
    (error: unknown) => {
      unlessTurnedAway(error);
      return false;
    },
  );
}

function unlessTurnedAway(error: unknown): void {
  if (!(error instanceof TurnedAway)) throw error;
}

function isRefusedConnection(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ECONNREFUSED" || error.code === "ECONNRESET");
}
