import { type Connection, isTurnedAway, openConnection } from "../histories/connection.ts";
import type { Namespace, Server } from "../support/server.ts";
import { acknowledged, isPossible, type KnownLobby, type Ledger, type SeatState } from "./acknowledged.ts";

const capacity = 4;

/** Asks the restarted server about everything in the ledger. Gives what was lost or is wrong, and settles what was open. */
export async function verify(server: Server, namespace: Namespace, ledger: Ledger): Promise<string[]> {
  const violations: string[] = [];
  const expect = (isTrue: boolean, violation: string) => {
    if (!isTrue) violations.push(violation);
  };
  const connection = await openPatientConnection(server.port);
  const shown = new Map((await allLobbies(server, namespace)).map((lobby) => [lobby.lobby_id, lobby]));

  for (const lobby of ledger.lobbies.values()) await verifyLobby(lobby);
  const known = [...ledger.lobbies.keys()];
  const unknown = [...shown.keys()].filter((lobbyId) => !known.includes(lobbyId));
  expect(unknown.length <= ledger.unknownLobbies, `${unknown.length} lobbies exist that were never registered`);
  await verifyFinds();
  connection.close();
  return violations;

  async function verifyLobby(lobby: KnownLobby): Promise<void> {
    const { lobbyId } = lobby;
    const found = shown.get(lobbyId);
    if (found === undefined) {
      expect(false, `[I10] lobby ${lobbyId} is gone, not ${lobby.status.possible}`);
      return;
    }
    const { status, is_closed: isClosed } = found;
    expect(isPossible(lobby.status, status), `[I10] lobby ${lobbyId} is ${status}, not ${lobby.status.possible}`);
    const { possible } = lobby.isClosed;
    expect(possible.includes(isClosed), `[I10] lobby ${lobbyId} is_closed: ${isClosed}, not ${possible}`);
    expect(found.total_player_count <= capacity, `[I1] lobby ${lobbyId} holds ${found.total_player_count}`);
    lobby.status = acknowledged(status);
    lobby.isClosed = acknowledged(isClosed);
    if (status === "stopped") return verifyStopped(lobby, found.total_player_count);
    const state = (await connection.send("GET", `/matchmaker/lobbies/${lobbyId}/state`, lobby.token)).json;
    expect(isPossible(lobby.state, state), `[I10] the state of ${lobbyId} is ${state}, not ${lobby.state.possible}`);
    lobby.state = acknowledged(state);
    const { lobby: whole } = await server.admin("GET", `${namespace.path}/lobbies/${lobbyId}`);
    const seats = new Map<string, string>(
      whole.players.map((player: { player_id: string; status: string }) => [player.player_id, player.status]),
    );
    expect(seats.size === found.total_player_count, `[I2] lobby ${lobbyId} counts its players wrong`);
    for (const player of lobby.players) {
      const now = (seats.get(player.playerId) ?? "gone") as SeatState;
      const wanted = player.status.possible;
      expect(wanted.includes(now), `[I10] player ${player.playerId} is ${now}, not ${wanted}`);
      player.status = acknowledged(now);
    }
  }

  async function verifyStopped(lobby: KnownLobby, playerCount: number): Promise<void> {
    expect(playerCount === 0, `[I13] the stopped lobby ${lobby.lobbyId} kept its seats`);
    const { status } = await connection.send("POST", "/matchmaker/lobbies/ready", lobby.token);
    expect(status === 410, `[I13] the stopped lobby ${lobby.lobbyId} was answered ${status}`);
    for (const player of lobby.players) player.status = acknowledged("gone");
  }

  /** The same call again gets the same seat while that is taken, and never a second one. */
  async function verifyFinds(): Promise<void> {
    for (const find of ledger.finds.splice(0)) {
      const lobby = find.lobbyId === null ? undefined : ledger.lobbies.get(find.lobbyId);
      const seat = lobby?.players.find(({ playerId }) => playerId === find.playerId);
      const isTaken = seat !== undefined && !isPossible(seat.status, "gone");
      if (find.playerId !== null && !isTaken) continue;
      const headers = { "idempotency-key": find.key, "x-forwarded-for": find.clientId };
      const send = () =>
        connection.send("POST", "/matchmaker/lobbies/find", namespace.publicToken, { game_modes: ["duel"] }, headers);
      const { json } = await send();
      const playerId = json?.players?.[0]?.player_id ?? null;
      if (find.playerId !== null) {
        expect(playerId === find.playerId, `[I18] the key of ${find.playerId} was given ${playerId ?? json?.code}`);
      } else if (playerId !== null) {
        const again = (await send()).json?.players?.[0]?.player_id;
        expect(again === playerId, `[I18] a find that was lost was given two seats: ${playerId} and ${again}`);
      }
    }
  }
}

/** Asks again whatever was turned away. */
async function openPatientConnection(port: number): Promise<Connection> {
  const connection = await openConnection(port);
  const send: Connection["send"] = async (...request) => {
    const answer = await connection.send(...request);
    return isTurnedAway(answer) ? send(...request) : answer;
  };
  return { ...connection, send };
}

interface ShownLobby {
  readonly lobby_id: string;
  readonly status: "starting" | "ready" | "stopped";
  readonly is_closed: boolean;
  readonly total_player_count: number;
}

async function allLobbies(server: Server, namespace: Namespace): Promise<ShownLobby[]> {
  const lobbies: ShownLobby[] = [];
  for (let cursor = ""; ; ) {
    const page = await server.admin("GET", `${namespace.path}/lobbies?include_stopped=true&limit=500${cursor}`);
    lobbies.push(...page.lobbies);
    if (page.cursor === undefined) return lobbies;
    cursor = `&cursor=${page.cursor}`;
  }
}
