import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { longFunctions } from "./support/functions.ts";
import { trackedFiles as files, isSource, read, root } from "./support/repository.ts";

const isTest = (file: string) => /\.(?:test|suite)\.ts$/.test(file);
const isCode = (file: string) => /\.(?:ts|tsx|mjs|js)$/.test(file);
const isText = (file: string) =>
  /\.(?:ts|tsx|mjs|js|json|md|lua|html|css|yml|yaml|sh)$/.test(file) && !file.endsWith("package-lock.json");

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

describe("banned", () => {
  const code = files.filter(isCode);
  const sources = files.filter(isSource);
  // A word is put together here where its plain form would find this very file.
  const join_ = (...parts: string[]) => parts.join("");

  test("the environment is read by the configuration alone", () => {
    const others = sources.filter((file) => !file.startsWith("src/config/"));
    // A version document has a field named process, with an env of its own; the other is a text that foyer init writes.
    const exceptions = ["src/operations/cloud/version-document.ts:", "src/cli/deploy/templates.ts:"];
    const found = places(others, /\bprocess\.env\b/).filter(
      (place) => !exceptions.some((start) => place.startsWith(start)),
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
    expect([...new Set(readers)]).toEqual([
      "src/app/cluster.ts",
      "src/app/open-parts.ts",
      "src/cli/export.ts",
      "src/cli/terminal.ts",
    ]);
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

  test("no path of a developer's machine", () => {
    const pattern = new RegExp(join_("(?:^|[\\s\"'`(=:])/(?:ho", "me|Us", "ers|ro", "ot|wo", "rk)/\\w"));
    expect(places(files.filter(isText), pattern)).toEqual([]);
  });
});

describe("words", () => {
  test("what people read is in plain English", () => {
    const isProse = (file: string) => /^(?:SPEC|README|CHANGELOG)\.md$|^docs\/.*\.md$|^deploy\//.test(file);
    const banned = /\b(?:anew|whoever|mend|mended|happenings?|lest|in vain|hears? of|(?:is|are) told|nobody)\b/i;
    expect(files.filter(isProse).length).toBeGreaterThan(20);
    expect(places(files.filter(isProse), banned)).toEqual([]);
  });

  test("so are the names, comments and messages of src", () => {
    const isOwn = (file: string) => /^src\/.*\.(?:ts|lua)$/.test(file) && !isTest(file);
    const banned =
      /\b(?:anew|whoever|mends?|mended|happenings?|lest|whilst|in vain|hears?|tells?|told|nobody|somebody|anybody|everybody|any more|for good|at once|(?:is|are|was|be) away|in doubt|faults?|last word|in the middle of)\b|\bborder:? the|\ba border\b/i;
    expect(files.filter(isOwn).length).toBeGreaterThan(200);
    expect(places(files.filter(isOwn), banned)).toEqual([]);
    // GONE is an answer of scripts.
    expect(places(files.filter(isOwn), /\b[Gg]one\b/)).toEqual([]);
  });
});

describe("decision records", () => {
  const records = files.filter((file) => /^docs\/decisions\/\d{4}-.*\.md$/.test(file));

  test("there are records", () => {
    expect(records.length).toBeGreaterThan(10);
  });

  test("every record has a date and a status, and the list of records has it", () => {
    const list = read("docs/decisions/README.md");
    const undated = records.filter((file) => !/^Date: \d{4}-\d\d-\d\d\b.* Status: \w/m.test(read(file)));
    const unlisted = records.filter((file) => !list.includes(`(${file.slice("docs/decisions/".length)})`));
    expect({ undated, unlisted }).toEqual({ undated: [], unlisted: [] });
  });

  test("the code that carries out a record names it", () => {
    const code = files.filter((file) => /^(?:src|tests)\/.*\.ts$/.test(file)).map(read);
    const named = new Set(code.flatMap((text) => text.match(/docs\/decisions\/\d{4}/g) ?? []));
    const inForce = records.filter((file) => !/Status: superseded by/.test(read(file)));
    expect(inForce.filter((file) => !named.has(file.slice(0, "docs/decisions/0000".length)))).toEqual([]);
  });
});

describe("files", () => {
  test("none is longer than 400 lines", () => {
    const long = files
      .filter((file) => isCode(file) && !file.startsWith("sdk/src/generated/"))
      .map((file) => ({ file, lines: read(file).split("\n").length - 1 }))
      .filter(({ lines }) => lines > 400);
    expect(long).toEqual([]);
  });

  test("no function of src is longer than 80 lines", () => {
    expect(longFunctions(files.filter(isSource), 80)).toEqual([]);
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
        return (
          links
            // Links to the site's own addresses are checked where the site is.
            .filter((link) => !/^(?:[a-z][a-z0-9+.-]*:|#|\/docs\b)/i.test(link))
            .map((link) => decodeURIComponent(link.split("#", 1)[0]!))
            .filter((link) => link !== "" && !existsSync(normalize(join(root, dirname(file), link))))
            .map((link) => `${file}: ${link}`)
        );
      });
    expect(broken).toEqual([]);
  });
});
