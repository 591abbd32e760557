import { describe, expect, test } from "vitest";
import {
  alice,
  bob,
  createWorld,
  duel,
  type EngineFactory,
  listen,
  refusal,
  rememberedMs,
  seated,
  versionB,
  type World,
} from "../support/world.ts";

interface JoinOptions {
  readonly party?: number;
  readonly client?: string;
  readonly key?: string;
  readonly body?: string;
}

function joinByCode(world: World, code: string, { party = 1, client = alice, key, body = "body" }: JoinOptions = {}) {
  return world.execute<"join">({
    type: "join",
    revision: world.revision,
    clientId: client,
    lobbyId: null,
    code,
    playerIds: world.players(party),
    idempotency: key === undefined ? null : { key, bodyHash: body },
  });
}

export function codesSuite(factory: EngineFactory): void {
  describe("join codes", () => {
    test("[CO1] a lobby gets the first of its codes that no other has, however it is made", async () => {
      const world = await createWorld(factory, { idle: [{ ...duel, min: 1 }] });
      const codes = ["BCDF", "GHJK", "MNPQ", "RSTV"];
      const warm = seated(await world.create("warm", { codes })).lobby;
      const created = seated(await world.create("created", { codes, party: 1, isPrivate: true })).lobby;
      const registered = seated(await world.create("registered", { codes, isExternal: true, isPrivate: true })).lobby;
      const found = seated(await world.find({ party: 2, tags: { map: "ice" }, create: { codes } })).lobby;
      expect([warm, created, registered, found].map(({ code }) => code)).toEqual(codes);
      expect((await world.lobby(found.lobbyId))?.code).toBe("RSTV");
    });

    test("[CO1] a lobby that is given no codes has none", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready();
      expect((await world.lobby(id))?.code).toBe(null);
      expect(await joinByCode(world, "")).toEqual(refusal("LOBBY_NOT_FOUND"));
    });

    test("[CO2] when all its codes are taken nothing is made, and every other reason to refuse comes first", async () => {
      const world = await createWorld(factory, { lobbyCountMax: 2 });
      const codes = ["BCDF"];
      await world.ready({ codes, party: 2 });
      expect(await world.create("created", { codes, party: 3 })).toEqual(refusal("NO_AVAILABLE_LOBBIES"));
      expect(await world.create("created", { codes, party: 1 })).toEqual(refusal("CODES_TAKEN"));
      expect(await world.find({ create: { codes } })).toEqual(refusal("CODES_TAKEN"));
      const blocked = { ...world.findCommand({ create: { codes } }), startRefusal: "START_FAILED" } as const;
      expect(await world.execute<"find">(blocked)).toEqual(refusal("START_FAILED"));
      expect(await world.counts()).toMatchObject({ starting: 0, ready: 1, reserved: 2 });
      expect(seated(await world.find({ create: { codes: ["BCDF", "BCDFG"] } })).lobby.code).toBe("BCDFG");
      expect(await world.find({ create: { codes }, party: 2 })).toEqual(refusal("TOO_MANY_LOBBIES"));
    });

    test("[CO2] a find that fits a lobby needs no code", async () => {
      const world = await createWorld(factory);
      const lobby = await world.ready({ codes: ["BCDF"] });
      const found = seated(await world.find({ create: { codes: ["BCDF"] } }));
      expect(found).toMatchObject({ isNewLobby: false, lobby: { lobbyId: lobby.id, code: "BCDF" } });
    });

    test("[CO3] a join by code is a join by id: closed, private, silent, starting and outdated lobbies take it", async () => {
      const world = await createWorld(factory);
      const closed = await world.ready({ codes: ["BCDF"], party: 1 });
      await world.setClosed(closed.id);
      const hidden = await world.starting({ codes: ["GHJK"], isPrivate: true });
      const silent = await world.ready({ codes: ["MNPQ"], heartbeatMs: 1000, party: 1 });
      await world.pass(1000);
      const outdated = await world.ready({ codes: ["RSTV"], party: 1 });
      await world.setReady(hidden.id);
      expect(seated(await joinByCode(world, "GHJK")).lobby).toMatchObject({ lobbyId: hidden.id, isPrivate: true });
      await world.configure({ versionId: versionB });
      expect(seated(await joinByCode(world, "BCDF")).lobby).toMatchObject({ lobbyId: closed.id, isClosed: true });
      expect(seated(await joinByCode(world, "MNPQ")).lobby).toMatchObject({ lobbyId: silent.id, isSilent: true });
      expect(seated(await joinByCode(world, "RSTV")).lobby).toMatchObject({ lobbyId: outdated.id, isOutdated: true });
      expect(await joinByCode(world, "RSTV", { party: 9 })).toEqual(refusal("LOBBY_FULL"));
    });

    test("[CO3] an unknown code is not found, and so is one of another namespace", async () => {
      const world = await createWorld(factory);
      await world.ready({ codes: ["BCDF"] });
      const other = await world.neighbour();
      const own = await other.ready({ codes: ["BCDF", "GHJK"] });
      await other.ready({ codes: ["MNPQ"] });
      expect(seated(await joinByCode(other, "BCDF")).lobby.lobbyId).toBe(own.id);
      expect(await joinByCode(world, "MNPQ")).toEqual(refusal("LOBBY_NOT_FOUND"));
      expect(await joinByCode(world, "bcdf")).toEqual(refusal("LOBBY_NOT_FOUND"));
    });

    test("[CO3] a stopped lobby keeps its code for 10 minutes, then another lobby may have it", async () => {
      const world = await createWorld(factory);
      const codes = ["BCDF"];
      const lobby = await world.ready({ codes });
      await world.stop(lobby.id);
      world.now += rememberedMs - 1;
      expect(await joinByCode(world, "BCDF")).toEqual(refusal("LOBBY_STOPPED"));
      expect(await world.create("created", { codes, party: 1 })).toEqual(refusal("CODES_TAKEN"));
      world.now += 1;
      expect(await joinByCode(world, "BCDF")).toEqual(refusal("LOBBY_NOT_FOUND"));
      const next = await world.ready({ codes, party: 1 });
      expect(seated(await joinByCode(world, "BCDF")).lobby.lobbyId).toBe(next.id);
    });

    test("[CO3] a retry of a join by code gets its seat again, and the first of several refusals is given", async () => {
      const world = await createWorld(factory, { maxPlayersPerClient: 1 });
      const lobby = await world.ready({ codes: ["BCDF"], maxPlayers: 1 });
      const first = seated(await joinByCode(world, "BCDF", { key: "k", client: bob }));
      const again = seated(await joinByCode(world, "BCDF", { key: "k", client: bob }));
      expect(again).toMatchObject({ isReplay: true, playerIds: first.playerIds, lobby: { code: "BCDF" } });
      expect(await joinByCode(world, "GHJK", { key: "k", client: bob, body: "other" })).toEqual(
        refusal("IDEMPOTENCY_KEY_REUSED"),
      );
      expect(await joinByCode(world, "BCDF", { client: bob })).toEqual(refusal("TOO_MANY_PLAYERS_FROM_SOURCE"));
      expect(await joinByCode(world, "BCDF")).toEqual(refusal("LOBBY_FULL"));
      const shut = await world.ready({ codes: ["GHJK"], isJoinable: false });
      expect(await joinByCode(world, "GHJK", { client: bob })).toEqual(refusal("JOIN_DISABLED"));
      await world.stop(shut.id);
      expect(await joinByCode(world, "GHJK", { client: bob })).toEqual(refusal("LOBBY_STOPPED"));
      expect((await world.lobby(lobby.id))?.reserved).toBe(1);
    });

    test("[CO4] a lobby keeps its code through everything that happens to it, restarts included", async () => {
      const world = await createWorld(factory);
      const happened = listen(world);
      const { id } = await world.ready({ codes: ["BCDF"], party: 1 });
      await world.setClosed(id);
      const events = await happened(4);
      const shown = events.flatMap((event) => ("lobby" in event ? [event.lobby.code] : []));
      expect(shown).toEqual(["BCDF", "BCDF", "BCDF"]);
      await world.restart();
      expect((await world.lobby(id))?.code).toBe("BCDF");
      expect(await world.create("created", { codes: ["BCDF"], party: 1 })).toEqual(refusal("CODES_TAKEN"));
      expect(seated(await joinByCode(world, "BCDF")).lobby.lobbyId).toBe(id);
    });

    test("[CO4] of many creates at once with the same codes each gets another", async () => {
      const world = await createWorld(factory);
      world.isAudited = false;
      const codes = Array.from({ length: 8 }, (_, at) => `CODE${at}`);
      const outcomes = await Promise.all(
        Array.from({ length: 64 }, () => world.create("created", { codes, party: 1, isPrivate: true })),
      );
      const got = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.lobby.code] : []));
      expect(got.sort()).toEqual(codes);
      world.isAudited = true;
      await world.audit();
    });

    test("[CO4] with its namespace the codes are gone", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ codes: ["BCDF"] });
      await world.execute<"removeNamespace">({ type: "removeNamespace", force: true });
      expect(await world.lobby(id)).toBe(null);
      await world.pass(rememberedMs);
      await world.configure();
      expect(await joinByCode(world, "BCDF")).toEqual(refusal("LOBBY_NOT_FOUND"));
      expect((await world.create("created", { codes: ["BCDF"], party: 1 })).ok).toBe(true);
    });
  });
}
