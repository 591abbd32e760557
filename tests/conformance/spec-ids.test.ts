import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const spec = new URL("SPEC-matchmaker.md", root);
const folders = ["tests/conformance/", "src/engine/memory/", "src/matchmaker/"].map((name) => new URL(name, root));

describe("specification", () => {
  test("every numbered rule of the matchmaker is cited by a test, and every cited rule exists", () => {
    const rules = [...readFileSync(spec, "utf8").matchAll(/^- \[([A-Z]+\d+)\]/gm)];
    const cited = folders.flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith(".ts"))
        .flatMap((name) => readFileSync(new URL(name, folder), "utf8").match(/"(\[[A-Z]+\d+\] )+/g) ?? [])
        .flatMap((tags) => [...tags.matchAll(/\[([A-Z]+\d+)\]/g)]),
    );
    const ids = (matches: RegExpExecArray[]) => [...new Set(matches.map((match) => match[1]!))].sort();
    expect(ids(rules).length).toBeGreaterThan(0);
    expect(ids(cited)).toEqual(ids(rules));
  });
});
