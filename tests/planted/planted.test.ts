import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Fault {
  readonly name: string;
  readonly edits: readonly { readonly file: string; readonly search: string; readonly replace: string }[];
}

const root = new URL("../../", import.meta.url);
// Cast: the file is ours, and scripts/planted.mjs reads the same.
const faults = JSON.parse(readFileSync(new URL("tests/planted/faults.json", root), "utf8")) as Fault[];

test("there are planted bugs, each with a unique name", () => {
  expect(faults.length).toBeGreaterThanOrEqual(15);
  expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
});

test.each(faults)("the planted bug still fits the sources: $name", ({ edits }) => {
  for (const { file, search, replace } of edits) {
    const found = readFileSync(new URL(file, root), "utf8").split(search).length - 1;
    expect({ file, search, found }).toEqual({ file, search, found: 1 });
    expect(replace).not.toBe(search);
  }
});
