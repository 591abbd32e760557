import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { type Arena, config, createArena, type Matchmaker, tokensOf } from "../../support/arena.ts";
import { expectRefusal } from "../../support/expectations.ts";
import { type Answer, createCloudToken, createToken } from "../../support/harness.ts";

/** What is another namespace's answers exactly like what does not exist, and nothing of it changes. */
export function isolationTests(at: () => Matchmaker): void {
  /** All but what differs from request to request, and the id that was asked for. */
  const shown = ({ status, json }: Answer, id: string) => {
    const { request_id: _, ...body } = json ?? {};
    return { status, body: JSON.parse(JSON.stringify(body).replaceAll(id, "<id>")) };
  };
  const everything = async (arena: Arena) => ({
    lobbies: await Promise.all(
      (await arena.lobbies("?include_stopped=true")).map(({ lobby_id }) => seen(arena, lobby_id)),
    ),
    statistics: (await arena.play("GET", "players/statistics")).json,
    list: (await arena.list("?include_state=true")).json,
  });
  const seen = (arena: Arena, lobbyId: string) => arena.lobby(lobbyId, "").seen();

  test("[19] [IS1] a foreign lobby answers like an unknown one, at every call", async () => {
    const { service } = at();
    const foreign = await createArena(service, config());
    const sibling = await createArena(service, config(), foreign.namespace.game);
    const own = await createArena(service, config());
    const lobby = await own.ready();
    for (const other of [foreign, sibling]) {
      const theirs = await other.ready();
      const [player] = tokensOf(await other.find()) as [string];
      await theirs.call("PUT", "lobbies/state", { secret: true });
      const before = await everything(other);
      const reader = other === sibling ? await foreign.ready() : lobby;
      const asker = other === sibling ? foreign : own;
      const { token } = await createCloudToken(service, asker.namespace.game);

      const askFor = (id: string): Promise<Answer>[] => [
        asker.join(id),
        asker.join(id, { party_size: 3 }),
        reader.call("GET", `lobbies/${id}/state`),
        service.request("GET", `${asker.namespace.path}/lobbies/${id}`, { token }),
        service.request("DELETE", `${asker.namespace.path}/lobbies/${id}`, { token }),
      ];
      const unknown = randomUUID();
      const expected = (await Promise.all(askFor(unknown))).map((answer) => shown(answer, unknown));
      const answers = (await Promise.all(askFor(theirs.lobbyId))).map((answer) => shown(answer, theirs.lobbyId));
      expect(answers).toEqual(expected);
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);

      const nobody = service.derive({
        kind: "player",
        namespaceId: randomUUID(),
        lobbyId: randomUUID(),
        playerId: randomUUID(),
      });
      for (const call of [reader.connect, reader.disconnect]) {
        expectRefusal(await call(player), "MATCHMAKER_PLAYER_NOT_FOUND");
        expect(shown(await call(player), unknown)).toEqual(shown(await call(nobody), unknown));
      }
      const listed = await asker.play("GET", "lobbies/list", undefined, { token: other.server });
      expectRefusal(listed, "TOKEN_FORBIDDEN");
      expectRefusal(await asker.join(reader.lobbyId, {}, { token: other.server }), "MATCHMAKER_LOBBY_NOT_FOUND");
      const path = `${other.namespace.path}/lobbies`;
      if (other === foreign) {
        const gone = await service.request("GET", path, { token });
        const never = await service.request("GET", `/cloud/games/${unknown}/namespaces/x/lobbies`, { token });
        expect(shown(gone, other.namespace.game.gameId)).toEqual(shown(never, unknown));
      }
      expect(await everything(other)).toEqual(before);
    }
  });

  test("[IS2] finds, keys, clients and limits of two namespaces of one game know nothing of each other", async () => {
    const first = await createArena(at().service, config());
    const second = await createArena(at().service, config(), first.namespace.game);
    const lobby = await first.ready();
    expectRefusal(await second.find({}, { key: "k" }), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    await second.limit({ lobby_count_max: 0, max_players: 0, max_players_per_client: 0 });
    expect((await first.find({}, { key: "k" })).json.lobby.lobby_id).toBe(lobby.lobbyId);
    expect((await second.list()).json.lobbies).toEqual([]);
    expect((await second.play("GET", "players/statistics")).json.player_count).toBe(0);
  });

  test("a lobby token made for another namespace with the same lobby id opens nothing", async () => {
    const { service } = at();
    const first = await createArena(service, config());
    const second = await createArena(service, config(), first.namespace.game);
    const lobby = await first.ready();
    const disguised = service.derive({
      kind: "lobby",
      namespaceId: second.namespace.namespaceId,
      lobbyId: lobby.lobbyId,
    });
    const impostor = second.lobby(lobby.lobbyId, disguised);
    for (const answer of [
      await impostor.setClosed(true),
      await impostor.stop(),
      await impostor.heartbeat({ is_closed: true }),
      await impostor.call("GET", `lobbies/${lobby.lobbyId}/state`),
    ]) {
      expectRefusal(answer, "TOKEN_INVALID");
    }
    expect(await lobby.seen()).toMatchObject({ status: "ready", is_closed: false });
  });

  test("[20] a development token changes nothing, whatever it names", async () => {
    const arena = await createArena(at().service, config());
    const lobby = await arena.ready();
    const [player] = tokensOf(await arena.find()) as [string];
    const { token } = await createToken(at().service, arena.namespace, "dev");
    const before = await everything(arena);
    const starts = at().runtime.starts.length;
    const calls: [method: string, path: string, body: unknown, status: number][] = [
      ["POST", "lobbies/find", { game_modes: ["match"] }, 200],
      ["POST", "lobbies/join", { lobby_id: lobby.lobbyId }, 200],
      ["POST", "lobbies/create", { game_mode: "match" }, 200],
      ["GET", "lobbies/list", undefined, 200],
      ["POST", "lobbies/ready", undefined, 204],
      ["PUT", "lobbies/closed", { is_closed: true }, 204],
      ["PUT", "lobbies/state", { a: 1 }, 204],
      ["GET", `lobbies/${lobby.lobbyId}/state`, undefined, 200],
      ["POST", "lobbies/heartbeat", { player_ids: [], is_closed: true }, 200],
      ["POST", "lobbies/stop", undefined, 204],
      ["POST", "lobbies/register", {}, 403],
      ["POST", "players/connected", { player_token: player }, 404],
      ["POST", "players/disconnected", { player_token: player }, 404],
      ["GET", "players/statistics", undefined, 200],
      ["GET", "regions", undefined, 200],
    ];
    for (const [method, path, body, status] of calls) {
      expect([path, (await arena.play(method, path, body, { token })).status]).toEqual([path, status]);
    }
    expect(await everything(arena)).toEqual(before);
    expect(at().runtime.starts.length).toBe(starts);
  });
}
