import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { spawnFoyer } from "../support/child.ts";
import { ensureServerBuilt } from "../support/server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

beforeAll(ensureServerBuilt, 120_000);

const mounted: string[] = [];
afterAll(() => {
  for (const folder of mounted) spawnSync("umount", [folder]);
});

/** An empty file system that takes no writes, or null where this user or this system cannot have one. */
function readOnlyDisk(): string | null {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return null;
  const folder = temporaryFolder();
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=8m,ro", "none", folder]).status !== 0) return null;
  mounted.push(folder);
  return folder;
}

const disk = readOnlyDisk();

test("[FA1] on a data folder that takes no writes Foyer refuses to start and names the folder", {
  timeout: 240_000,
}, async () => {
  // Where no file system can be made read-only, a folder of the system that takes no files does.
  const folder = disk ?? "/proc";
  const child = spawnFoyer(folder);
  expect(await child.ended).not.toBe(0);
  expect(child.output()).toContain(`The data folder ${folder} cannot be`);
});
