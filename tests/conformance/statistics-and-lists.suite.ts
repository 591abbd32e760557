import { describe, expect, test } from "vitest";
import type { Answer, ListCursor, WantedLobbies } from "../../src/matchmaker/commands.ts";
import { alice, createWorld, type EngineFactory, seated, versionB, type World } from "../support/world.ts";

const listed = (world: World, gameModes: string[], region: string | null = null) =>
  world.read<"listLobbies">({ type: "listLobbies", gameModes, region, after: null, limit: 100 });

export function statisticsAndListsSuite(factory: EngineFactory): void {
  describe("statistics and lists", () => {
    test("[Q1] the public list has ready, public, speaking lobbies of the deployed version, full and closed included", async () => {
      const world = await createWorld(factory);
      const full = await world.ready({ party: 2 });
      const closed = await world.ready({ party: 1 });
      await world.setClosed(closed.id);
      await world.starting();
      await world.ready({ isPrivate: true });
      await world.ready({ heartbeatMs: 1000, party: 1 });
      await world.ready({ isExternal: true, versionId: versionB });
      const stopped = await world.ready();
      await world.stop(stopped.id);
      await world.ready({ gameMode: "hidden" });
      await world.pass(1000);
      const { lobbies, next } = await listed(world, ["duel", "royale"]);
      expect(lobbies.map((lobby) => [lobby.lobbyId, lobby.isClosed, lobby.reserved])).toEqual([
        [full.id, false, 2],
        [closed.id, true, 1],
      ]);
      expect(next).toBeNull();
      await world.configure({ versionId: versionB });
      expect((await listed(world, ["duel"])).lobbies.map((lobby) => lobby.versionId)).toEqual([versionB]);
    });

    test("[Q2] pages continue where the last one ended, by game mode, region and id, and skip no lobby that stays", async () => {
      const world = await createWorld(factory);
      const all: string[] = [];
      for (const gameMode of ["a", "b"]) {
        for (const region of ["east", "west"]) {
          for (let i = 0; i < 5; i++) all.push((await world.ready({ gameMode, region, isExternal: true })).id);
        }
      }
      const seen: string[] = [];
      let after: ListCursor | null = null;
      do {
        const query = { type: "listLobbies", gameModes: ["b", "a"], region: null, after, limit: 3 } as const;
        const page: { lobbies: readonly { lobbyId: string }[]; next: ListCursor | null } =
          await world.read<"listLobbies">(query);
        seen.push(...page.lobbies.map((lobby) => lobby.lobbyId));
        after = page.next;
        if (seen.length === 6) await world.stop(seen[5]!);
      } while (after !== null);
      expect(seen).toEqual(all);
      expect((await listed(world, ["a", "b"], "west")).lobbies).toHaveLength(9);
      expect((await listed(world, ["a"], "east")).lobbies).toHaveLength(5);
      expect((await listed(world, [])).lobbies).toEqual([]);
    });

    test("[T46] a page ends before the lobby whose state would make it too large, and has one lobby at least", async () => {
      const world = await createWorld(factory);
      const ids: string[] = [];
      // Of two bytes each, so that characters and bytes differ.
      for (const state of ["é".repeat(20), "é".repeat(20), null, "é".repeat(100), "é", null]) {
        const { id } = await world.ready({ isExternal: true });
        ids.push(id);
        await world.execute<"setState">({ type: "setState", lobbyId: id, state: state && JSON.stringify(state) });
      }
      const pages: string[][] = [];
      let after: ListCursor | null = null;
      do {
        const query = { type: "listLobbies", gameModes: ["duel"], region: null, limit: 5, stateBytesMax: 84 } as const;
        const page: { lobbies: readonly { lobbyId: string }[]; next: ListCursor | null } =
          await world.read<"listLobbies">({ ...query, after });
        pages.push(page.lobbies.map((lobby) => lobby.lobbyId));
        after = page.next;
      } while (after !== null);
      expect(pages).toEqual([ids.slice(0, 3), ids.slice(3, 4), ids.slice(4)]);
    });

    test("[Q3] statistics count taken seats per game mode and region over all versions, zeros left out", async () => {
      const world = await createWorld(factory);
      const first = await world.ready({ maxPlayers: 9, party: 3, reservationMs: 1000 });
      await world.connect(first.id, first.players[0]!);
      await world.ready({ region: "far", party: 1 });
      await world.starting({ gameMode: "royale", party: 2 });
      await world.ready({ gameMode: "royale", region: "far" });
      await world.configure({ versionId: versionB });
      await world.starting({ maxPlayers: 9, party: 4 });
      const statistics = () => world.read<"statistics">({ type: "statistics" });
      expect(await statistics()).toEqual({
        playerCount: 10,
        pairs: [
          { gameMode: "duel", region: "far", playerCount: 1 },
          { gameMode: "duel", region: "local", playerCount: 7 },
          { gameMode: "royale", region: "local", playerCount: 2 },
        ],
      });
      await world.stop(first.id);
      world.now += 1000;
      expect((await statistics()).playerCount).toBe(7);
    });

    test("[Q4] counts show lobbies, seats, the revision, and when something is next due", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ maxPlayers: 9, party: 3, reservationMs: 1000 });
      await world.connect(id, players[0]!);
      await world.starting({ readyMs: 500 });
      const seats = { reserved: 2, connected: 1, held: 0, ready: 1 };
      expect(await world.counts()).toEqual({ ...seats, revision: 1, starting: 1, nextDueAt: world.now + 500 });
      expect(await world.pass(500)).toEqual({ ok: true, nextDueAt: world.now + 500 });
      expect(await world.counts()).toEqual({ ...seats, revision: 1, starting: 0, nextDueAt: world.now + 500 });
    });

    test("[Q5] the operator's list has every living lobby by id, and stopped ones on demand", async () => {
      const world = await createWorld(factory);
      const ids = [];
      for (const isPrivate of [true, false, true, false]) ids.push((await world.starting({ isPrivate })).id);
      await world.stop(ids[1]!);
      const page = async (includeStopped: boolean, after: string | null, limit = 2) => {
        const query = { type: "listAllLobbies", includeStopped, after, limit } as const;
        const found = await world.read<"listAllLobbies">(query);
        return [found.lobbies.map((lobby) => lobby.lobbyId), found.next];
      };
      expect(await page(false, null)).toEqual([[ids[0], ids[2]], ids[2]]);
      expect(await page(false, ids[2]!)).toEqual([[ids[3]], null]);
      expect(await page(true, null, 4)).toEqual([ids, null]);
      expect(await page(true, null, 3)).toEqual([ids.slice(0, 3), ids[2]]);
    });

    test("[RD13] lobbies of one kind are picked in steps of 500 looks, wherever among the others they are", async () => {
      const world = await createWorld(factory, { lobbyCountMax: 5000 });
      world.isAudited = false;
      const ids: string[] = [];
      for (let i = 0; i < 1100; i++) ids.push((await world.starting({ isExternal: true })).id);
      const place = (lobbyId: string, nodeId: string) => world.execute({ type: "placeLobby", lobbyId, nodeId });
      const [first, early, late] = [ids[3]!, ids[499]!, ids[1050]!];
      for (const id of [early, late]) await place(id, "mine");
      await place(first, "other");
      await world.stop(ids[700]!);
      const pick = async (wanted: WantedLobbies) => {
        const steps: string[][] = [];
        for (let after: string | null = null; steps.length === 0 || after !== null; ) {
          const found: Answer<"pickLobbies"> = await world.read<"pickLobbies">({ type: "pickLobbies", wanted, after });
          steps.push(found.lobbies.map(({ lobbyId }) => lobbyId));
          after = found.next;
        }
        return steps;
      };
      expect(await pick({ nodeId: "mine" })).toEqual([[early, late]]);
      expect(await pick({ status: "stopped" })).toEqual([[], [ids[700]], []]);
      expect(await pick({ exceptNodeIds: ["mine"] })).toEqual([[first], [], []]);
      expect(await pick({ exceptNodeIds: [] })).toEqual([[first, early], [], [late]]);
      expect((await pick({ status: "starting", nodeId: "" })).map(({ length }) => length)).toEqual([498, 499, 99]);
      const living = ids.filter((id) => id !== ids[700]);
      expect((await pick({})).flat()).toEqual(living);
      const listed = await world.read({ type: "listAllLobbies", includeStopped: false, after: null, limit: 1e6 });
      expect(listed.lobbies.map(({ lobbyId }) => lobbyId)).toEqual(living);
      await world.stop(first);
      expect(await pick({ status: "any", nodeId: "other" })).toEqual([[first]]);
      expect(await pick({ nodeId: "other" })).toEqual([[]]);
      expect((await pick({ status: "any" })).flat()).toEqual(ids);
    });

    test("[Q6] the players of a lobby are its taken seats, the earliest first", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ maxPlayers: 9, party: 2 });
      world.now += 10;
      const [later] = seated(await world.join(id)).playerIds;
      await world.connect(id, later!);
      await world.disconnect(id, players[0]!);
      const seats = await world.read<"players">({ type: "players", lobbyId: id });
      expect(seats.map((seat) => [seat.playerId, seat.status])).toEqual([
        [players[1], "reserved"],
        [later, "connected"],
      ]);
      expect(seats[1]).toMatchObject({ clientId: alice, connectedAt: world.now, expiresAt: null });
      expect(await world.read<"players">({ type: "players", lobbyId: world.id() })).toEqual([]);
    });

    test("[Q7] a read shows the namespace as of its own time, without any sweep", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ party: 1, reservationMs: 1000, emptyMs: 1000 });
      world.now += 1000;
      expect(await world.lobby(id)).toMatchObject({ reserved: 0, status: "ready" });
      world.now += 1000;
      expect((await listed(world, ["duel"])).lobbies).toEqual([]);
    });

    test("[Q8] the peak of taken seats survives leaves, moves, restarts and the lobby's end", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ maxPlayers: 9, party: 3 });
      const peak = async () => (await world.lobby(id))?.peakSeats;
      expect(await peak()).toBe(3);
      await world.restart();
      await world.connect(id, players[0]!);
      expect(await peak()).toBe(3);
      for (const player of players.slice(0, 2)) await world.disconnect(id, player);
      await world.restart();
      await world.join(id);
      expect(await peak()).toBe(3);
      await world.join(id, { party: 4 });
      expect(await peak()).toBe(6);
      await world.stop(id);
      await world.restart();
      expect(await peak()).toBe(6);
    });
  });
}
