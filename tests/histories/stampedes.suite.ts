import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createNamespace, type Namespace, type OpenService, type Server } from "../support/server.ts";
import { type Answer, type Connections, isTurnedAway } from "./connection.ts";

type Request = Parameters<Connections["send"]> extends [unknown, ...infer R] ? R : never;

/** Exact counts from 64 connections at once, whatever is behind them. */
export function stampedes(open: OpenService): void {
  let server: Server;
  let connections: Connections;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ server, connections, close } = await open(64));
  }, 120_000);
  afterAll(async () => {
    await close?.();
  });

  async function send(...request: Request): Promise<Answer> {
    const answer = await connections.send(() => undefined, ...request);
    return isTurnedAway(answer) ? send(...request) : answer;
  }

  const atOnce = (count: number, request: (at: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: count }, (_, at) => request(at)));
  const won = (answers: readonly Answer[]) => answers.filter(({ status }) => status < 300);

  function register({ serverToken }: Namespace): Promise<Answer> {
    const ports = { default: { hostname: "localhost", port: 7000, is_tls: false } };
    return send("POST", "/matchmaker/lobbies/register", serverToken, { game_mode: "duel", region: "local", ports });
  }

  async function readyLobby(namespace: Namespace): Promise<{ lobbyId: string; token: string }> {
    const { json } = await register(namespace);
    expect((await send("POST", "/matchmaker/lobbies/ready", json.token)).status).toBe(204);
    return { lobbyId: json.lobby_id, token: json.token };
  }

  const find = ({ publicToken }: Namespace, clientId: string, seats = 1) => {
    const body = { game_modes: ["duel"], party_size: seats };
    return send("POST", "/matchmaker/lobbies/find", publicToken, body, { "x-forwarded-for": clientId });
  };
  const connect = (lobbyToken: string, playerToken: string) =>
    send("POST", "/matchmaker/players/connected", lobbyToken, { player_token: playerToken });

  const plenty = { lobby_count_max: 1000, max_players: 1000, max_players_per_client: null };

  describe("64 connections at once", () => {
    test("[I15] a lobby_count_max of 20 and 200 registrations: exactly 20", async () => {
      const limits = { ...plenty, lobby_count_max: 20 };
      const namespace = await createNamespace(server, "stampede-lobbies", { max_players: 4 }, limits);
      expect(won(await atOnce(200, () => register(namespace)))).toHaveLength(20);
      const { lobbies } = await server.admin("GET", `${namespace.path}/lobbies?limit=500`);
      expect(lobbies).toHaveLength(20);
    });

    test("[I5] a client that may hold 8 seats and 64 finds: exactly 8", async () => {
      const limits = { ...plenty, max_players_per_client: 8 };
      const namespace = await createNamespace(server, "stampede-clients", { max_players: 100 }, limits);
      await readyLobby(namespace);
      expect(won(await atOnce(64, () => find(namespace, "192.0.2.1")))).toHaveLength(8);
    });

    test("[I1] [I4] a lobby of 31 and 64 parties of two: exactly 15 of them, and one seat is left", async () => {
      const namespace = await createNamespace(server, "stampede-parties", { max_players: 31 }, plenty);
      const { lobbyId } = await readyLobby(namespace);
      expect(won(await atOnce(64, (at) => find(namespace, `192.0.2.${at}`, 2)))).toHaveLength(15);
      const { lobby } = await server.admin("GET", `${namespace.path}/lobbies/${lobbyId}`);
      expect(lobby.total_player_count).toBe(30);
    });

    test("[I16] of 64 connects with one token exactly one wins", async () => {
      const namespace = await createNamespace(server, "stampede-connects", { max_players: 4 }, plenty);
      const { token } = await readyLobby(namespace);
      const { json } = await find(namespace, "192.0.2.1");
      const answers = await atOnce(64, () => connect(token, json.player.token));
      expect(won(answers)).toHaveLength(1);
      const others = answers.filter(({ status }) => status >= 300).map(({ json: { code } }) => code);
      expect(new Set(others)).toEqual(new Set(["MATCHMAKER_PLAYER_ALREADY_CONNECTED"]));
    });
  });

  test("[I19] [I17] another namespace's player and lobby are answered like unknown ones, and nothing of them changes", async () => {
    const ours = await createNamespace(server, "isolation-ours", { max_players: 4 }, plenty);
    const theirs = await createNamespace(server, "isolation-theirs", { max_players: 4 }, plenty);
    const [lobby, other, foreign] = [await readyLobby(ours), await readyLobby(ours), await readyLobby(theirs)];
    const { json } = await find(theirs, "192.0.2.1");
    const before = await server.admin("GET", `${theirs.path}/lobbies/${foreign.lobbyId}`);
    const refused = await connect(lobby.token, json.player.token);
    expect([refused.status, refused.json.code]).toEqual([404, "MATCHMAKER_PLAYER_NOT_FOUND"]);
    const join = { lobby_id: foreign.lobbyId };
    const joined = await send("POST", "/matchmaker/lobbies/join", ours.publicToken, join);
    expect([joined.status, joined.json.code]).toEqual([404, "MATCHMAKER_LOBBY_NOT_FOUND"]);
    expect((await send("GET", `/matchmaker/lobbies/${foreign.lobbyId}/state`, lobby.token)).status).toBe(404);
    expect(await server.admin("GET", `${theirs.path}/lobbies/${foreign.lobbyId}`)).toEqual(before);

    const seat = (await find(ours, "192.0.2.2")).json;
    const wrong = seat.lobby.lobby_id === lobby.lobbyId ? other : lobby;
    const elsewhere = await connect(wrong.token, seat.player.token);
    expect([elsewhere.status, elsewhere.json.code]).toEqual([409, "MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY"]);
  });
}
