import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
// Plain JavaScript, as every script of the repository.
// @ts-expect-error
import { sdkFiles } from "../../scripts/sdk-files.mjs";
import { createFoyer } from "../../sdk/src/foyer.ts";
import { listErrorCodes } from "../../src/contract/define.ts";
import { errorTable } from "../../src/contract/errors.ts";
import { operationIds, operationList } from "../../src/contract/index.ts";
import { openApiDocument } from "../../src/contract/openapi.ts";
import { root } from "../support/repository.ts";

test("[SK1] the generated files match the contract; `node scripts/write-openapi.mjs` regenerates them", () => {
  const files: Record<string, string> = sdkFiles({ operationList, listErrorCodes, errorTable, openApiDocument });
  expect(Object.keys(files).length).toBeGreaterThan(0);
  for (const [name, text] of Object.entries(files)) {
    expect(readFileSync(join(root, "sdk/src/generated", name), "utf8") === text, name).toBe(true);
  }
});

test("[SK1] every operation is a method at the path of its id", () => {
  const foyer = createFoyer({ endpoint: "http://127.0.0.1:1" });
  const missing = operationIds.filter((id) => {
    const found = id.split(".").reduce<unknown>((above, part) => (above as Record<string, unknown>)?.[part], foyer);
    return typeof found !== "function";
  });
  expect(missing).toEqual([]);
});

test("[SK1] the comments of methods and fields are the contract's sentences", () => {
  const [api, types] = ["api.ts", "types.ts"].map((name) =>
    readFileSync(join(root, "sdk/src/generated", name), "utf8"),
  );
  expect(operationList.filter(([, { summary }]) => !api!.includes(`/** ${summary}`)).map(([id]) => id)).toEqual([]);
  expect(types).toContain("/** The token that the player got from find, join or create. */");
});
