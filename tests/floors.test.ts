import { describe, expect, test } from "vitest";
import { importsOf, isSource, read, targetOf, trackedFiles } from "./support/repository.ts";

const sources = trackedFiles.filter(isSource);

/** What each part may import (docs/decisions/0014), besides itself and the ground. A part is a folder of src, or one of the four below it. */
const mayImport: Record<string, readonly string[]> = {
  ground: [],
  config: [],
  contract: [],
  matchmaker: [],
  redis: [],
  engine: ["matchmaker"],
  "engine/memory": ["engine", "matchmaker"],
  "engine/redis": ["engine", "matchmaker", "redis"],
  nodes: ["engine", "redis"],
  store: [],
  builds: [],
  runtime: [],
  operations: ["builds", "contract", "engine", "nodes", "runtime", "store", "matchmaker", "config"],
  loops: ["operations", "builds", "engine", "nodes", "runtime", "store", "matchmaker", "config"],
  gateway: ["operations", "contract"],
  http: ["gateway", "operations", "contract", "config"],
};
/** These put the parts together and may import all of them. */
const roots = new Set(["app", "cli"]);
/** The rules and the contract stand beside the ground: the contract knows its limits, the rules know nothing. */
const groundOf: Record<string, readonly string[]> = { contract: ["src/ground/limits.ts"], matchmaker: [] };

function partOf(file: string): string {
  const [, folder, second] = file.split("/");
  const inner = `${folder}/${second}`;
  return inner in mayImport ? inner : folder!;
}

function mayReach(part: string, target: string): boolean {
  const to = partOf(target);
  if (to === part || mayImport[part]?.includes(to)) return true;
  return to === "ground" && (groundOf[part]?.includes(target) ?? true);
}

describe("floors: imports go down only", () => {
  test("the root of src holds folders only, and each is on a floor", () => {
    expect(sources.filter((file) => file.split("/").length === 2)).toEqual([]);
    const parts = new Set(sources.map(partOf));
    expect([...parts].filter((part) => !roots.has(part) && !(part in mayImport))).toEqual([]);
  });

  test("no import goes up or sideways", () => {
    const wrong = sources
      .filter((file) => !roots.has(partOf(file)))
      .flatMap((file) =>
        importsOf(file)
          .filter((specifier) => specifier.startsWith("."))
          .map((specifier) => targetOf(file, specifier))
          .filter((target) => !target.startsWith("src/") || !mayReach(partOf(file), target))
          .map((target) => `${file} imports ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  test("the rules of the matchmaker import nothing but one another", () => {
    const wrong = sources
      .filter((file) => file.startsWith("src/matchmaker/"))
      .flatMap((file) => importsOf(file).filter((specifier) => !specifier.startsWith(".")));
    expect(wrong).toEqual([]);
  });

  test("the contract needs nothing but the types of typebox", () => {
    const packages = sources
      .filter((file) => file.startsWith("src/contract/"))
      .flatMap((file) => importsOf(file).filter((specifier) => !specifier.startsWith(".")));
    expect([...new Set(packages)]).toEqual(["typebox"]);
    const loading = sources.filter((file) => /^import (?!type ).* from "typebox"/m.test(read(file)));
    expect(loading).toEqual([]);
  });

  test("no import circle, type-only imports included", () => {
    const graph = new Map(
      sources.map((file) => [
        file,
        importsOf(file)
          .filter((specifier) => specifier.startsWith("."))
          .map((specifier) => targetOf(file, specifier)),
      ]),
    );
    expect(circlesOf(graph)).toEqual([]);
  });

  test("the check for circles finds one", () => {
    const graph = new Map([
      ["a", ["b"]],
      ["b", ["c"]],
      ["c", ["b"]],
    ]);
    expect(circlesOf(graph)).toEqual([["b", "c"]]);
  });

  test("a relative import names its file", () => {
    const wrong = trackedFiles
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) =>
        importsOf(file).filter((specifier) => specifier.startsWith(".") && !/\.(?:tsx?|mjs|json)$/.test(specifier)),
      );
    expect(wrong).toEqual([]);
    expect(read("tests/floors.test.ts")).toContain("circlesOf");
  });
});

/** Groups of files of which each reaches every other, by Tarjan's algorithm; sorted. */
function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const seen = new Map<string, { index: number; low: number; isOpen: boolean }>();
  const open: string[] = [];
  const circles: string[][] = [];

  function visit(file: string): { index: number; low: number; isOpen: boolean } {
    const entry = { index: seen.size, low: seen.size, isOpen: true };
    seen.set(file, entry);
    open.push(file);
    for (const target of graph.get(file) ?? []) {
      if (!graph.has(target)) continue;
      const known = seen.get(target);
      if (!known) entry.low = Math.min(entry.low, visit(target).low);
      else if (known.isOpen) entry.low = Math.min(entry.low, known.index);
    }
    if (entry.low === entry.index) {
      const circle = open.splice(open.indexOf(file));
      for (const member of circle) seen.get(member)!.isOpen = false;
      if (circle.length > 1) circles.push(circle.sort());
    }
    return entry;
  }

  for (const file of graph.keys()) if (!seen.has(file)) visit(file);
  return circles;
}
