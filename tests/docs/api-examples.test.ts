import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callsOf, exampleOrigin, requestPath } from "../../scripts/docs/api-calls.ts";
import { exampleOf } from "../../scripts/docs/api-examples.ts";
import { connectionFlags, parseFlags } from "../../src/cli/remote/flags.ts";
import { operationFlags, pathNames, readInput } from "../../src/cli/remote/operation-input.ts";
import { findOperation } from "../../src/cli/remote/operation-names.ts";
import { operationList } from "../../src/contract/index.ts";
import { versionConfig } from "../../src/contract/version-config.ts";
import { root } from "../support/repository.ts";
import { ensureSdkBuilt } from "../support/server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);

interface Received {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

/** Notes what arrives and answers nothing useful. */
const received: Received[] = [];
const recorder = createServer(async (request, response) => {
  const body = await readBody(request);
  const { method = "", url = "", headers } = request;
  received.push({ method, path: url, authorization: headers.authorization, body });
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
});

async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const piece of request) text += piece;
  return text === "" ? undefined : request.headers["content-type"] === "application/json" ? JSON.parse(text) : text;
}

let folder: string;
let origin: string;

beforeAll(async () => {
  await ensureSdkBuilt();
  folder = temporaryFolder();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(join(root, "sdk"), join(folder, "node_modules/foyer-sdk"));
  writeFileSync(join(folder, "server.tar.gz"), "the archive");
  await once(recorder.listen(0, "127.0.0.1"), "listening");
  origin = `http://127.0.0.1:${(recorder.address() as AddressInfo).port}`;
});
afterAll(() => recorder.close());

const env = () => ({ PATH: process.env.PATH, HOME: folder, TOKEN: "pub_0123456789abcdef0123" });
const local = (text: string) => text.replaceAll(exampleOrigin, origin);

describe("[DC5] the example of each operation fits the contract:", () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addFormat("date-time", (text: string) => !Number.isNaN(Date.parse(text)));
  const issues = (schema: object | null, value: unknown) =>
    schema === null || value === undefined || ajv.validate(schema, value) ? null : ajv.errorsText();

  test.each(operationList)("%s", (id, operation) => {
    const example = exampleOf(id, operation);
    expect(issues(operation.body, example.body)).toBeNull();
    if (operation.body && !operation.bodyOptional) expect(example.body).not.toBeUndefined();
    expect(issues(operation.query, example.query)).toBeNull();
    expect(issues(operation.reply, example.answer)).toBeNull();
    expect(example.answer === undefined).toBe(operation.reply === null);
  });

  test("the version document of the examples is one", () => {
    const version = operationList.find(([id]) => id === "games.versions.createGameVersion")!;
    const { body } = exampleOf(...version) as { body: { config: unknown } };
    expect(issues(versionConfig, body.config)).toBeNull();
  });
});

const wanted = (operation: (typeof operationList)[number][1], id: string): Received => {
  const example = exampleOf(id, operation);
  return {
    method: operation.method,
    path: requestPath(operation, example),
    authorization: operation.callers.includes("none") ? undefined : "Bearer pub_0123456789abcdef0123",
    body: operation.rawBody ? "the archive" : example.body,
  };
};

/** The requests that arrived since the last time, and those that the examples describe. */
function compare(operations: typeof operationList): void {
  const expected = operations.map(([id, operation]) => wanted(operation, id));
  expect(received.splice(0)).toEqual(expected);
}

test("[DC5] copied as curl, an example is the request that the page describes", async () => {
  const commands = operationList.map(([id, operation]) => callsOf(id, operation, exampleOf(id, operation)).curl);
  await run("bash", ["-e", "-c", local(commands.join("\n"))], { cwd: folder, env: env() });
  compare(operationList);
});

test("[DC5] copied as a call of the SDK, an example is the same request", async () => {
  // A stream is opened again when it ends, so the loop of one would never end.
  const calls = operationList.filter(([, { stream, streamWhen }]) => !stream || streamWhen);
  const imports = calls.map(([id, operation], index) => {
    writeFileSync(join(folder, `call-${index}.mjs`), local(callsOf(id, operation, exampleOf(id, operation)).sdk));
    return `await import("./call-${index}.mjs");\n`;
  });
  writeFileSync(join(folder, "run.mjs"), imports.join(""));
  await run(process.execPath, ["run.mjs"], { cwd: folder, env: env() });
  compare(calls);
});

test("[DC5] copied as a foyer call, an example is the same request", async () => {
  const calls = operationList.filter(([, { rawBody }]) => !rawBody);
  const commands = calls.map(([id, operation]) => callsOf(id, operation, exampleOf(id, operation)).foyer);
  const script = `foyer() { printf '%s\\0' "$@"; printf '\\n\\0'; }\n${commands.join("\n")}`;
  const { stdout } = await run("bash", ["-e", "-c", script]);
  const lines = stdout.split("\n\0").slice(0, -1);
  expect(lines).toHaveLength(calls.length);
  for (const [index, [id, operation]] of calls.entries()) {
    const [command, ...words] = lines[index]!.split("\0").slice(0, -1);
    expect([id, command]).toEqual([id, "call"]);
    const { id: found, rest } = findOperation(words.slice(0, 1));
    const parsed = parseFlags([...rest, ...words.slice(1)], { ...connectionFlags, ...operationFlags(operation) });
    const { params, query, body } = exampleOf(id, operation);
    // A flag without a value is a boolean; all others are sent as they were typed.
    const typed = Object.entries(query).map(([name, value]) => [name, value === true || String(value)]);
    const path = pathNames(operation).map((name) => params[name]);
    expect([found, readInput(operation, parsed, "")]).toEqual([id, { path, query: Object.fromEntries(typed), body }]);
  }
});
