import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProcessLogs } from "../../src/runtime/process-logs.ts";
import { until } from "../support/harness.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { openDriver, shellLobby } from "./driver.ts";

const mib = 1024 * 1024;

test("[RT9] a process that keeps writing loses no line when its log is rotated, except at the moment of rotation", async () => {
  const folder = temporaryFolder();
  const logs = createProcessLogs((lobbyId) => join(folder, lobbyId));
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
      await logs.rotate("lobby", mib);
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
