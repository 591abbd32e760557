import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { backupFile } from "../../../src/store/backup.ts";
import { arenaOf, config, createArena, startMatchmaker } from "../../support/arena.ts";
import { expectEmpty, expectRefusal } from "../../support/expectations.ts";
import { createGame } from "../../support/harness.ts";

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

test("[L5] [O14] a store restored from a backup applies, although its revisions are older", async () => {
  const first = await startMatchmaker();
  const arena = await createArena(first.service);
  await arena.ready();
  const { dataDir } = first.service;
  const copy = join(dataDir, "copy.db");
  await backupFile(dataDir, copy);
  for (let count = 1; count <= 5; count++) await arena.limit({ lobby_count_max: count, max_players: 1 });
  await first.service.close();
  // In a separate folder: this process may still have the old file open.
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
