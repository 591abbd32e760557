import { describe } from "vitest";
import { createMemoryJournal, type MemoryJournal } from "../../src/engine/memory/journal.ts";
import { createMemoryEngine } from "../../src/engine/memory/memory.ts";
import { checkInvariants } from "../../src/matchmaker/invariants.ts";
import { closingSuite } from "./closing.ts";
import { creatingSuite } from "./creating.ts";
import { deploysSuite } from "./deploys.ts";
import { eventsSuite } from "./events.ts";
import { explainingSuite } from "./explaining.ts";
import { findingSuite } from "./finding.ts";
import { heartbeatsSuite } from "./heartbeats.ts";
import { idempotencySuite } from "./idempotency.ts";
import { isolationSuite } from "./isolation.ts";
import { joiningSuite } from "./joining.ts";
import { limitsSuite } from "./limits.ts";
import { playersSuite } from "./players.ts";
import { readinessSuite } from "./readiness.ts";
import { seatsAndExpirySuite } from "./seats-and-expiry.ts";
import { statisticsAndListsSuite } from "./statistics-and-lists.ts";
import { stoppingSuite } from "./stopping.ts";
import { warmPoolSuite } from "./warm-pool.ts";
import type { EngineUnderTest } from "./world.ts";

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
  const factory = () => startEngine(createMemoryJournal());
  closingSuite(factory);
  creatingSuite(factory);
  explainingSuite(factory);
  findingSuite(factory);
  deploysSuite(factory);
  eventsSuite(factory);
  idempotencySuite(factory);
  isolationSuite(factory);
  limitsSuite(factory);
  statisticsAndListsSuite(factory);
  stoppingSuite(factory);
  warmPoolSuite(factory);
  heartbeatsSuite(factory);
  joiningSuite(factory);
  playersSuite(factory);
  readinessSuite(factory);
  seatsAndExpirySuite(factory);
});
