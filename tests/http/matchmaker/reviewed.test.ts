import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { backupFile } from "../../../src/store/backup.ts";
import { expectEmpty, expectRefusal } from "../expectations.ts";
import { createGame, until } from "../harness.ts";
import { arenaOf, config, createArena, startMatchmaker } from "./arena.ts";

test("[L5] a game that cannot be deleted leaves all its namespaces as they were", async () => {
  const { service } = await startMatchmaker();
  const game = await createGame(service);
  const empty = await createArena(service, config(), game);
  const busy = await createArena(service, config(), game);
  // Each round needs a living lobby from its beginning, or the game is really deleted.
  await busy.register();
  for (let round = 0; round < 5; round++) {
    // Whichever comes first: a refused deletion must not have ended the empty namespace on its way to the busy one.
    const [deleted, registered] = await Promise.all([
      service.request("DELETE", `/cloud/games/${game.gameId}`, { token: service.adminToken }),
      busy.register(),
    ]);
    expectRefusal(deleted, "CLOUD_NAMESPACE_NOT_EMPTY");
    const lobby = await empty.ready();
    expect((await empty.find({ game_modes: ["duel"] })).status).toBe(200);
    for (const each of [lobby, registered]) expectEmpty(await each.stop());
  }
  await service.close();
});

test("[L5] [O14] a store that was put back from a backup is obeyed, though its revisions are older", async () => {
  const first = await startMatchmaker();
  const arena = await createArena(first.service);
  await arena.ready();
  const { dataDir } = first.service;
  const copy = join(dataDir, "copy.db");
  await backupFile(dataDir, copy);
  for (let count = 1; count <= 5; count++) await arena.limit({ lobby_count_max: count, max_players: 1 });
  await first.service.close();
  // In a folder of its own: this process may still have the old file open.
  const restored = `${dataDir}-restored`;
  mkdirSync(restored, { mode: 0o700 });
  copyFileSync(copy, join(restored, "foyer.db"));
  for (const name of ["lobbies.db", "secret", "admin-token"]) {
    if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(restored, name));
  }

  const second = await startMatchmaker("sqlite", { dataDir: restored }, { clock: first.clock });
  const same = arenaOf(second.service, arena.namespace, arena);
  const answers = await Promise.all([same.find({ game_modes: ["duel"] }), same.find({ game_modes: ["duel"] })]);
  expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
  await second.service.close();
});

test("[T32] finds that wait for their lobby do not keep it from saying that it is ready", async () => {
  const { service } = await startMatchmaker("sqlite", { maxInFlight: 4 });
  const arena = await createArena(service, config({ max_players: 8, max_players_direct: 8 }));
  const lobby = await arena.register();
  const finds = [];
  for (let seats = 1; seats <= 8; seats++) {
    finds.push(arena.find({ game_modes: ["duel"] }));
    await until(async () => (await arena.lobbies())[0].reserved_count === seats);
  }
  expectEmpty(await lobby.ready());
  expect((await Promise.all(finds)).map((answer) => answer.status)).toEqual(Array(8).fill(200));
  await service.close();
});

test("[F14] a budget of lobbies is spent by lobbies, not by finds that sit in those of others", async () => {
  const { service, runtime } = await startMatchmaker("sqlite", { lobbyCreationBudget: 10 });
  const arena = await createArena(service, config({ max_players: 2 }));
  runtime.onceStarted = ({ lobbyId, env }) => arena.lobby(lobbyId, env.FOYER_TOKEN!).ready();
  const options = { client: "203.0.113.7" };
  const finds = Array.from({ length: 20 }, () => arena.find({ game_modes: ["match"] }, options));
  expect((await Promise.all(finds)).map((answer) => answer.status)).toEqual(Array(20).fill(200));
  expect(runtime.starts).toHaveLength(10);
  const more = await arena.find({ game_modes: ["match"] }, options);
  expectRefusal(more, "API_RATE_LIMIT");
  expect(Number(more.headers["retry-after"])).toBeGreaterThan(0);
  expect((await arena.find({ game_modes: ["match"] }, { client: "203.0.113.8" })).status).toBe(200);
  await service.close();
});

test("[F12] what waiting cannot cure is told before what it can", async () => {
  const { service } = await startMatchmaker("sqlite", { lobbyCreationBudget: 1 });
  const arena = await createArena(service, config({ max_players: 2 }));
  const options = { client: "203.0.113.9" };
  const first = arena.find({ game_modes: ["match"] }, options);
  await until(async () => (await arena.lobbies()).length === 1);
  // The budget is spent now. A party that never fits and a namespace without room say so all the same.
  expectRefusal(await arena.find({ game_modes: ["match"], party_size: 9 }, options), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
  await arena.limit({ lobby_count_max: 1, max_players: 9 });
  const tagged = { game_modes: ["match"], tags: { map: "other" } };
  expectRefusal(await arena.find(tagged, options), "MATCHMAKER_TOO_MANY_LOBBIES");
  await arena.limit({ lobby_count_max: 9, max_players: 9 });
  expectRefusal(await arena.find(tagged, options), "API_RATE_LIMIT");
  await service.close();
  expectRefusal(await first, "MATCHMAKER_LOBBY_NOT_READY");
});
