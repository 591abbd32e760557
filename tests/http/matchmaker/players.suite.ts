import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { type Arena, config, createArena, lobbyIdOf, type Matchmaker, tokensOf } from "../../support/arena.ts";
import { expectAnswer, expectEmpty, expectRefusal } from "../../support/expectations.ts";
import { until } from "../../support/harness.ts";

/** connected and disconnected: the matrix of who says what about which seat. */
export function playersTests(at: () => Matchmaker): void {
  const newArena = () => createArena(at().service, config());
  const counts = async (arena: Arena) =>
    (await arena.lobbies()).map((lobby) => [lobby.reserved_count, lobby.connected_count]);

  async function seated() {
    const arena = await newArena();
    const lobby = await arena.ready();
    const answer = await arena.find();
    return { arena, lobby, token: tokensOf(answer)[0]!, playerId: answer.json.players[0].player_id as string };
  }

  test("[P1] the first connect wins and stops the clock, the next is refused", async () => {
    const { arena, lobby, token, playerId } = await seated();
    expectAnswer(await lobby.connect(token), { player_id: playerId, returned: false });
    expectRefusal(await lobby.connect(token), "MATCHMAKER_PLAYER_ALREADY_CONNECTED");
    at().clock.advance(86_400_000);
    expectRefusal(await lobby.connect(token), "MATCHMAKER_PLAYER_ALREADY_CONNECTED");
    expect(await counts(arena)).toEqual([[0, 1]]);
  });

  test("[S1] [P2] a reservation ends 120 s after it was made, to the millisecond", async () => {
    const { clock } = at();
    const { arena, lobby, token } = await seated();
    clock.advance(119_999);
    const late = tokensOf(await arena.find())[0]!;
    expect((await lobby.connect(token)).status).toBe(200);
    clock.advance(120_000);
    expectRefusal(await lobby.connect(late), "MATCHMAKER_PLAYER_RESERVATION_EXPIRED");
    expectEmpty(await lobby.disconnect(late));
    expectRefusal(await lobby.connect(late), "MATCHMAKER_PLAYER_RESERVATION_EXPIRED");
    expect(await counts(arena)).toEqual([[0, 1]]);
  });

  test("[S3] a find uses an expired seat at once", async () => {
    const { arena, lobby } = await seated();
    await arena.find();
    expectRefusal(await arena.find(), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    at().clock.advance(120_000);
    expect(lobbyIdOf(await arena.find({ party_size: 2 }))).toBe(lobby.lobbyId);
  });

  test("[R2] the clock of seats in a starting lobby begins when it is ready", async () => {
    const { clock } = at();
    const arena = await newArena();
    const lobby = await arena.register();
    const waiting = arena.find();
    await untilSeated(arena, 1);
    clock.advance(50_000);
    await lobby.ready();
    const [token] = tokensOf(await waiting) as [string];
    clock.advance(119_999);
    expect((await lobby.connect(token)).status).toBe(200);
  });

  test("[P5] disconnecting frees the seat once, connected or only reserved", async () => {
    const { arena, lobby, token } = await seated();
    const other = tokensOf(await arena.find())[0]!;
    await lobby.connect(token);
    for (const each of [token, other]) {
      expectEmpty(await lobby.disconnect(each));
      expectEmpty(await lobby.disconnect(each));
      expectRefusal(await lobby.connect(each), "MATCHMAKER_PLAYER_REMOVED");
    }
    expect(await counts(arena)).toEqual([[0, 0]]);
    at().clock.advance(600_001);
    for (const each of [token, other]) {
      expectRefusal(await lobby.connect(each), "MATCHMAKER_PLAYER_REMOVED");
      expectEmpty(await lobby.disconnect(each));
    }
  });

  test("[P3] [17] from another lobby of the namespace nothing changes anywhere", async () => {
    const { arena, lobby, token } = await seated();
    const other = await arena.ready();
    const before = await counts(arena);
    expectRefusal(await other.connect(token), "MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY");
    expectRefusal(await other.disconnect(token), "MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY");
    expect(await counts(arena)).toEqual(before);
    expect((await lobby.connect(token)).status).toBe(200);
    expectRefusal(await other.connect(token), "MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY");
    expectRefusal(await other.disconnect(token), "MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY");
    await lobby.disconnect(token);
    expectRefusal(await other.connect(token), "MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY");
    await lobby.stop();
    expectRefusal(await other.connect(token), "MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY");
    expectRefusal(await other.disconnect(token), "MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY");
  });

  test("what is no player token of this namespace", async () => {
    const { service } = at();
    const { arena, lobby, token } = await seated();
    const foreign = await seated();
    const { namespaceId } = arena.namespace;
    const ids = { namespaceId, lobbyId: lobby.lobbyId };
    const strangers = [
      "x",
      "player_",
      foreign.token,
      lobby.token,
      arena.pub,
      token.slice(0, -1),
      `${token}A`,
      token.toUpperCase(),
      service.derive({ kind: "devplayer", namespaceId, playerId: randomUUID() }),
      service.derive({ kind: "lobby", ...ids }),
    ];
    for (const stranger of strangers) {
      expectRefusal(await lobby.connect(stranger), "MATCHMAKER_PLAYER_NOT_FOUND");
      expectRefusal(await lobby.disconnect(stranger), "MATCHMAKER_PLAYER_NOT_FOUND");
    }
    expect(await counts(arena)).toEqual([[1, 0]]);
  });

  test("[P6] a player may connect before the lobby is ready", async () => {
    const arena = await newArena();
    const lobby = await arena.register();
    const waiting = arena.find();
    await untilSeated(arena, 1);
    // The call still waits, so the seat's token is made here as the service makes it.
    const { namespaceId } = arena.namespace;
    const [{ player_id: playerId }] = (await lobby.seen()).players;
    const token = at().service.derive({ kind: "player", namespaceId, lobbyId: lobby.lobbyId, playerId });
    expectAnswer(await lobby.connect(token), { player_id: playerId, returned: false });
    await lobby.ready();
    expect(tokensOf(await waiting)).toEqual([token]);
    at().clock.advance(120_000);
    expect(await lobby.seen()).toMatchObject({ connected_count: 1, reserved_count: 0 });
  });
}

/** Seats are taken as soon as the matchmaker has decided, while the call itself may wait for the lobby. */
export async function untilSeated(arena: Arena, count: number): Promise<void> {
  await until(async () => {
    const lobbies = await arena.lobbies();
    return lobbies.reduce((sum, lobby) => sum + lobby.total_player_count, 0) === count;
  });
}
