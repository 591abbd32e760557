import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { root } from "../support/repository.ts";
import { ensureSdkBuilt } from "../support/server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { bundle } from "./sdk-project.ts";

const run = promisify(execFile);
/** What npm itself sets for the programs it runs would otherwise reach the npm that this test runs. */
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_|^FOYER_/i.test(name)));
const browserPartMaxBytes = 8 * 1024;

/** An empty project with nothing but the packed SDK in it. */
let project: string;

beforeAll(async () => {
  await ensureSdkBuilt();
  project = temporaryFolder();
  const packed = join(project, "packed");
  mkdirSync(packed);
  await run("npm", ["pack", "--silent", "--pack-destination", packed], { cwd: join(root, "sdk"), env: environment });
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const [tarball] = readdirSync(packed);
  const flags = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...flags, join(packed, tarball!)], { cwd: project, env: environment });
});

test("[SK7] the packed SDK has its entries, their types, README and license, and no dependencies", async () => {
  const folder = join(project, "node_modules/foyer-sdk");
  const { exports, dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => `./${name}`);
  expect(Object.keys(exports)).toEqual([".", "./client", "./server", "./testing", "./package.json"]);
  const named = Object.values(exports).flatMap((entry) =>
    typeof entry === "string" ? [entry] : Object.values(entry!),
  );
  expect(files).toEqual(expect.arrayContaining([...named, "./README.md", "./LICENSE"]));
  expect(dependencies).toBeUndefined();
  expect(readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["foyer-sdk"]);
});

test("[SK7] Node imports every entry; without foyer-server the testing entry says what to install", async () => {
  const program = `
    import { createFoyer, createLobbyServer, createMatchmaker } from "foyer-sdk";
    import * as client from "foyer-sdk/client";
    import * as server from "foyer-sdk/server";
    import { startFoyer } from "foyer-sdk/testing";
    const functions = [createFoyer, client.createMatchmaker === createMatchmaker, server.createLobbyServer === createLobbyServer];
    console.log(functions.map((value) => typeof value === "boolean" ? value : typeof value).join());
    await startFoyer().catch((error) => console.log(error.code, error.message));`;
  writeFileSync(join(project, "imports.js"), program);
  const { stdout } = await run(process.execPath, ["imports.js"], { cwd: project, env: environment });
  const advice = "foyer-sdk/testing needs Foyer itself: npm install --save-dev foyer-server";
  expect(stdout).toBe(`function,true,true\nNOT_CONFIGURED ${advice}\n`);
});

const consumer = `
import { createFoyer, isFoyerError, type JoinAnswer } from "foyer-sdk";
import { createMatchmaker } from "foyer-sdk/client";
import { createLobbyServer, type Player } from "foyer-sdk/server";
import { startFoyer } from "foyer-sdk/testing";

const foyer = createFoyer({ endpoint: "http://127.0.0.1:7100" });
export async function use(): Promise<string | undefined> {
  const seat: JoinAnswer = await createMatchmaker({ token: "pub_x" }).find({ game_modes: ["duel"] });
  const player: Player = await createLobbyServer().admit(seat.player.token);
  const { errors } = await foyer.games.namespaces.validateGameNamespace("chess", { display_name: "A", name_id: "a" });
  for await (const { lobby_id } of foyer.games.namespaces.lobbies.list("chess", "prod")) lobby_id.length;
  const service = await startFoyer({ gameModes: { duel: { max_players: 2 } } });
  await service.stop();
  return player.key ?? errors[0]?.path[0];
}
export function wrong(error: unknown): unknown[] {
  return [
    // @ts-expect-error: the field is called game_modes.
    foyer.lobbies.find({ game_mode: "duel" }),
    // @ts-expect-error: a field is missing.
    foyer.lobbies.setClosed({}),
    // @ts-expect-error: there is no such field in the answer.
    foyer.games.getGame("chess").then(({ game }) => game.title),
    // @ts-expect-error: join has no such code.
    isFoyerError(error, "lobbies.join") && error.code === "CLOUD_GAME_NOT_FOUND",
    isFoyerError(error, "lobbies.join") && error.code === "MATCHMAKER_LOBBY_FULL",
  ];
}
`;

test.each(["bundler", "nodenext"])(
  "[SK3] [SK7] a consumer compiles with %s, and its wrong fields do not",
  async (mode) => {
    writeFileSync(join(project, "consumer.ts"), consumer);
    const isBundler = mode === "bundler";
    const compilerOptions = {
      ...{ target: "es2022", lib: ["es2022", "dom", "dom.iterable"], types: [], strict: true, noEmit: true },
      ...{ module: isBundler ? "esnext" : "nodenext", moduleResolution: mode, exactOptionalPropertyTypes: isBundler },
    };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["consumer.ts"] }));
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const { stdout } = await run(process.execPath, [compiler], { cwd: project }).catch((error) => error);
    expect(stdout).toBe("");
  },
);

test("[SK8] what a page loads for createMatchmaker has at most 8 kB gzipped", async () => {
  const code = await bundle(
    project,
    `import { createMatchmaker } from "foyer-sdk"; globalThis.matchmaker = createMatchmaker();`,
  );
  expect(code).toContain("/matchmaker/lobbies/find");
  expect(code).not.toContain("/cloud/");
  expect(gzipSync(code).length).toBeLessThanOrEqual(browserPartMaxBytes);
});

test("[SK8] no file of the SDK imports anything but its own files", () => {
  const folder = join(project, "node_modules/foyer-sdk/dist");
  const scripts = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"));
  expect(scripts.length).toBeGreaterThan(10);
  const imports = scripts.flatMap((name) =>
    [...readFileSync(join(folder, name), "utf8").matchAll(/\b(?:from|import|require)\s*\(?\s*["']([^"']+)/g)].map(
      ([, from]) => from!,
    ),
  );
  expect(imports.filter((from) => !from.startsWith("."))).toEqual([]);
});
