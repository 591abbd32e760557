import { expect, test } from "vitest";
import { config, createArena, startMatchmaker } from "../../support/arena.ts";
import { expectRefusal } from "../../support/expectations.ts";
import { until } from "../../support/harness.ts";

test("[F14] only finds that create a lobby spend the budget, not finds that get a seat in an existing one", async () => {
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

test("[F12] a refusal that waiting does not resolve comes before one that it does", async () => {
  const { service } = await startMatchmaker("sqlite", { lobbyCreationBudget: 1 });
  const arena = await createArena(service, config({ max_players: 2 }));
  const options = { client: "203.0.113.9" };
  const first = arena.find({ game_modes: ["match"] }, options);
  await until(async () => (await arena.lobbies()).length === 1);
  // The budget is spent now. A party that never fits and a full namespace are still refused first.
  expectRefusal(await arena.find({ game_modes: ["match"], party_size: 9 }, options), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
  await arena.limit({ lobby_count_max: 1, max_players: 9 });
  const tagged = { game_modes: ["match"], tags: { map: "other" } };
  expectRefusal(await arena.find(tagged, options), "MATCHMAKER_TOO_MANY_LOBBIES");
  await arena.limit({ lobby_count_max: 9, max_players: 9 });
  expectRefusal(await arena.find(tagged, options), "API_RATE_LIMIT");
  await service.close();
  expectRefusal(await first, "MATCHMAKER_LOBBY_NOT_READY");
});
