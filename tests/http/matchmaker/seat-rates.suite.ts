import { expect, test } from "vitest";
import { type Config, defaultConfig } from "../../../src/config/config.ts";
import { type Arena, config, createArena, lobbyIdOf, startMatchmaker } from "../../support/arena.ts";
import { expectRefusal } from "../../support/expectations.ts";

/** How many seats and lobbies one client may have in a minute. Each test has a service of its own. */
export function seatRatesTests(): void {
  async function withArena(overrides: Partial<Config>, work: (arena: Arena) => Promise<void>): Promise<void> {
    const { service } = await startMatchmaker("sqlite", { findWaitS: 0, ...overrides });
    try {
      const arena = await createArena(service, config({ max_players: 4000, max_players_direct: 4000 }));
      await arena.limit({ max_players: 4000 });
      await work(arena);
    } finally {
      await service.close();
    }
  }
  const from = (client: string, key?: string) => ({ client, ...(key !== undefined && { key }) });
  const seats = (arena: Arena) => arena.play("GET", "players/statistics").then(({ json }) => json.player_count);

  test("[RA1] a client takes as many seats in a minute as it may, over find, join and create; a party of 8 is 8", async () => {
    await withArena({ rateSeats: 20 }, async (arena) => {
      const lobby = await arena.ready();
      const alice = from("192.0.2.1");
      expect(lobbyIdOf(await arena.find({ party_size: 8 }, alice))).toBe(lobby.lobbyId);
      expect(lobbyIdOf(await arena.join(lobby.lobbyId, { party_size: 8 }, alice))).toBe(lobby.lobbyId);
      for (const call of [
        () => arena.find({ party_size: 5 }, alice),
        () => arena.join(lobby.lobbyId, { party_size: 5 }, alice),
        () => arena.create({ party_size: 5 }, alice),
      ]) {
        const answer = await call();
        expectRefusal(answer, "API_RATE_LIMIT");
        expect(Number(answer.headers["retry-after"])).toBeGreaterThanOrEqual(1);
      }
      expect(await seats(arena)).toBe(16);
      expect((await arena.find({ party_size: 4 }, alice)).status).toBe(200);
      expectRefusal(await arena.find({}, alice), "API_RATE_LIMIT");
      expect((await arena.find({}, from("192.0.2.2"))).status).toBe(200);
      expect(await seats(arena)).toBe(21);
    });
  });

  test("[RA1] by default one client cannot take thousands of seats at once", async () => {
    const { rateSeats } = defaultConfig();
    await withArena({ rateSeats }, async (arena) => {
      await arena.ready();
      const calls = Array.from({ length: 60 }, () => arena.find({ party_size: 64 }, from("192.0.2.1")));
      const answers = await Promise.all(calls);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(await seats(arena)).toBe(64);
    });
  });

  test("[RA2] only seats that were taken count: not those of a refusal, a retry, a bad body or a dry run", async () => {
    await withArena({ rateSeats: 4 }, async (arena) => {
      const lobby = await arena.ready();
      const alice = from("192.0.2.1");
      for (let round = 0; round < 3; round++) {
        expectRefusal(
          await arena.find({ party_size: 4, game_modes: ["none"] }, alice),
          "MATCHMAKER_GAME_MODE_NOT_FOUND",
        );
        expectRefusal(await arena.join(lobby.lobbyId.replace(/.$/, "_"), {}, alice), "API_BAD_BODY");
        const nowhere = "00000000-0000-0000-0000-000000000000";
        expectRefusal(await arena.join(nowhere, { party_size: 4 }, alice), "MATCHMAKER_LOBBY_NOT_FOUND");
        expect((await arena.find({ party_size: 4, dry_run: true }, alice)).status).toBe(200);
      }
      const first = await arena.find({ party_size: 3 }, from("192.0.2.1", "once"));
      const again = await arena.find({ party_size: 3 }, from("192.0.2.1", "once"));
      expect(again.json.players).toEqual(first.json.players);
      expectRefusal(await arena.find({ party_size: 2 }, from("192.0.2.1", "other")), "API_RATE_LIMIT");
      const joined = await arena.join(lobby.lobbyId, {}, from("192.0.2.1", "last"));
      expect((await arena.join(lobby.lobbyId, {}, from("192.0.2.1", "last"))).json).toEqual(joined.json);
      expectRefusal(await arena.find({}, alice), "API_RATE_LIMIT");
      expect(await seats(arena)).toBe(4);
    });
  });

  test("[RA2] a retry that the budget would allow spends nothing of it", async () => {
    await withArena({ rateSeats: 8 }, async (arena) => {
      await arena.ready();
      const first = await arena.find({ party_size: 3 }, from("192.0.2.1", "once"));
      const again = await arena.find({ party_size: 3 }, from("192.0.2.1", "once"));
      expect(again.json.players).toEqual(first.json.players);
      expect((await arena.find({ party_size: 5 }, from("192.0.2.1"))).status).toBe(200);
      expectRefusal(await arena.find({}, from("192.0.2.1")), "API_RATE_LIMIT");
    });
  });

  test("[GP6] a dry run that asks for more seats than are left is refused like the find, and spends nothing", async () => {
    await withArena({ rateSeats: 4 }, async (arena) => {
      await arena.ready();
      const alice = from("192.0.2.1");
      expect((await arena.find({ party_size: 3 }, alice)).status).toBe(200);
      for (let round = 0; round < 3; round++) {
        const refused = await arena.find({ party_size: 2, dry_run: true }, alice);
        expectRefusal(refused, "API_RATE_LIMIT");
        expect(Number(refused.headers["retry-after"])).toBeGreaterThanOrEqual(1);
        expect((await arena.find({ dry_run: true }, alice)).status).toBe(200);
      }
      expect((await arena.find({}, alice)).status).toBe(200);
      expectRefusal(await arena.find({ dry_run: true }, alice), "API_RATE_LIMIT");
    });
  });

  test("[RA1] [T36] programs on the same machine, without a proxy, have no such limit, and 0 means no limit", async () => {
    await withArena({ rateSeats: 2, trustedProxies: [] }, async (arena) => {
      await arena.ready();
      for (let count = 0; count < 4; count++) expect((await arena.find({ party_size: 2 })).status).toBe(200);
    });
    await withArena({ rateSeats: 0 }, async (arena) => {
      await arena.ready();
      for (let count = 0; count < 4; count++) {
        expect((await arena.find({ party_size: 64 }, from("192.0.2.1"))).status).toBe(200);
      }
    });
  });

  const clients = (count: number) => Array.from({ length: count }, (_, at) => `2001:db8:5:${(at + 1).toString(16)}::9`);

  test("[RA3] the clients of one IPv6 /48 together take four times as many seats as one", async () => {
    await withArena({ rateSeats: 3 }, async (arena) => {
      await arena.ready();
      for (const client of clients(4)) expect((await arena.find({ party_size: 3 }, from(client))).status).toBe(200);
      expectRefusal(await arena.find({}, from("2001:db8:5:99::1")), "API_RATE_LIMIT");
      expect((await arena.find({ party_size: 3 }, from("2001:db8:6:1::1"))).status).toBe(200);
      expect(await seats(arena)).toBe(15);
    });
  });

  test("[RA3] [F14] and cause four times as many lobbies", async () => {
    await withArena({ lobbyCreationBudget: 1 }, async (arena) => {
      const find = (client: string, tag: string) => arena.find({ game_modes: ["match"], tags: { tag } }, from(client));
      for (const [at, client] of clients(4).entries()) {
        expectRefusal(await find(client, `${at}`), "MATCHMAKER_LOBBY_NOT_READY");
      }
      expectRefusal(await find("2001:db8:5:1::1", "again"), "API_RATE_LIMIT");
      expectRefusal(await find("2001:db8:5:99::1", "new"), "API_RATE_LIMIT");
      expectRefusal(await find("2001:db8:6:1::1", "elsewhere"), "MATCHMAKER_LOBBY_NOT_READY");
      expect(await arena.lobbies()).toHaveLength(5);
    });
  });
}
