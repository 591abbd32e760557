import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const made: string[] = [];

/** A new empty folder that is removed when the test file is done. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "foyer-test-"));
  made.push(folder);
  return folder;
}

afterAll(() => {
  // A process that was killed a moment ago may still create a file, so a folder that is not empty is tried again.
  for (const folder of made) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});
