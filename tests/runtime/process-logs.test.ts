import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProcessLogs } from "../../src/runtime/process-logs.ts";
import { until } from "../support/harness.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { openDriver, pidOf, shellLobby } from "./driver.ts";

const mib = 1024 * 1024;

test("[RT9] a process that keeps writing loses no line when its log is rotated, except at the moment of rotation", async () => {
  const folder = temporaryFolder();
  const logs = createProcessLogs((lobbyId) => join(folder, lobbyId), mib);
  const output = logs.open("lobby");
  // Ten lines at once in every millisecond, for as long as the test wants.
  const script = `
    const { writeSync } = require("node:fs");
    for (let n = 0; ; n += 10) {
      const lines = Array.from({ length: 10 }, (_, index) => String(n + index).padStart(999, "0") + "\\n");
      writeSync(1, lines.join(""));
      for (const end = performance.now() + 1; performance.now() < end; );
    }`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", ...output.descriptors] });
  output.close();

  let place = 0;
  let rest = "";
  let next = 0;
  /** Reads on and gives how many numbers are missing in what came. */
  async function missingInNews(): Promise<number> {
    const { start, bytes } = await logs.piece("lobby", "stdout", place, 64 * mib);
    expect(start).toBe(place);
    place += bytes.length;
    const lines = `${rest}${bytes.toString("latin1")}`.split("\n");
    rest = lines.pop()!;
    if (lines.length === 0) return 0;
    const from = next;
    next = Number(lines.at(-1)) + 1;
    return next - from - lines.length;
  }

  /** Before the first rotation nothing may be missing; afterwards by rotation, wherever in the news it shows. */
  const missing: number[] = [0];
  try {
    for (let rounds = 1; rounds <= 9; rounds++) {
      await until(async () => {
        missing[rounds - 1]! += await missingInNews();
        return place > rounds * 1.5 * mib;
      });
      missing.push(0);
      await logs.rotate("lobby");
    }
    await until(async () => {
      missing[9]! += await missingInNews();
      return place > 14 * mib;
    });
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  expect(missing.shift()).toBe(0);
  // This process may be interrupted in the one moment that matters, but not most of the time.
  expect(missing.sort((a, b) => a - b)[4]).toBe(0);
});

test("[RT9] the whole log of a lobby that has just ended is kept; later its newest part, with the same positions", async () => {
  const before = await openDriver({ logMaxBytes: 4 * mib });
  const lobby = shellLobby(`yes 'a line of the log' | head -c ${3 * mib}`);
  await before.start(lobby);
  await until(() => before.exitOf(lobby.lobbyId) !== null);
  expect(await before.logPiece(lobby.lobbyId, "stdout", 0, 0)).toMatchObject({ first: 0, end: 3 * mib });
  const last = await before.logs(lobby.lobbyId, "stdout", 1000);
  await before.close();

  const after = await openDriver({ dataDir: before.dataDir, now: () => Date.now() + 2 * 60 * 60_000 });
  expect(await after.logPiece(lobby.lobbyId, "stdout", 0, 0)).toMatchObject({ first: 2 * mib, end: 3 * mib });
  expect(await after.logs(lobby.lobbyId, "stdout", 1000)).toEqual(last);
  await after.close();
});

/** What all files of a lobby hold together. */
function bytesIn(folder: string): number {
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}

test("[RT26] the log of a program that writes without pause is bounded while it writes and at its end, and says what was dropped", async () => {
  const logMaxBytes = 10 * mib;
  const written = 800 * mib;
  const driver = await openDriver({ logMaxBytes });
  const go = join(temporaryFolder(), "go");
  const lobby = shellLobby(`while [ ! -e ${go} ]; do sleep 0.02; done; yes 'a line of the log' | head -c ${written}`);
  await driver.start(lobby);
  writeFileSync(go, "");
  const { lobbyId } = lobby;
  const folder = join(driver.dataDir, "lobbies", lobbyId);
  let most = 0;
  await until(() => {
    most = Math.max(most, bytesIn(folder));
    return driver.exitOf(lobbyId) !== null;
  });
  // Four times the maximum, and what is written while a busy machine lets the thread wait that stops the program.
  expect(most).toBeLessThanOrEqual(written / 2);
  // Its end is not the end of the bound, and being stopped was not its end.
  expect(driver.exitOf(lobbyId)).toEqual({ code: 0, signal: null });
  expect(bytesIn(folder)).toBeLessThanOrEqual(2 * logMaxBytes + 1024);

  const { first, end, bytes } = await driver.logPiece(lobbyId, "stdout", 0, 200);
  expect(end).toBeGreaterThan(written - 10 * mib);
  const [notice, line] = bytes.toString().split("\n");
  expect([notice, line]).toEqual([
    expect.stringMatching(/^ Foyer dropped \d+ bytes of output: a log keeps its newest part\.$/),
    "a line of the log",
  ]);
  expect(Number(/\d+/.exec(notice!))).toBe(first + notice!.length + 1);
  await driver.close();
}, 120_000);

test("[RT26] a program that an earlier service left stopped goes on", async () => {
  const before = await openDriver();
  const lobby = shellLobby("while :; do echo a line; sleep 0.02; done");
  await before.start(lobby);
  await before.close();
  process.kill(-pidOf(before, lobby.lobbyId), "SIGSTOP");
  const after = await openDriver({ dataDir: before.dataDir });
  const { end } = await after.logPiece(lobby.lobbyId, "stdout", 0, 0);
  await until(async () => (await after.logPiece(lobby.lobbyId, "stdout", 0, 0)).end > end + 100);
  await after.stop(lobby.lobbyId);
  await after.close();
});

test("[RT26] output of containers is bounded with every part that comes, and positions stay", async () => {
  const folder = temporaryFolder();
  const logs = createProcessLogs((lobbyId) => join(folder, lobbyId), mib);
  logs.open("lobby").close();
  const part = Buffer.from("a line of the log\n".repeat(3_000));
  for (let parts = 1; parts <= 100; parts++) {
    await logs.append("lobby", "stderr", part);
    expect(bytesIn(join(folder, "lobby"))).toBeLessThanOrEqual(2 * mib + part.length);
    expect((await logs.piece("lobby", "stderr", 0, 0)).end).toBe(parts * part.length);
  }
  expect((await logs.piece("lobby", "stderr", 0, 50)).bytes.toString()).toMatch(/^ Foyer dropped \d+ bytes of output/);
});
