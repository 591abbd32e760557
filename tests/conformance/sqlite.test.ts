import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { createMemoryEngine, type MemoryEngine } from "../../src/engine/memory/memory.ts";
import { createSqliteJournal } from "../../src/engine/memory/sqlite-journal.ts";
import { checkInvariants } from "../../src/matchmaker/invariants.ts";
import { temporaryFolder } from "../temporary-folder.ts";
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
  const factory = () => startEngine(temporaryFolder());
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

test("both journals run the same suites", () => {
  const suitesIn = (name: string) =>
    [...readFileSync(new URL(name, import.meta.url), "utf8").matchAll(/^ {2}(\w+Suite)\(factory\);$/gm)]
      .map((match) => match[1])
      .sort();
  expect(suitesIn("sqlite.test.ts").length).toBeGreaterThan(0);
  expect(suitesIn("sqlite.test.ts")).toEqual(suitesIn("memory.test.ts"));
});
