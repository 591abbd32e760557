import { expect, test } from "vitest";
import { createStartGate } from "../capacity/crash-backoff.ts";
import { createStartSlots } from "../capacity/start-slots.ts";
import { checkVersionConfig } from "../cloud/version-document.ts";
import type { Context } from "../context.ts";
import { planWarm } from "./lobby-start.ts";

/** A node with so many places, all of them free, and a namespace that wants an idle lobby there. */
function createContext(size: number) {
  const asks: string[] = [];
  const taken = { others: 0 };
  const node = {
    places: size,
    get free() {
      return size - taken.others;
    },
    heldBy: (who: string) => (who === "greedy" ? taken.others : 0),
    claimants: () => 2,
  };
  const ask = (region: string, namespaceId: string) => void asks.push(`${region} ${namespaceId}`);
  const duel = { max_players: 2, idle_lobbies: { min: 1 }, runtime: { process: { command: "node" } } };
  const { resolved } = checkVersionConfig({ regions: { eu: {} }, game_modes: { duel } });
  // Only what plans idle lobbies is made here.
  const context = {
    configs: { get: async () => ({ revision: 1, version: { versionId: "v", config: resolved } }) },
    config: { maxLobbyProcesses: size },
    runtime: {},
    nodes: { ownId: "node", all: () => [] },
    gate: createStartGate(),
    slots: createStartSlots({
      isPossible: true,
      describeShortage: () => "full",
      nodesFor: () => [node],
      poolFor: () => "",
      countedAfterMs: null,
      ask,
    }),
    now: () => 0,
    newId: () => "lobby",
  };
  const plan = (namespaceId: string) =>
    planWarm(context as unknown as Context, namespaceId, { gameMode: "duel", region: "eu" }, 0);
  return { plan, asks, taken };
}

test("[SH5] an idle lobby that gets no slot counts as a request, and one beyond the share gets none", async () => {
  const { plan, asks, taken } = createContext(4);
  taken.others = 4;
  expect(await plan("modest")).toBeNull();
  expect(asks).toEqual(["eu modest"]);
  taken.others = 3;
  expect(await plan("greedy")).toBeNull();
  const planned = await plan("modest");
  expect(planned?.lobby.lobbyId).toBe("lobby");
  planned?.settle(true);
  expect(asks).toEqual(["eu modest", "eu greedy", "eu modest"]);
});
