import { describe, expect, test } from "vitest";
import { createWorld, type EngineFactory, refusal } from "../support/world.ts";

export function leasesSuite(factory: EngineFactory): void {
  describe("leases", () => {
    test("[PL2] a command of an earlier lease is refused once a later holder has spoken, and changes nothing", async () => {
      const world = await createWorld(factory);
      const { id } = await world.starting();
      const place = (nodeId: string, fence: number) =>
        world.execute<"placeLobby">({ type: "placeLobby", lobbyId: id, nodeId, fence });
      expect(await world.execute<"expire">({ type: "expire", fence: 7 })).toMatchObject({ ok: true });
      expect(await place("node-a", 6)).toEqual(refusal("LEASE_LOST"));
      expect((await world.lobby(id))?.nodeId).toBeNull();
      expect(await place("node-b", 7)).toEqual({ ok: true, isChanged: true });
      expect(await world.execute<"expire">({ type: "expire", fence: 8 })).toMatchObject({ ok: true });
      expect(await world.execute<"expire">({ type: "expire", fence: 7 })).toEqual(refusal("LEASE_LOST"));
    });

    test("[PL2] commands without a lease are never refused for one", async () => {
      const world = await createWorld(factory);
      const { id } = await world.starting();
      await world.execute<"expire">({ type: "expire", fence: 7 });
      expect(await world.setReady(id)).toEqual({ ok: true, isChanged: true });
    });
  });
}
