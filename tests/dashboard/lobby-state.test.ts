import { expect, test } from "vitest";
import { createArena, startMatchmaker } from "../support/arena.ts";

test("[DB22] an operator sees the state that a lobby set, and null before", async () => {
  const { service } = await startMatchmaker();
  const arena = await createArena(service);
  const lobby = await arena.ready();
  expect((await lobby.seen()).state).toBe(null);
  const state = { map: "harbour", round: 3, teams: [["a"], []] };
  await lobby.call("PUT", "lobbies/state", state);
  expect((await lobby.seen()).state).toEqual(state);
});
