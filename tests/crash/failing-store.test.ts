import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { createMemoryEngine, type MemoryEngine } from "../../src/engine/memory/memory.ts";
import { createSqliteJournal } from "../../src/engine/memory/sqlite-journal.ts";
import { EngineUnavailable } from "../../src/ground/unavailable.ts";
import type { CommandOf } from "../../src/matchmaker/commands.ts";
import { createRandom } from "../histories/load.ts";
import { anyLobby } from "../support/any-lobby.ts";
import { checkInvariants } from "../support/invariants.ts";
import { type FailpointStep, failpoints, type JournalFailpoints } from "../support/journal-failpoints.ts";
import { stateHash } from "../support/state-hash.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const namespaceId = "aaaaaaaa-0000-7000-8000-00000000000a";
const lobbyCount = 6;
const idOf = (number: number) => `00000000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`;
const engines: MemoryEngine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

async function engineOn(dataDir: string, settings: JournalFailpoints = {}): Promise<MemoryEngine> {
  const engine = await createMemoryEngine(createSqliteJournal({ dataDir, ...failpoints(settings) }));
  engines.push(engine);
  return engine;
}

/** A namespace with a few external lobbies, whose states are what the tests write and read. */
async function fill(engine: MemoryEngine): Promise<void> {
  const limits = { lobbyCountMax: 100, maxPlayers: 100, maxPlayersPerClient: null };
  const base = { namespaceId, now: 1, revision: 1 };
  await engine.execute({ type: "configure", ...base, limits, deployedVersionId: "v", idleMinimums: [] });
  for (let number = 1; number <= lobbyCount; number++) {
    const lobby: CommandOf<"createLobby">["lobby"] = {
      ...anyLobby,
      lobbyId: idOf(number),
      versionId: "v",
      maxPlayers: 4,
      maxPlayersDirect: 4,
      isExternal: true,
      readyMs: 1e9,
      reservationMs: 1e9,
      emptyMs: 1e9,
    };
    const reason = "registered";
    await engine.execute({
      type: "createLobby",
      ...base,
      reason,
      lobby,
      clientId: null,
      playerIds: [],
      idempotency: null,
    });
  }
}

/** Whether the store took it. */
async function setState(engine: MemoryEngine, number: number, state: string): Promise<boolean> {
  try {
    await engine.execute({ type: "setState", namespaceId, now: 2, lobbyId: idOf(number), state });
    return true;
  } catch (error) {
    if (error instanceof EngineUnavailable) return false;
    throw error;
  }
}

async function stateOf(engine: MemoryEngine, number: number): Promise<string | null> {
  return (await engine.read({ type: "lobby", namespaceId, now: 2, lobbyId: idOf(number) }))?.state ?? null;
}

const full = 13;
const ioWrite = 778;

function randomFaults(random: () => number): FailpointStep[] {
  return Array.from({ length: 3 }, () => {
    const on = random() < 0.75 ? "commit" : "probe";
    const when = on === "probe" || random() < 0.6 ? "before" : "after";
    const what =
      random() < 0.3 ? { type: "die" as const } : { type: "fail" as const, code: random() < 0.5 ? full : ioWrite };
    // Each thread counts from zero, and each failure starts another thread, so these repeat.
    // The first commit of a thread always works, or nothing ever would.
    return { on, number: (on === "commit" ? 2 : 1) + Math.floor(random() * 5), when, what };
  });
}

describe("[I22] [I24] a store that fails, dies and comes back, at random", () => {
  test.each([1, 2, 4, 5])(
    "seed %i: what was acknowledged or read stays, and nothing else is ever shown",
    {
      timeout: 240_000,
    },
    async (seed) => {
      const random = createRandom(seed);
      const dataDir = temporaryFolder();
      const first = await engineOn(dataDir);
      await fill(first);
      await first.close();
      const engine = await engineOn(dataDir, { steps: randomFaults(random) });
      /** By lobby: the values that may be read, of which the first is the last one that is known to be durable. */
      const possible = Array.from({ length: lobbyCount + 1 }, (): (string | null)[] => [null]);
      let [taken, lost] = [0, 0];
      for (let round = 0; round < 15; round++) {
        const numbers = [1, 2, 3, 4, 5, 6].filter(() => random() < 0.5);
        const writes = numbers.map(async (number) => {
          const value = `"${round}"`;
          possible[number]!.push(value);
          const isTaken = await setState(engine, number, value);
          if (isTaken) possible[number] = [value];
          if (isTaken) taken += 1;
          else lost += 1;
        });
        const during = 1 + Math.floor(random() * lobbyCount);
        const [seen] = await Promise.all([readOrNull(engine, during), ...writes]);
        // What was read while the write was under way is durable, so from then on nothing older may be.
        if (seen !== undefined && possible[during]!.includes(seen)) {
          possible[during] = possible[during]!.slice(possible[during]!.indexOf(seen));
        }
        for (let number = 1; number <= lobbyCount; number++) {
          const value = await stateOf(engine, number);
          expect(possible[number], `lobby ${number} in round ${round}`).toContain(value);
          possible[number] = [value];
        }
        expect(checkInvariants(engine.states().get(namespaceId)!)).toEqual([]);
      }
      expect(taken).toBeGreaterThan(0);
      expect(lost).toBeGreaterThan(0);
      const lived = stateHash(engine.states().get(namespaceId)!);
      await engine.close();
      const loaded = await engineOn(dataDir);
      expect(stateHash(loaded.states().get(namespaceId)!)).toBe(lived);
    },
  );
});

/** A read may fail when the store keeps failing under it; then it proves nothing. */
async function readOrNull(engine: MemoryEngine, number: number): Promise<string | null | undefined> {
  try {
    return await stateOf(engine, number);
  } catch (error) {
    if (error instanceof EngineUnavailable) return undefined;
    throw error;
  }
}

test("[I22] while a commit stalls, neither its answer nor any read shows it; when it vanishes it never was", async () => {
  const dataDir = temporaryFolder();
  const first = await engineOn(dataDir);
  await fill(first);
  await first.close();
  const gate = new Int32Array(new SharedArrayBuffer(8));
  const held: FailpointStep = { on: "commit", number: 1, when: "before", what: { type: "hold", gate } };
  const vanished: FailpointStep = { on: "commit", number: 1, when: "before", what: { type: "fail", code: ioWrite } };
  const engine = await engineOn(dataDir, { steps: [held, vanished] });
  const settled: string[] = [];
  const write = setState(engine, 1, '"new"').then((isTaken) => settled.push(`write ${isTaken}`));
  while (Atomics.load(gate, 1) === 0) await new Promise((resolve) => setImmediate(resolve));
  const read = stateOf(engine, 1).then((state) => settled.push(`read ${state}`));
  for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve));
  expect(settled).toEqual([]);
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  await Promise.all([write, read]);
  expect(settled.sort()).toEqual(["read null", "write false"]);
});

const mounted: string[] = [];
afterAll(() => {
  for (const folder of mounted) spawnSync("umount", [folder]);
});

/** A file system of that size, or null where this user or this system cannot have one. */
function smallDisk(megabytes: number): string | null {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return null;
  const folder = temporaryFolder();
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=700`, "none", folder]);
  if (status !== 0) return null;
  mounted.push(folder);
  return folder;
}

/** Writes ever larger values until the store takes no more; gives the last one that it took. */
async function writeUntilFull(engine: MemoryEngine): Promise<string> {
  let last = "";
  for (let i = 1; i < 20_000; i++) {
    const value = JSON.stringify("x".repeat(4000) + i);
    const lobby = 1 + (i % lobbyCount);
    if (!(await setState(engine, lobby, value))) return last;
    if (lobby === 1) last = value;
  }
  throw new Error("The disk never got full.");
}

const disk = smallDisk(2);
if (disk !== null) {
  test("[I24] a full disk: reads continue, writes are refused until there is room again, nothing is lost", {
    timeout: 240_000,
  }, async () => {
    const ballast = join(disk, "ballast");
    const engine = await engineOn(disk);
    await fill(engine);
    const room = 1024 * 1024;
    writeFileSync(ballast, Buffer.alloc(room));
    const last = await writeUntilFull(engine);
    expect(await stateOf(engine, 1)).toBe(last);
    for (let attempt = 0; attempt < 5; attempt++) expect(await setState(engine, 1, '"refused"')).toBe(false);
    expect(await stateOf(engine, 1)).toBe(last);

    rmSync(ballast);
    expect(await setState(engine, 1, '"taken"')).toBe(true);
    expect(await stateOf(engine, 1)).toBe('"taken"');
    await engine.close();
    expect(await stateOf(await engineOn(disk), 1)).toBe('"taken"');
  });
}
