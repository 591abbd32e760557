import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { journalIn, loadedJournal, namespaceId, player, storedIds, type TestJournal } from "./journals.ts";

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

/** Appends until one is refused; gives the ids of those that were not. */
async function fillUp(journal: TestJournal): Promise<string[]> {
  const kept: string[] = [];
  for (let i = 0; i < 1_000_000; i++) {
    const ids = Array.from({ length: 50 }, (_, part) => `${i}-${part}`);
    const changes = ids.map((id) => player(id, "x".repeat(500)));
    try {
      await journal.append(namespaceId, changes);
    } catch (error) {
      expect(error).toMatchObject({ name: "JournalUnavailable", message: expect.stringContaining("full") });
      return kept;
    }
    kept.push(...ids);
  }
  throw new Error("The disk never got full.");
}

// Where no small disk can be made, this one test has to do.
test("[I24] a file that may not grow refuses writes, keeps what it has, and accepts more once it may grow", async () => {
  const dataDir = temporaryFolder();
  const journal = journalIn(dataDir, { pagesMax: 200 });
  await journal.load();
  const kept = await fillUp(journal);
  expect(kept.length).toBeGreaterThan(500);
  expect(await storedIds(journal)).toEqual(kept.sort());
  await journal.close();

  const freed = await loadedJournal(dataDir);
  await freed.append(namespaceId, [player("more")]);
  expect(await storedIds(freed)).toEqual([...kept, "more"].sort());
});

const disk = smallDisk(4);
if (disk !== null) {
  test("[I24] on a really full disk reads continue, probes fail until there is room, nothing is lost", async () => {
    const ballast = join(disk, "ballast");
    writeFileSync(ballast, Buffer.alloc(2 * 1024 * 1024));
    const journal = await loadedJournal(disk);
    const kept = await fillUp(journal);
    expect(kept.length).toBeGreaterThan(500);

    expect(await storedIds(journal)).toEqual(kept.sort());
    const again = await fillUp(journal);
    const stored = [...new Set([...kept, ...again])].sort();
    expect(await storedIds(journal)).toEqual(stored);
    await expect(journal.probe()).rejects.toThrow("full");
    await expect(journal.probe()).rejects.toThrow("full");

    rmSync(ballast);
    await journal.probe();
    await journal.append(namespaceId, [player("more")]);
    expect(await storedIds(journal)).toEqual([...stored, "more"].sort());
    expect(journal.syncFailures).toEqual([]);
    await journal.close();
  });
}
