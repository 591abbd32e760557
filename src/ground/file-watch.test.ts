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
  const gone: string[] = [];
  return { folder, paths, gone, watch: watchFiles(paths, (path) => gone.push(path)) };
}

test("[O31] files that are written to are still there", () => {
  const { paths, gone, watch } = watched();
  writeFileSync(paths[0], "more");
  watch.check();
  expect([gone, watch.gone()]).toEqual([[], null]);
});

test("[O31] a missing file is reported at every check, also when another one has its name", () => {
  const { folder, paths, gone, watch } = watched();
  copyFileSync(paths[1], join(folder, "copy"));
  rmSync(paths[1]);
  watch.check();
  renameSync(join(folder, "copy"), paths[1]);
  watch.check();
  expect([gone, watch.gone()]).toEqual([[paths[1], paths[1]], paths[1]]);
});

const replacements: [string, (folder: string) => void][] = [
  ["a file", (folder) => writeFileSync(folder, "")],
  ["a link that leads to itself", (folder) => symlinkSync(folder, folder)],
];

test.each(replacements)("[O31] a file is gone when its folder is replaced by %s", (_, replace) => {
  const { folder, paths, gone, watch } = watched();
  rmSync(folder, { recursive: true });
  replace(folder);
  watch.check();
  expect([gone, watch.gone()]).toEqual([[paths[0]], paths[0]]);
});
