import { describe } from "vitest";
import { createMemoryEngine } from "../../src/engine/memory/memory.ts";
import { checkInvariants } from "../support/invariants.ts";
import { createMemoryJournal, type MemoryJournal } from "../support/memory-journal.ts";
import type { EngineUnderTest } from "../support/world.ts";
import { everySuite } from "./conformance.suite.ts";

async function startEngine(journal: MemoryJournal): Promise<EngineUnderTest> {
  const engine = await createMemoryEngine(journal);
  return {
    engine,
    check(namespaceId) {
      const state = engine.states().get(namespaceId);
      return state === undefined ? [] : checkInvariants(state);
    },
    async restart() {
      await engine.close();
      return startEngine(journal);
    },
  };
}

describe("memory engine", () => {
  everySuite(() => startEngine(createMemoryJournal()));
});
