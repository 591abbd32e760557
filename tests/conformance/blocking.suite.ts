import { describe, expect, test } from "vitest";
import type { ClientRange } from "../../src/matchmaker/commands.ts";
import { createWorld, type EngineFactory, listen, refusal, seated, type World } from "../support/world.ts";

const number = (a: number, b: number, c: number, d: number) => ((a * 256 + b) * 256 + c) * 256 + d;
const ipv4 = (from: number, to: number): ClientRange => ({ family: 4, high: 0, from, to });
const ipv6 = (from: number, to: number): ClientRange => ({ family: 6, high: 0x20010db8, from, to });
const one = ipv4(number(192, 0, 2, 1), number(192, 0, 2, 1));

export function blockingSuite(factory: EngineFactory): void {
  const endSeats = (world: World, range: ClientRange, after: string | null = null) =>
    world.execute<"endSeats">({ type: "endSeats", range, after });
  const clientsIn = async (world: World, lobbyId: string) =>
    (await world.read<"players">({ type: "players", lobbyId })).map(({ clientId }) => clientId);

  describe("ending the seats of blocked clients", () => {
    test("[BL7] reserved and connected seats of the client end as left, in every lobby, and no others", async () => {
      const world = await createWorld(factory);
      const lobby = await world.ready({ maxPlayers: 9, isExternal: true });
      const other = await world.ready({ maxPlayers: 9, isExternal: true });
      const [reserved, connected] = seated(await world.join(lobby.id, { party: 2, client: "192.0.2.1" })).playerIds;
      await world.connect(lobby.id, connected!);
      await world.join(other.id, { client: "192.0.2.1" });
      for (const client of ["192.0.2.10", "192.0.2.2", "2001:db8::/64", "unknown"]) {
        await world.join(lobby.id, { client });
      }
      const received = listen(world);
      expect(await endSeats(world, one)).toEqual({ ok: true, ended: 3, next: null });
      expect(await clientsIn(world, lobby.id)).toEqual(["192.0.2.10", "192.0.2.2", "2001:db8::/64", "unknown"]);
      expect(await clientsIn(world, other.id)).toEqual([]);
      expect(
        (await received(3)).map((event) => "playerId" in event && [event.type, event.status, event.reason]),
      ).toEqual(Array(3).fill(["player.left", "left", "blocked"]));
      for (const player of [reserved!, connected!]) {
        expect(await world.connect(lobby.id, player)).toEqual(refusal("PLAYER_REMOVED"));
      }
      expect(await world.heartbeat(lobby.id)).toMatchObject({ players: [] });
      expect(await endSeats(world, one)).toEqual({ ok: true, ended: 0, next: null });
    });

    test("[BL7] a range ends the seats of every client in it, of the same address family", async () => {
      const world = await createWorld(factory, { maxPlayersPerClient: 2 });
      const lobby = await world.ready({ maxPlayers: 50, isExternal: true });
      const clients = [
        ...["10.1.255.255", "10.2.0.0", "10.2.0.1", "10.2.255.255", "10.3.0.0", "0.0.0.0"],
        ...["2001:db8::/64", "2001:db8:0:1::/64", "2001:db8:1::/64", "2001:db8:1:ffff::/64", "2001:db8:2::/64"],
        ...["2001:db9:1::/64", "::/64", "0:0:1::/64"],
      ];
      for (const client of clients) await world.join(lobby.id, { client });
      expect(await endSeats(world, ipv4(number(10, 2, 0, 0), number(10, 2, 255, 255)))).toMatchObject({ ended: 3 });
      expect(await endSeats(world, ipv6(0x1_0000, 0x1_ffff))).toMatchObject({ ended: 2 });
      expect(await endSeats(world, { family: 6, high: 0, from: 0, to: 0 })).toMatchObject({ ended: 1 });
      const left = ["10.1.255.255", "10.3.0.0", "0.0.0.0", "2001:db8::/64", "2001:db8:0:1::/64", "2001:db8:2::/64"];
      expect(await clientsIn(world, lobby.id)).toEqual([...left, "2001:db9:1::/64", "0:0:1::/64"]);
      // Their places are free, and so is what the client may hold.
      expect(seated(await world.join(lobby.id, { party: 2, client: "10.2.0.1" })).playerIds).toHaveLength(2);
    });

    test("[BL7] it survives a restart, and a lobby of Foyer's that is empty then stops in its time", async () => {
      const world = await createWorld(factory);
      const lobby = await world.ready({ maxPlayers: 9, emptyMs: 1000 });
      await world.join(lobby.id, { client: "192.0.2.1" });
      await endSeats(world, one);
      await world.restart();
      expect(await clientsIn(world, lobby.id)).toEqual([]);
      await world.pass(1000);
      expect(await world.statusOf(lobby.id)).toBe("stopped: empty");
    });

    test("[BL8] one command looks at no more than 500 lobbies, or at 2,000 seats and the rest of a lobby", async () => {
      const world = await createWorld(factory, { lobbyCountMax: 2000, maxPlayers: 1500 });
      world.isAudited = false;
      const lobbies: string[] = [];
      for (let count = 0; count < 600; count++) {
        lobbies.push((await world.starting({ maxPlayers: 1500, isExternal: true })).id);
      }
      for (const at of [0, 499, 500, 599]) await world.join(lobbies[at]!, { client: "192.0.2.1" });
      expect(await endSeats(world, one)).toEqual({ ok: true, ended: 2, next: lobbies[499] });
      expect(await endSeats(world, one, lobbies[499])).toEqual({ ok: true, ended: 2, next: null });
      for (const at of [0, 1, 2]) await world.join(lobbies[at]!, { client: "192.0.2.1", party: 1000 });
      expect(await endSeats(world, one)).toEqual({ ok: true, ended: 2000, next: lobbies[1] });
      world.isAudited = true;
      expect(await endSeats(world, one, lobbies[1])).toMatchObject({ ended: 1000 });
    });
  });
}
