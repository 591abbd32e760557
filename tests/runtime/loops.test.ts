import { randomUUID } from "node:crypto";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { describe, expect, onTestFinished, test } from "vitest";
import { createMemoryEngine } from "../../src/engine/memory/memory.ts";
import { createLog } from "../../src/ground/log.ts";
import { createExpire } from "../../src/loops/expire.ts";
import { record } from "../../src/loops/history.ts";
import { createKeepIdle } from "../../src/loops/keep-idle.ts";
import { createProcessRecords } from "../../src/runtime/process-records.ts";
import { listPastLobbies } from "../../src/store/lobby-history.ts";
import { openDb } from "../../src/store/open-db.ts";
import { folder, storedNamespace } from "../store/fixtures.ts";
import { until } from "../support/harness.ts";
import { createMemoryJournal } from "../support/memory-journal.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { createWorld, World } from "../support/world.ts";

const memory = async () => {
  const engine = await createMemoryEngine(createMemoryJournal());
  return { engine, check: () => [], restart: () => Promise.reject(new Error("Not this one.")) };
};

describe("records of processes", () => {
  const ended = (records: ReturnType<typeof createProcessRecords>, root: string, atS: number) => {
    const lobbyId = randomUUID();
    records.write({ lobbyId, pid: null, identity: null, ports: {}, hasEnded: true });
    utimesSync(join(root, lobbyId, "process.json"), atS, atS);
    return lobbyId;
  };
  const namesOf = async (records: ReturnType<typeof createProcessRecords>) =>
    (await records.readAll()).map(({ lobbyId }) => lobbyId).sort();

  test("[RT9] those that ended long ago go though there are few, and the oldest of many though they are young", async () => {
    const root = temporaryFolder();
    const records = createProcessRecords(root);
    const [old, older, young, newest] = [300, 200, 1_000, 2_000].map((atS) => ended(records, root, atS)) as string[];
    const running = randomUUID();
    records.write({ lobbyId: running, pid: 1, identity: "x", ports: {}, hasEnded: false });
    utimesSync(join(root, running, "process.json"), 1, 1);

    expect((await records.prune(500_000, 10)).map(({ lobbyId }) => lobbyId)).toEqual([newest, young]);
    expect(await namesOf(records)).toEqual([newest, young, running].sort());
    expect([old, older]).not.toContain(newest);

    expect((await records.prune(0, 1)).map(({ lobbyId }) => lobbyId)).toEqual([newest]);
    expect(await namesOf(records)).toEqual([newest, running].sort());
  });
});

describe("the history of lobbies", () => {
  async function recorded(isOurs: (lobbyId: string) => boolean = () => true) {
    const db = await openDb({ databaseUrl: null, dataDir: await folder() });
    onTestFinished(() => db.close());
    const { namespaceId } = await storedNamespace(db);
    const world = new World(await memory(), namespaceId, { next: 0 });
    await world.configure();
    const log = createLog({ level: "silent", format: "json" });
    const recorder = await record({
      engine: world.under.engine,
      db,
      log,
      now: () => world.now,
      isOurs: ({ lobbyId }) => isOurs(lobbyId),
      picked: () => ({}),
    });
    await recorder.catchUp();
    const past = () => listPastLobbies(db, namespaceId, { after: null, limit: 10 });
    /** The table is not there while `during` runs. */
    const withoutStore = async (during: () => Promise<unknown>) => {
      await sql`alter table lobby_history rename to elsewhere`.execute(db.query);
      await during();
      await sql`alter table elsewhere rename to lobby_history`.execute(db.query);
    };
    return { world, recorder, past, withoutStore };
  }
  const exit = { code: 7, signal: null, message: "It ended with 7." };

  test("[RT15] lobbies that stop while the store is unavailable are recorded when it is back", async () => {
    const { world, recorder, past, withoutStore } = await recorded();
    const { id } = await world.ready();
    await withoutStore(async () => {
      await world.stop(id);
      await recorder.stop();
    });
    expect(await past()).toEqual([]);
    await recorder.catchUp();
    expect(await past()).toMatchObject([{ lobbyId: id, exitCode: null }]);
  });

  test("[RT15] a catch-up that the store refused is repeated, as often as it takes", async () => {
    const { world, recorder, past, withoutStore } = await recorded();
    const { id } = await world.ready();
    await withoutStore(async () => {
      await world.stop(id);
      await recorder.stop();
      for (const _ of [1, 2]) await expect(recorder.catchUp()).rejects.toThrow("lobby_history");
    });
    await recorder.catchUp();
    expect(await past()).toMatchObject([{ lobbyId: id }]);
  });

  test("[RT15] [RT18] how a process ended is written down too, whether it comes before the lobby, after it, or while the store is away", async () => {
    const { world, recorder, past, withoutStore } = await recorded();
    const [early, late, away] = [await world.ready(), await world.ready(), await world.ready()];
    await recorder.noteExit(early.id, exit);
    for (const { id } of [early, late, away]) await world.stop(id);
    await recorder.stop();
    await recorder.noteExit(late.id, exit);
    const codes = async () => Object.fromEntries((await past()).map(({ lobbyId, exitCode }) => [lobbyId, exitCode]));
    expect(await codes()).toEqual({ [early.id]: 7, [late.id]: 7, [away.id]: null });
    await withoutStore(() => recorder.noteExit(away.id, exit));
    await recorder.catchUp();
    expect(await codes()).toEqual({ [early.id]: 7, [late.id]: 7, [away.id]: 7 });
  });

  test("[RT15] a node writes down its own lobbies only, also when it catches up", async () => {
    let other = "";
    const { world, recorder, past } = await recorded((lobbyId) => lobbyId !== other);
    const [own, others] = [await world.ready(), await world.ready()];
    other = others.id;
    for (const { id } of [own, others]) await world.stop(id);
    await recorder.stop();
    recorder.expectMore();
    await recorder.catchUp();
    expect((await past()).map(({ lobbyId }) => lobbyId)).toEqual([own.id]);
  });
});

describe("what is due", () => {
  test("it is ended at its moment, not after it, in each namespace that has something due", async () => {
    const world = await createWorld(memory);
    const { id } = await world.starting({ readyMs: 1_000 });
    const expire = createExpire(world.under.engine, { lease: () => ({}) }, () => world.now);
    const ended: string[] = [];
    void (async () => {
      for await (const event of world.under.engine.events()) if (event.type === "lobby.stopped") ended.push(event.type);
    })();
    world.now += 999;
    await expire();
    expect(ended).toEqual([]);
    world.now += 1;
    await expire();
    await until(() => ended.length === 1);
    expect(await world.statusOf(id)).toBe("stopped: not_ready");
  });
});

describe("lobbies ahead of need", () => {
  const pair = { gameMode: "duel", region: "local" };

  async function filled(options: { lobbyCountMax: number; isFailing?: boolean; revision?: number }) {
    const world = await createWorld(memory, { idle: [{ ...pair, min: 3 }] });
    await world.configure({ lobbyCountMax: options.lobbyCountMax });
    const settled: boolean[] = [];
    const engine = { ...world.under.engine };
    if (options.isFailing) engine.execute = () => Promise.reject(new Error("The engine fails."));
    const plan = async () => ({
      lobby: world.newLobby({}),
      revision: options.revision ?? world.revision,
      settle: (isMade: boolean) => void settled.push(isMade),
    });
    const keepIdle = createKeepIdle(
      engine,
      () => world.now,
      plan,
      async () => true,
    );
    const fault = await keepIdle().catch((error: unknown) => error);
    return { settled, fault, counts: await world.counts() };
  }

  test("[RT10] as many are made as are lacking, and each keeps the room it was planned with", async () => {
    const { settled, counts } = await filled({ lobbyCountMax: 10 });
    expect([settled, counts.starting]).toEqual([[true, true, true], 3]);
  });

  test("[RT5] a lobby that is refused, or whose making failed, gives its room back", async () => {
    expect(await filled({ lobbyCountMax: 10, revision: 999 })).toMatchObject({ settled: [false] });
    const failing = await filled({ lobbyCountMax: 10, isFailing: true });
    expect([failing.settled, String(failing.fault)]).toEqual([[false], "Error: The engine fails."]);
  });
});
