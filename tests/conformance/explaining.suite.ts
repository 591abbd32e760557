import { describe, expect, test } from "vitest";
import type { Explanation } from "../../src/matchmaker/commands.ts";
import { bob, createWorld, duel, type EngineFactory, refusal, seated, versionB, type World } from "../support/world.ts";

const far = { gameMode: "duel", region: "far" };

export function explainingSuite(factory: EngineFactory): void {
  describe("explaining", () => {
    /** What a find that may not create is explained with; its effect is taken back. */
    async function explain(world: World, options: Parameters<World["findCommand"]>[0] = {}): Promise<Explanation> {
      const { idempotency: _, ...command } = world.findCommand({ create: null, ...options });
      const preview = await world.read<"previewFind">({ ...command, type: "previewFind", explain: true });
      const found = await world.execute<"find">({ ...world.findCommand({ create: null, ...options }), explain: true });
      if (found.ok) await world.release(found.playerIds);
      expect(found.explanation).toEqual(preview.explanation);
      return found.explanation!;
    }
    const codesOf = ({ candidates }: Explanation) =>
      candidates.map(({ lobbyId, codes }) => [lobbyId, ...codes] as const);

    test("[X1] [X2] lobbies that fit come in the order in which find would take them, each with why it lost", async () => {
      const world = await createWorld(factory);
      const options = { maxPlayers: 10, isExternal: true };
      const empty = await world.ready(options);
      const chosen = await world.ready({ ...options, party: 2 });
      const twin = await world.ready({ ...options, party: 2 });
      world.now += 1;
      const younger = await world.ready({ ...options, party: 2 });
      const starting = await world.starting({ ...options, party: 5 });
      const elsewhere = await world.ready({ ...options, ...far, party: 7 });
      expect(codesOf(await explain(world, { pairs: [duel, far] }))).toEqual([
        [chosen.id, "chosen"],
        [twin.id, "larger_id"],
        [younger.id, "newer"],
        [empty.id, "less_full"],
        [starting.id, "not_ready"],
        [elsewhere.id, "other_pair_first"],
      ]);
      expect(codesOf(await explain(world, { pairs: [far, duel, far] }))[0]).toEqual([elsewhere.id, "chosen"]);
    });

    test("[X3] a lobby that does not fit has every obstacle, and the fewest come first", async () => {
      const world = await createWorld(factory);
      const options = { maxPlayers: 3, isExternal: true, tags: { map: "ice", mood: "calm" } };
      const outdated = await world.ready(options);
      await world.configure({ versionId: versionB });
      const silent = await world.ready({ ...options, heartbeatMs: 1000 });
      await world.pass(1000);
      const closed = await world.ready(options);
      await world.setClosed(closed.id);
      const otherTags = await world.ready({ ...options, tags: { map: "fire", mood: "calm" } });
      const full = await world.ready({ ...options, party: 3 });
      const tight = await world.ready({ ...options, party: 2 });
      const closedAndFull = await world.ready({ ...options, party: 3 });
      await world.setClosed(closedAndFull.id);
      const explanation = await explain(world, { tags: { map: "ice", mood: "calm" }, party: 2 });
      expect(codesOf(explanation)).toEqual([
        [tight.id, "party_does_not_fit"],
        [full.id, "full"],
        [otherTags.id, "missing_tags"],
        [closed.id, "closed"],
        [silent.id, "silent"],
        [outdated.id, "other_version"],
        [closedAndFull.id, "full", "closed"],
      ]);
      expect(explanation.candidates.map(({ missingTags }) => missingTags)).toEqual([[], [], ["map"], [], [], [], []]);
      expect(explanation.candidates[0]).toMatchObject({ ...duel, taken: 2, cap: 3 });
      expect(explanation).toMatchObject({ hasMore: false, privateCount: 0 });
    });

    test("[X3] the namespace's maximum fills a lobby earlier", async () => {
      const world = await createWorld(factory);
      const lobby = await world.ready({ maxPlayers: 8, isExternal: true, party: 2 });
      await world.configure({ maxPlayers: 2 });
      const { candidates } = await explain(world);
      expect(candidates).toEqual([{ ...duel, lobbyId: lobby.id, codes: ["full"], taken: 2, cap: 2, missingTags: [] }]);
    });

    test("[X4] private lobbies are counted, never named; stopped and foreign ones are not there", async () => {
      const world = await createWorld(factory);
      const hidden = await world.ready({ isPrivate: true });
      await world.starting({ isPrivate: true });
      await world.ready({ ...far, isPrivate: true });
      const closed = await world.ready({ isPrivate: true });
      await world.setClosed(closed.id);
      const over = await world.ready();
      await world.stop(over.id);
      const neighbour = await world.neighbour();
      await neighbour.ready();
      expect(await explain(world)).toEqual({ candidates: [], hasMore: false, privateCount: 3 });
      await world.stop(hidden.id);
      expect(await explain(world)).toMatchObject({ privateCount: 2 });
    });

    test("[X5] twenty are listed however many there are, and that there are more", async () => {
      const world = await createWorld(factory);
      for (let i = 0; i < 20; i++) await world.ready({ maxPlayers: 4, isExternal: true, party: 1 });
      expect(await explain(world)).toMatchObject({ hasMore: false, candidates: { length: 20 } });
      const best = await world.ready({ maxPlayers: 4, isExternal: true, party: 2 });
      const explanation = await explain(world);
      expect(explanation).toMatchObject({ hasMore: true, candidates: { length: 20 } });
      expect(codesOf(explanation)[0]).toEqual([best.id, "chosen"]);
    });

    test("[X6] an explanation is of the moment before the effect, and only of a find that asks", async () => {
      const world = await createWorld(factory);
      const lobby = await world.ready({ maxPlayers: 4 });
      const explained = await world.execute<"find">({ ...world.findCommand({ party: 3 }), explain: true });
      const { explanation, ...outcome } = seated(explained);
      expect(outcome).toMatchObject({ ok: true, isNewLobby: false, lobby: { lobbyId: lobby.id, reserved: 3 } });
      expect(explanation!.candidates).toMatchObject([{ lobbyId: lobby.id, codes: ["chosen"], taken: 0, cap: 4 }]);
      expect(seated(await world.find())).not.toHaveProperty("explanation");
    });

    test("[DE4] a find may ask to be explained only if it is refused", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ maxPlayers: 2 });
      const find = (party: number) =>
        world.execute<"find">({ ...world.findCommand({ create: null, party }), explain: "refusal" });
      const refused = await find(3);
      expect(refused).toMatchObject({ ok: false, explanation: { candidates: [{ lobbyId: id }] } });
      expect(seated(await find(2))).not.toHaveProperty("explanation");
    });

    test("[X7] refused and creating finds are explained, retries are not", async () => {
      const world = await createWorld(factory, { maxPlayersPerClient: 2 });
      const lobby = await world.ready({ maxPlayers: 4 });
      const tooMany = await world.execute<"find">({ ...world.findCommand({ party: 3 }), explain: true });
      expect(tooMany).toMatchObject(refusal("TOO_MANY_PLAYERS_FROM_SOURCE"));
      expect(codesOf(tooMany.explanation!)).toEqual([[lobby.id, "client_limit"]]);
      await world.setClosed(lobby.id);
      const nothing = await world.execute<"find">({ ...world.findCommand({ create: null }), explain: true });
      expect(nothing).toMatchObject(refusal("NO_AVAILABLE_LOBBIES"));
      expect(codesOf(nothing.explanation!)).toEqual([[lobby.id, "closed"]]);
      const made = seated(
        await world.execute<"find">({ ...world.findCommand({ key: "k", client: bob }), explain: true }),
      );
      expect(made.isNewLobby).toBe(true);
      expect(codesOf(made.explanation!)).toEqual([[lobby.id, "closed"]]);
      const again = await world.execute<"find">({ ...world.findCommand({ key: "k", client: bob }), explain: true });
      expect(seated(again)).toMatchObject({ isReplay: true, lobby: { lobbyId: made.lobby.lobbyId } });
      expect(again).not.toHaveProperty("explanation");
    });

    test("[X8] a preview changes nothing and has the refusals of a find", async () => {
      const world = await createWorld(factory, { lobbyCountMax: 1 });
      await world.ready({ maxPlayers: 1, party: 1 });
      const before = await world.counts();
      const { idempotency: _, ...command } = world.findCommand();
      const preview = await world.read<"previewFind">({ ...command, type: "previewFind", explain: true });
      expect(preview).toMatchObject({
        ...refusal("TOO_MANY_LOBBIES"),
        explanation: { candidates: [{ codes: ["full"] }] },
      });
      expect(await world.counts()).toEqual(before);
    });
  });
}
