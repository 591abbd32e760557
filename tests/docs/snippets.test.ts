import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { root } from "../support/repository.ts";
import { createFolder, runPage, snippets, snippetsRun } from "./pages.ts";
import { useOf } from "./snippets.ts";

const all = [...snippets.values()].flat();

test("[DC8] every block of docs/ says what a test does with it", () => {
  expect(all.length).toBeGreaterThan(10);
  const unclear = all.filter((snippet) => useOf(snippet).type === "unclear");
  expect(unclear.map(({ page, line, language, info }) => `${page}:${line}: ${language} ${info}`)).toEqual([]);
});

test("[DC8] the JSON of docs/ is valid, and fits the schema that it names", () => {
  const { components } = JSON.parse(readFileSync(join(root, "openapi.json"), "utf8"));
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addSchema({ $id: "api", components });
  const wrong = all.flatMap((snippet) => {
    const use = useOf(snippet);
    if (use.type !== "json") return [];
    const where = `${snippet.page}:${snippet.line}`;
    try {
      const value = JSON.parse(snippet.text);
      const validate = use.schema === null ? null : ajv.getSchema(`api#/components/schemas/${use.schema}`)!;
      return validate === null || validate(value) ? [] : [`${where}: ${ajv.errorsText(validate.errors)}`];
    } catch (error) {
      return [`${where}: ${(error as Error).message}`];
    }
  });
  expect(wrong).toEqual([]);
});

snippetsRun((page) => page === "docs/quick-start.md");

test("[DC9] a snippet that fails, or prints something else than its page says, is found", async () => {
  const at = (language: string, info: string, text: string, line: number) => ({
    page: "x.md",
    ...{ line, language, info, text },
  });
  const good = [at("sh", "run", "export GREETING=hello\n", 1), at("output", "", "", 5)];
  const js = at("js", "run", "console.log(process.env.GREETING, 1 + 1);\n", 7);
  const folder = () => createFolder();
  expect(await runPage([...good, js, at("output", "", "hello …\n", 9)], folder(), null)).toEqual([]);
  expect(await runPage([...good, js, at("output", "", "hello 3\n", 9)], folder(), null)).toEqual([
    expect.stringContaining("x.md:9 says:"),
  ]);
  expect(await runPage([...good, at("sh", "run", "ls nothing-here\necho done\n", 7)], folder(), null)).toEqual([
    expect.stringMatching(/^x\.md:7 ended with code \d+:\n.*nothing-here/s),
  ]);
  expect(
    await runPage([at("console", "run", "$ echo one \\\n  two\none two\n$ echo three\nfour\n", 3)], folder(), null),
  ).toEqual([expect.stringContaining("x.md:3 says:\nfour")]);
  const server = at("sh", "background until=up", "echo up; sleep 300\n", 3);
  expect(await runPage([server, at("sh", "run", "true\n", 6)], folder(), null)).toEqual([]);
  const ended = at("sh", "background until=up", "echo no\n", 3);
  expect(await runPage([ended], folder(), null)).toHaveLength(1);
});
