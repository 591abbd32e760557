import { afterEach, describe } from "vitest";
import { createMemoryEngine, type MemoryEngine } from "../../src/engine/memory/memory.ts";
import { createSqliteJournal } from "../../src/engine/memory/sqlite-journal.ts";
import { checkInvariants } from "../support/invariants.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import type { EngineUnderTest } from "../support/world.ts";
import { everySuite } from "./conformance.suite.ts";

const opened = new Set<MemoryEngine>();

afterEach(async () => {
  for (const engine of opened) await engine.close();
  opened.clear();
});

async function startEngine(dataDir: string): Promise<EngineUnderTest> {
  const journal = createSqliteJournal({
    dataDir,
    onSyncFailure(fault) {
      throw fault;
    },
  });
  const engine = await createMemoryEngine(journal);
  opened.add(engine);
  return {
    engine,
    check(namespaceId) {
      const state = engine.states().get(namespaceId);
      return state === undefined ? [] : checkInvariants(state);
    },
    async restart() {
      opened.delete(engine);
      await engine.close();
      return startEngine(dataDir);
    },
  };
}

describe("memory engine with a journal in SQLite", () => {
  everySuite(() => startEngine(temporaryFolder()));
});
