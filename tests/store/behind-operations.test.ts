import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { Engine } from "../../src/engine/engine.ts";
import { createMemoryEngine } from "../../src/engine/memory/memory.ts";
import { createLog } from "../../src/ground/log.ts";
import { readAhead } from "../../src/operations/auth/read-ahead.ts";
import { blockOperations } from "../../src/operations/cloud/blocks.ts";
import type { Context } from "../../src/operations/context.ts";
import { changed } from "../../src/store/cache.ts";
import { insertToken, peekTokenByHash } from "../../src/store/tokens.ts";
import { until } from "../support/harness.ts";
import { createMemoryJournal } from "../support/memory-journal.ts";
import { World } from "../support/world.ts";
import { emptyStore, newId, now, storedNamespace, token } from "./fixtures.ts";

/** An open store with a namespace, and an engine that has it too. */
async function storeAndEngine() {
  const db = await emptyStore("sqlite");
  const engine = await createMemoryEngine(createMemoryJournal());
  onTestFinished(() => engine.close());
  const namespace = await storedNamespace(db);
  const under = { engine, check: () => [], restart: () => Promise.reject(new Error("Not this one.")) };
  const world = new World(under, namespace.namespaceId, { next: 0 });
  await world.configure();
  return { db, engine, namespace, world };
}

test("[BL7] a block with end_seats is answered when the seats have ended, not before", async () => {
  const { db, engine, namespace } = await storeAndEngine();
  const steps: string[] = [];
  const late: Pick<Engine, "execute"> = {
    async execute(command) {
      const outcome = await engine.execute(command);
      for (let turn = 0; turn < 10; turn++) await setImmediate();
      steps.push(command.type);
      return outcome;
    },
  };
  // Cast: what the operation uses of the context.
  const context = {
    db,
    engine: late,
    now: () => now,
    newId,
    configs: { changed: async () => {} },
  } as unknown as Context;
  const set = blockOperations(context)["games.namespaces.blocks.set"];
  const params = { game_id: namespace.gameId, namespace_id: namespace.namespaceId };
  const request = { params, body: { client: "192.0.2.1", end_seats: true }, record: () => db };
  await set(request as unknown as Parameters<typeof set>[0]);
  expect(steps).toEqual(["endSeats"]);
});

test("[RF26] a token whose read was overtaken by another change is read once more", async () => {
  const { db, engine, namespace } = await storeAndEngine();
  const configs = { renew: async () => {}, get: async () => null };
  readAhead({ db, engine, configs } as unknown as Context, createLog({ level: "silent", format: "json" }));
  const { gameId, namespaceId } = namespace;
  const [first, second] = [token({ gameId, namespaceId }), token({ gameId, namespaceId })];
  await insertToken(db, first);
  await until(() => peekTokenByHash(db, first.hash) !== undefined);

  // The listener before this one has just begun to read.
  let overtakes = 1;
  db.onChange((change) => {
    if (change !== "unconfirmed" && overtakes-- > 0) changed(db, "unconfirmed");
  });
  await insertToken(db, second);
  await until(() => peekTokenByHash(db, second.hash) !== undefined);
});
