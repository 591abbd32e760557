import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Every file that is in the repository or is about to be: what git ignores is nobody's business. */
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "" && existsSync(join(root, file)));

const read = (file: string) => readFileSync(join(root, file), "utf8");
const isSource = (file: string) => /^src\/.*\.ts$/.test(file) && !file.endsWith(".test.ts");
const isTest = (file: string) => /\.(?:test|suite)\.ts$/.test(file);
const isCode = (file: string) => /\.(?:ts|tsx|mjs|js)$/.test(file);
const isText = (file: string) =>
  /\.(?:ts|tsx|mjs|js|json|md|lua|html|css|yml|yaml|sh)$/.test(file) && file !== "package-lock.json";

/** Every place where a line of these files matches, as file:line. */
function places(of: readonly string[], pattern: RegExp): string[] {
  return of.flatMap((file) =>
    read(file)
      .split("\n")
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}`] : [])),
  );
}

test("there is something to look at", () => {
  expect(files.filter(isSource).length).toBeGreaterThan(20);
  expect(files.filter(isTest).length).toBeGreaterThan(5);
});

describe("floors: imports go down only", () => {
  /**
   * What each part may import, besides itself. A name is a folder of src, or a file directly in it without its ending.
   * The settings, limits and logger stand on the ground, beside the tokens.
   */
  const ground = [
    "ids",
    "limits",
    "recent",
    "shares",
    "tokens",
    "config",
    "config-settings",
    "config-kinds",
    "config-sources",
    "redact",
    "clock",
    "log",
    "log-pretty",
    "sqlite-library",
    "own-host",
    "rates",
  ];
  const mayImport: Record<string, readonly string[]> = {
    contract: ["limits"],
    matchmaker: [],
    engine: ["matchmaker", ...ground],
    nodes: ["engine", ...ground],
    store: ["limits", "recent", "sqlite-library"],
    runtime: ["limits", "shares"],
    operations: ["contract", "engine", "nodes", "runtime", "store", "matchmaker", "nearest", ...ground],
    loops: ["engine", "nodes", "runtime", "store", "matchmaker", "metrics", ...ground],
    http: ["operations", "contract", "metrics", ...ground],
    "data-folder": ground,
    descriptors: ground,
    demo: ["data-folder", "http", "operations", ...ground],
    metrics: ground,
    nearest: [],
    "sqlite-library": [],
    limits: [],
    ids: [],
    tokens: ["recent"],
    recent: [],
    shares: [],
    clock: [],
    "file-watch": [],
    "own-host": [],
    rates: [],
    redact: [],
    "config-kinds": ["redact"],
    "config-settings": ["config-kinds"],
    "config-secret-files": [],
    "config-sources": ["config-settings", "config-kinds", "config-secret-files", "nearest"],
    "start-warnings": ground,
    config: ["config-settings", "config-kinds", "config-sources", "redact"],
    "log-pretty": [],
    log: ["log-pretty", "redact"],
  };
  /** These put the parts together and may import all of them. */
  const roots = new Set(["main", "open-parts", "lobby-room", "shared", "tasks", "measures", "cli"]);

  const partOf = (file: string) => file.split("/")[1]!.replace(/\.ts$/, "");
  const importsOf = (file: string) =>
    [
      ...read(file).matchAll(/^(?:import|export)\s[^;]*?from\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gms),
    ].map((match) => (match[1] ?? match[2] ?? match[3])!);
  const targetOf = (file: string, specifier: string) => posix.normalize(posix.join(posix.dirname(file), specifier));

  test("every part of src is on a floor", () => {
    const parts = new Set(files.filter(isSource).map(partOf));
    expect([...parts].filter((part) => !roots.has(part) && !(part in mayImport))).toEqual([]);
  });

  test("no import goes up or sideways", () => {
    const wrong = files.filter(isSource).flatMap((file) => {
      const part = partOf(file);
      if (roots.has(part)) return [];
      return importsOf(file)
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => targetOf(file, specifier))
        .filter(
          (target) =>
            !target.startsWith("src/") || (partOf(target) !== part && !mayImport[part]?.includes(partOf(target))),
        )
        .map((target) => `${file} imports ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  test("the rules of the matchmaker import nothing but one another", () => {
    const wrong = files
      .filter((file) => isSource(file) && file.startsWith("src/matchmaker/"))
      .flatMap((file) => importsOf(file).map((specifier) => ({ file, specifier })))
      .filter(
        ({ file, specifier }) => !specifier.startsWith(".") || !targetOf(file, specifier).startsWith("src/matchmaker/"),
      );
    expect(wrong).toEqual([]);
  });

  test("the contract needs nothing but typebox", () => {
    const packages = files
      .filter((file) => isSource(file) && file.startsWith("src/contract/"))
      .flatMap((file) => importsOf(file).filter((specifier) => !specifier.startsWith(".")));
    expect([...new Set(packages)]).toEqual(["typebox"]);
  });

  test("a relative import names its file", () => {
    const wrong = files
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) =>
        importsOf(file).filter((specifier) => specifier.startsWith(".") && !/\.(?:ts|mjs|json)$/.test(specifier)),
      );
    expect(wrong).toEqual([]);
  });
});

describe("banned", () => {
  const code = files.filter(isCode);
  const sources = files.filter(isSource);
  // A word is put together here where its plain form would find this very file.
  const join_ = (...parts: string[]) => parts.join("");

  test("the environment is read by the configuration alone", () => {
    const others = sources.filter((file) => !/^src\/config[\w-]*\.ts$/.test(file));
    // A version document has a field named process, with an env of its own.
    const found = places(others, /\bprocess\.env\b/).filter(
      (place) => !place.startsWith("src/operations/version-config.ts:"),
    );
    expect(found).toEqual([]);
  });

  test("no clock and no chance in the rules", () => {
    const rules = sources.filter((file) => file.startsWith("src/matchmaker/"));
    const pattern =
      /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\brandomBytes\b|\brandomUUID\b|\bperformance\b|\bsetTimeout\b|\basync\b|\bawait\b/;
    expect(places(rules, new RegExp(`^(?!\\s*(?://|/?\\*)).*(?:${pattern.source})`))).toEqual([]);
  });

  test("the wall clock is read where the parts are put together, and comes in from there", () => {
    const readers = places(files.filter(isSource), /\bDate\.now\b|\bnew Date\(\)/).map((place) => place.split(":")[0]);
    expect([...new Set(readers)]).toEqual(["src/cli/export.ts", "src/open-parts.ts", "src/shared.ts"]);
  });

  test("the console belongs to the command line and to scripts", () => {
    const others = sources.filter((file) => !file.startsWith("src/cli/"));
    expect(places(others, /\bconsole\.\w+/)).toEqual([]);
  });

  test("nothing is left to be done later", () => {
    expect(places(files.filter(isText), new RegExp(join_("\\b(?:TO", "DO|FIX", "ME|XX", "X)\\b")))).toEqual([]);
  });

  test("no default exports, but where a tool wants one", () => {
    const others = code.filter((file) => !/(?:^|\/)[\w.]+\.config\.ts$|\.d\.ts$/.test(file));
    expect(places(others, /^\s*export\s+default\b/)).toEqual([]);
  });

  test("no test is left out, and none is run alone", () => {
    const tests = files.filter((file) => file.startsWith("tests/") || isTest(file));
    expect(places(tests, /\b(?:test|describe|it)(?:\.\w+)*\.(?:skip|only|todo|skipIf|runIf)\b/)).toEqual([]);
  });

  test("no enums, no any, no ignored type errors", () => {
    expect(places(sources, /^\s*(?:export\s+)?(?:const\s+)?enum\s/)).toEqual([]);
    expect(places(sources, new RegExp(join_("@ts-", "(?:ignore|nocheck|expect-error)")))).toEqual([]);
  });

  test("no path of somebody's machine", () => {
    const pattern = new RegExp(join_("(?:^|[\\s\"'`(=:])/(?:ho", "me|Us", "ers|ro", "ot|wo", "rk)/\\w"));
    expect(places(files.filter(isText), pattern)).toEqual([]);
  });
});

describe("files", () => {
  test("none is longer than 400 lines", () => {
    const long = files
      .filter((file) => isCode(file))
      .map((file) => ({ file, lines: read(file).split("\n").length - 1 }))
      .filter(({ lines }) => lines > 400);
    expect(long).toEqual([]);
  });

  test("their names are in kebab-case", () => {
    const odd = files.filter(
      (file) =>
        /^(?:src|tests|scripts)\//.test(file) &&
        !/^(?:[a-z0-9-]+\/)+(?:README\.md|[a-z0-9-]+(?:\.[a-z0-9-]+)*)$/.test(file),
    );
    expect(odd).toEqual([]);
  });

  test("every relative link in a document leads to a file", () => {
    const broken = files
      .filter((file) => file.endsWith(".md"))
      .flatMap((file) => {
        const text = read(file).replace(/```.*?```/gs, "");
        const links = [...text.matchAll(/\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g)].map(([, link]) => link!);
        return links
          .filter((link) => !/^(?:[a-z][a-z0-9+.-]*:|#)/i.test(link))
          .map((link) => decodeURIComponent(link.split("#", 1)[0]!))
          .filter((link) => link !== "" && !existsSync(normalize(join(root, dirname(file), link))))
          .map((link) => `${file}: ${link}`);
      });
    expect(broken).toEqual([]);
  });
});
