import { copyFileSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { watchFiles } from "./file-watch.ts";

function watched() {
  const folder = mkdtempSync(join(tmpdir(), "foyer-watch-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const paths = [join(folder, "a"), join(folder, "b")] as const;
  for (const path of paths) writeFileSync(path, "");
  const missing: string[] = [];
  return { folder, paths, missing, watch: watchFiles(paths, (path) => missing.push(path)) };
}

test("[O31] files that are written to are still there", () => {
  const { paths, missing, watch } = watched();
  writeFileSync(paths[0], "more");
  watch.check();
  expect([missing, watch.missing()]).toEqual([[], null]);
});

test("[O31] a missing file is reported at every check, also when another one has its name", () => {
  const { folder, paths, missing, watch } = watched();
  copyFileSync(paths[1], join(folder, "copy"));
  rmSync(paths[1]);
  watch.check();
  renameSync(join(folder, "copy"), paths[1]);
  watch.check();
  expect([missing, watch.missing()]).toEqual([[paths[1], paths[1]], paths[1]]);
});

const replacements: [string, (folder: string) => void][] = [
  ["a file", (folder) => writeFileSync(folder, "")],
  ["a link that leads to itself", (folder) => symlinkSync(folder, folder)],
];

test.each(replacements)("[O31] a file is missing when its folder is replaced by %s", (_, replace) => {
  const { folder, paths, missing, watch } = watched();
  rmSync(folder, { recursive: true });
  replace(folder);
  watch.check();
  expect([missing, watch.missing()]).toEqual([[paths[0]], paths[0]]);
});
