import { describe, expect, test } from "vitest";
import { importsOf, read, targetOf, trackedFiles } from "./support/repository.ts";

const specifications = ["SPEC.md"];

/** The ids of all rules, as often as they are defined. */
const rules = specifications.flatMap((name) =>
  [...read(name).matchAll(/^- \[([A-Z]+\d+)\] /gm)].map(([, id]) => id ?? ""),
);

/** Suites are functions in files of any name, so every file of tests/ may hold titles; in src/ only tests do. */
const titles = trackedFiles
  .filter((file) => /^tests\/.*\.ts$|^src\/.*\.test\.ts$/.test(file))
  .flatMap((file) => titlesOf(read(file)).map((title) => ({ file, title })));

describe("specification", () => {
  test("there are rules and titles to compare", () => {
    expect(specifications).toContain("SPEC.md");
    expect(rules.length).toBeGreaterThan(100);
    expect(titles.length).toBeGreaterThan(500);
  });

  test("no rule is defined twice", () => {
    expect(rules.filter((id, index) => rules.indexOf(id) !== index)).toEqual([]);
  });

  test("every rule is cited by the title of a test, and every rule that is cited exists", () => {
    const cited = new Set(titles.flatMap(({ title }) => idsOf(title)));
    const known = new Set(rules);
    const unproved = [...known].filter((id) => !cited.has(id));
    const unknown = titles.filter(({ title }) => idsOf(title).some((id) => !known.has(id))).map(inWords);
    expect({ unproved, unknown }).toEqual({ unproved: [], unknown: [] });
  });

  test("every rule is proved by `npm test`, not by `npm run test:long` alone", () => {
    const isUsual = (file: string) => file.endsWith(".test.ts") && !file.endsWith(".long.test.ts");
    const run = withImports(trackedFiles.filter(isUsual));
    const cited = new Set(titles.filter(({ file }) => run.has(file)).flatMap(({ title }) => idsOf(title)));
    expect(rules.filter((id) => !cited.has(id))).toEqual([]);
  });

  test("every rule that the threat model names exists", () => {
    const named = [...read("SECURITY.md").matchAll(/\[([A-Z]+\d+)\]/g)].map(([, id]) => id ?? "");
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((id) => !rules.includes(id))).toEqual([]);
  });

  test("a title begins with the rules that it cites", () => {
    const elsewhere = titles.filter(({ title }) => /\[[A-Z]+\d+\]/.test(title.replace(/^(?:\[[A-Z]*\d+\] )+/, "")));
    expect(elsewhere.map(inWords)).toEqual([]);
  });

  test("titles are found in every way of writing them", () => {
    const [test, tag] = ["test", "[A1] "];
    const ways = [
      `${test}("${tag}a", () => {})`,
      `  ${test}.each([1, 2])(\n    '${tag}a',\n    () => {})`,
      `${test}.each<[string]>(table)(\`${tag}\${b}\`, run)`,
      `describe.each\`a\n1\`("${tag}a")`,
      `describe("${tag}a", patient, run)`,
    ];
    expect(ways.flatMap(titlesOf).flatMap(idsOf)).toEqual(ways.map(() => "A1"));
    expect(titlesOf(`// ${test}("${tag}a")\n * ${test}("${tag}a")\nexpect(x, "${tag}a")`)).toEqual([]);
  });
});

function inWords({ file, title }: { file: string; title: string }): string {
  return `${file}: ${title}`;
}

/** These test files and the files of tests/ that they run, directly or through others. */
function withImports(testFiles: readonly string[]): Set<string> {
  const found = new Set(testFiles);
  for (const file of found) {
    const targets = importsOf(file).map((specifier) => targetOf(file, specifier));
    for (const target of targets) if (/^tests\/.*\.ts$/.test(target)) found.add(target);
  }
  return found;
}

/** The first text given to `test` or `describe`, or to what their `each` and the like returned. */
function titlesOf(source: string): string[] {
  const code = source.replace(/^\s*(?:\/\/|\/?\*).*$/gm, "");
  const calls =
    /(?:\b(?:test|describe)(?:\.\w+)*|[\])`])\(\s*(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|`((?:\\.|[^`\\])*)`)/g;
  return [...code.matchAll(calls)].map(([, double, single, template]) => double ?? single ?? template ?? "");
}

/** Invariants may be cited by their number alone, as simulations do that cite nothing else. */
function idsOf(title: string): string[] {
  const tags = /^(?:\[[A-Z]*\d+\] )+/.exec(title)?.[0] ?? "";
  return [...tags.matchAll(/\[([A-Z]*)(\d+)\]/g)].map(([, section, number]) => `${section || "I"}${number}`);
}
