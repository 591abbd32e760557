import { describe, expect, test } from "vitest";
import { createWorld, type EngineFactory, listen, refusal, seated, versionA, versionB } from "../support/world.ts";

export function operatorClosingSuite(factory: EngineFactory): void {
  describe("the operator's flag", () => {
    test("[CL7] find avoids a lobby while either flag is set; players stay and joins work", async () => {
      const world = await createWorld(factory);
      const lobby = await world.ready({ maxPlayers: 6, party: 2, tags: { map: "ice" } });
      await world.connect(lobby.id, lobby.players[0]!);
      expect(await world.setOperatorClosed(lobby.id)).toEqual({ ok: true, isChanged: true });
      expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
      expect(await world.route({ tags: { map: "ice" } })).toBe("NO_AVAILABLE_LOBBIES");
      expect(await world.lobby(lobby.id)).toMatchObject({
        ...{ status: "ready", isClosed: false, operatorClose: "operator" },
        ...{ connected: 1, reserved: 1 },
      });
      expect(await world.connect(lobby.id, lobby.players[1]!)).toEqual({ ok: true, isReturn: false });
      expect((await world.join(lobby.id)).ok).toBe(true);
      expect(await world.setOperatorClosed(lobby.id, false)).toEqual({ ok: true, isChanged: true });
      expect(await world.route({ tags: { map: "ice" } })).toBe(lobby.id);
    });

    test("[CL8] neither side's call touches the other's flag", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ maxPlayers: 9 });
      const flags = async () => {
        const lobby = await world.lobby(id);
        return [lobby?.isClosed, lobby?.operatorClose, await world.route()];
      };
      await world.setOperatorClosed(id);
      await world.setClosed(id);
      expect(await flags()).toEqual([true, "operator", "NO_AVAILABLE_LOBBIES"]);
      await world.setClosed(id, false);
      expect(await flags()).toEqual([false, "operator", "NO_AVAILABLE_LOBBIES"]);
      expect(await world.heartbeat(id, null, true)).toMatchObject({ isClosed: true, isClosedByOperator: true });
      await world.setOperatorClosed(id, false);
      expect(await flags()).toEqual([true, null, "NO_AVAILABLE_LOBBIES"]);
      expect(await world.heartbeat(id, null, false)).toMatchObject({ isClosed: true, isClosedByOperator: false });
      await world.setClosed(id, false);
      expect(await flags()).toEqual([false, null, id]);
    });

    test("[CL8] setting a flag as it is changes nothing; a lobby that is not there or has stopped is refused", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready();
      expect(await world.setOperatorClosed(id, false)).toEqual({ ok: true, isChanged: false });
      await world.setOperatorClosed(id);
      expect(await world.setOperatorClosed(id)).toEqual({ ok: true, isChanged: false });
      await world.stop(id);
      expect(await world.setOperatorClosed(id)).toEqual(refusal("LOBBY_STOPPED"));
      expect(await world.setOperatorClosed(world.id())).toEqual(refusal("LOBBY_NOT_FOUND"));
    });

    test("[CL9] it stays through ready, joins, connects, leaves, expiry, limits, deploys, heartbeats and restarts", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.starting({ maxPlayers: 9, party: 3, reservationMs: 1000 });
      await world.setOperatorClosed(id);
      const isStillClosed = async () => {
        expect((await world.lobby(id))?.operatorClose).toBe("operator");
        expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
      };
      await world.setReady(id);
      await isStillClosed();
      await world.connect(id, players[0]!);
      seated(await world.join(id));
      await world.disconnect(id, players[1]!);
      await isStillClosed();
      await world.pass(1000);
      await isStillClosed();
      await world.configure({ maxPlayers: 50, lobbyCountMax: 7 });
      await world.configure({ versionId: versionB });
      await world.configure({ versionId: versionA });
      await isStillClosed();
      await world.heartbeat(id, [players[0]!], false);
      await isStillClosed();
      await world.restart();
      await isStillClosed();
      await world.setOperatorClosed(id, false);
      expect(await world.route()).toBe(id);
    });

    test("[CL9] a lobby that the operator closed is not kept as an idle one and stops when it is empty", async () => {
      const world = await createWorld(factory, { idle: [{ gameMode: "duel", region: "local", min: 1 }] });
      const { id } = await world.ready({ emptyMs: 1000 });
      await world.setOperatorClosed(id);
      expect(await world.read<"missingIdle">({ type: "missingIdle" })).toMatchObject([{ missing: 1 }]);
      await world.pass(1000);
      expect(await world.statusOf(id)).toBe("stopped: empty");
    });

    test("[CL10] closed and opened are published when find's choice changes, and otherwise lobby.changed", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ isExternal: true });
      const received = listen(world);
      await world.setOperatorClosed(id);
      await world.setClosed(id);
      await world.setOperatorClosed(id, false);
      await world.setOperatorClosed(id);
      await world.setClosed(id, false);
      await world.setOperatorClosed(id, false);
      const events = await received(6);
      const [closed, opened, changed] = ["lobby.closed", "lobby.opened", "lobby.changed"];
      expect(events.map(({ type }) => type)).toEqual([closed, changed, changed, changed, changed, opened]);
      const flags = events.map((event) => "lobby" in event && [event.lobby.isClosed, event.lobby.operatorClose]);
      expect(flags.slice(0, 3)).toEqual([
        [false, "operator"],
        [true, "operator"],
        [true, null],
      ]);
    });

    test("[CL12] [X3] an explanation distinguishes the two flags", async () => {
      const world = await createWorld(factory);
      const [one, both] = [await world.ready({ isExternal: true }), await world.ready({ isExternal: true })];
      await world.setOperatorClosed(one.id);
      await world.setOperatorClosed(both.id);
      await world.setClosed(both.id);
      const outcome = await world.execute<"find">({ ...world.findCommand({ create: null }), explain: true });
      const listed = outcome.explanation?.candidates.map(({ lobbyId, codes }) => [lobbyId, ...codes]);
      expect(listed).toEqual([
        [one.id, "closed_by_operator"],
        [both.id, "closed", "closed_by_operator"],
      ]);
    });
  });

  describe("lobbies of a server token", () => {
    const registered = (world: Awaited<ReturnType<typeof createWorld>>, registeredBy: string) =>
      world.execute<"createLobby">({
        ...{ type: "createLobby", revision: world.revision, reason: "registered", clientId: null, playerIds: [] },
        ...{ lobby: world.newLobby({ isExternal: true, maxPlayers: 4 }), idempotency: null, registeredBy },
      });
    const close = (world: Awaited<ReturnType<typeof createWorld>>, tokenId: string, action: "unroute" | "stop") =>
      world.execute<"closeRegistered">({ type: "closeRegistered", tokenId, action, after: null });

    test("[RV1] [RV2] those that it registered get the operator's flag, and no others", async () => {
      const world = await createWorld(factory);
      const mine = seated(await registered(world, "token-a")).lobby;
      const closed = seated(await registered(world, "token-a")).lobby;
      const other = seated(await registered(world, "token-b")).lobby;
      expect([mine.createdBy, other.createdBy]).toEqual(["token-a", "token-b"]);
      await world.setOperatorClosed(closed.lobbyId);
      await world.join(mine.lobbyId);
      expect(await close(world, "token-a", "unroute")).toEqual({ ok: true, next: null });
      const shown = async () => {
        const ids = [mine, closed, other].map(({ lobbyId }) => world.lobby(lobbyId));
        return (await Promise.all(ids)).map((lobby) => lobby?.operatorClose);
      };
      expect(await shown()).toEqual(["token_revoked", "operator", null]);
      expect(await world.lobby(mine.lobbyId)).toMatchObject({ status: "starting", reserved: 1 });
      expect(await world.route()).toBe(other.lobbyId);
      await world.restart();
      expect(await shown()).toEqual(["token_revoked", "operator", null]);
      await world.setOperatorClosed(mine.lobbyId, false);
      expect(await world.route()).toBe(mine.lobbyId);
    });

    test("[RV2] stopping ends them and their seats, and no others", async () => {
      const world = await createWorld(factory);
      const mine = seated(await registered(world, "token-a")).lobby;
      const other = seated(await registered(world, "token-b")).lobby;
      await world.join(mine.lobbyId);
      await close(world, "token-a", "stop");
      expect(await world.statusOf(mine.lobbyId)).toBe("stopped: operator");
      expect(await world.statusOf(other.lobbyId)).toBe("starting");
      expect((await world.counts()).reserved).toBe(0);
    });

    test("[RV2] however many there are: each command handles 500 lobbies and returns where to continue", async () => {
      const world = await createWorld(factory, { lobbyCountMax: 2000 });
      world.isAudited = false;
      for (let count = 0; count < 1001; count++) await registered(world, count % 2 === 0 ? "token-a" : "token-b");
      let runs = 0;
      for (let after: string | null = null; runs === 0 || after !== null; runs++) {
        const outcome: Awaited<ReturnType<typeof close>> = await world.execute<"closeRegistered">({
          ...{ type: "closeRegistered", tokenId: "token-a", action: "unroute", after },
        });
        if (!outcome.ok) throw new Error(outcome.code);
        after = outcome.next;
      }
      expect(runs).toBe(3);
      world.isAudited = true;
      const { lobbies } = await world.read<"listAllLobbies">({
        ...{ type: "listAllLobbies", includeStopped: false, after: null, limit: 2000 },
      });
      const closed = lobbies.filter(({ operatorClose }) => operatorClose === "token_revoked");
      expect(closed.map(({ createdBy }) => createdBy)).toEqual(Array(501).fill("token-a"));
    });
  });
}
