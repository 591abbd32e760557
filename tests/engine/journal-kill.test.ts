import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { journalIn, namespaceId, storedIds } from "./journals.ts";

const childFile = fileURLToPath(new URL("./journal-child.ts", import.meta.url));

function startChild(...args: string[]): { child: ChildProcess; lines: AsyncIterable<string> } {
  const child = spawn(process.execPath, ["--import", "tsx", childFile, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return { child, lines: createInterface({ input: child.stdout! }) };
}

test("[I10] [I22] nothing that was acknowledged is lost by kill -9, and no append is there by half", async () => {
  const dataDir = temporaryFolder();
  const acknowledged = new Set<string>();
  for (const [round, killAfter] of [1, 700, 3_000].entries()) {
    const { child, lines } = startChild(dataDir, `${round}`);
    let received = 0;
    for await (const line of lines) {
      // The last line may have been cut off by the kill: its last number may be part of a number.
      const numbers = child.killed ? line.split(" ").slice(0, -1) : line.split(" ");
      for (const number of numbers) acknowledged.add(`${round}-${number}`);
      received += numbers.length;
      if (received >= killAfter) child.kill("SIGKILL");
    }

    const journal = journalIn(dataDir);
    const stored = new Set(await storedIds(journal));
    await journal.close();
    const lost = [...acknowledged].filter((id) => !stored.has(`${id}-a`));
    const halves = [...stored].filter((id) => !["a", "b", "c"].every((part) => stored.has(id.slice(0, -1) + part)));
    expect({ lost, halves }).toEqual({ lost: [], halves: [] });
    expect(acknowledged.size).toBeGreaterThanOrEqual(killAfter);
  }
}, 240_000);

test("a process whose journal is closed ends by itself", async () => {
  const dataDir = temporaryFolder();
  const { child, lines } = startChild(dataDir, "0", "100");
  const ended = once(child, "exit");
  const received: string[] = [];
  for await (const line of lines) received.push(line);
  expect(received.at(-1)).toBe("closed");
  expect(await ended).toEqual([0, null]);
  expect((await journalIn(dataDir).load()).get(namespaceId)).toHaveLength(300);
});
