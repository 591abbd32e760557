import { describe, expect, test } from "vitest";
import { createWorld, type EngineFactory } from "../support/world.ts";

export function placingSuite(factory: EngineFactory): void {
  describe("placing", () => {
    test("[PL1] a lobby is placed on one node, once; the same choice again changes nothing", async () => {
      const world = await createWorld(factory);
      const { id } = await world.starting();
      expect((await world.lobby(id))?.nodeId).toBeNull();
      const place = (nodeId: string) => world.execute<"placeLobby">({ type: "placeLobby", lobbyId: id, nodeId });
      expect(await place("node-a")).toEqual({ ok: true, isChanged: true });
      expect(await place("node-a")).toEqual({ ok: true, isChanged: false });
      expect(await place("node-b")).toEqual({ ok: false, code: "ALREADY_PLACED" });
      expect((await world.lobby(id))?.nodeId).toBe("node-a");
    });

    test("[ND22] a lobby that is starting is moved from the node that is named, without its ports; no other, and no later", async () => {
      const world = await createWorld(factory);
      const { id } = await world.starting();
      const place = (nodeId: string, insteadOf?: string) =>
        world.execute<"placeLobby">({ type: "placeLobby", lobbyId: id, nodeId, ...(insteadOf && { insteadOf }) });
      const setPorts = (nodeId: string) =>
        world.execute<"setPorts">({ type: "setPorts", lobbyId: id, ports: `{"${nodeId}":1}`, nodeId });
      const refused = { ok: false, code: "ALREADY_PLACED" };
      await place("node-a");
      expect(await setPorts("node-a")).toEqual({ ok: true });
      await world.execute({ type: "setReady", lobbyId: id, waitsFor: "its ports" });
      expect(await place("node-b", "node-c")).toEqual(refused);
      expect(await place("node-b", "node-a")).toEqual({ ok: true, isChanged: true });
      expect(await world.lobby(id)).toMatchObject({ nodeId: "node-b", ports: null, waitsFor: null });
      expect(await setPorts("node-a")).toEqual(refused);
      expect(await place("node-a")).toEqual(refused);
      expect(await setPorts("node-b")).toEqual({ ok: true });
      await world.restart();
      expect(await world.lobby(id)).toMatchObject({ nodeId: "node-b", ports: '{"node-b":1}' });
      await world.execute({ type: "setReady", lobbyId: id });
      expect(await place("node-c", "node-b")).toEqual(refused);
    });

    test("[PL1] of many concurrent assignments exactly one takes effect", async () => {
      const world = await createWorld(factory);
      const { id } = await world.starting();
      const nodes = Array.from({ length: 16 }, (_, number) => `node-${number}`);
      const outcomes = await Promise.all(
        nodes.map((nodeId) => world.execute<"placeLobby">({ type: "placeLobby", lobbyId: id, nodeId })),
      );
      const chosen = nodes.filter((_, at) => outcomes[at]?.ok);
      expect(chosen).toHaveLength(1);
      expect((await world.lobby(id))?.nodeId).toBe(chosen[0]);
    });

    test("[PL1] where a lobby was placed survives a restart; a lobby that has ended is placed nowhere", async () => {
      const world = await createWorld(factory);
      const { id } = await world.starting();
      await world.execute<"placeLobby">({ type: "placeLobby", lobbyId: id, nodeId: "node-a" });
      await world.restart();
      expect((await world.lobby(id))?.nodeId).toBe("node-a");
      const other = await world.starting();
      await world.stop(other.id);
      expect(await world.execute<"placeLobby">({ type: "placeLobby", lobbyId: other.id, nodeId: "node-a" })).toEqual({
        ok: false,
        code: "LOBBY_STOPPED",
      });
    });
  });
}
