import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readIgnoreFile } from "../../src/cli/deploy/ignore.ts";
import { packFolder } from "../../src/cli/deploy/pack.ts";
import { run } from "../../src/cli/run.ts";
import { ownRange } from "../runtime/driver.ts";
import { type Service, startService, until } from "../support/harness.ts";
import { ensureSdkBuilt } from "../support/server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const patient = 120_000;
const origin = process.cwd();
let service: Service;
let folder: string;

beforeAll(async () => {
  await ensureSdkBuilt();
  service = await startService("sqlite", { lobbyPorts: ownRange(), lobbyStopGraceS: 1 });
}, patient);

beforeEach(() => {
  folder = temporaryFolder();
  process.chdir(folder);
});

afterAll(async () => {
  process.chdir(origin);
  await service?.admin("DELETE", "/cloud/games/chat?force=true").catch(() => undefined);
  await service?.close();
});

const foyer = (...argv: string[]) => runAlone(...argv, ...(argv[0] === "init" ? [] : ["--data-dir", service.dataDir]));

/** Runs a command that is not given a service. */
async function runAlone(...argv: string[]) {
  const written = { out: "", err: "" };
  const code = await run(argv, {
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    isInteractive: false,
    colours: false,
    columns: 80,
    now: Date.now,
  });
  return { code, ...written };
}

/** A game whose server says which edition it is when it is ready. */
function writeGame(edition: string, more: object = {}): void {
  writeFileSync("server.mjs", serverOf(edition));
  const process_ = { command: "node", args: ["server.mjs"] };
  const mode = { max_players: 4, ports: {}, idle_lobbies: { min: 1 }, runtime: { process: process_ }, ...more };
  const config = { regions: { local: {} }, game_modes: { duel: mode } };
  writeFileSync("foyer.game.json", JSON.stringify({ game: "chat", config }));
}

const serverOf = (edition: string) => `
const { FOYER_API_ENDPOINT: api, FOYER_TOKEN: token } = process.env;
console.log("edition ${edition}");
await fetch(api + "/matchmaker/lobbies/ready", { method: "POST", headers: { authorization: "Bearer " + token } });
setInterval(() => {}, 1000);
`;

const namespacePath = "/cloud/games/chat/namespaces/prod";

/** The editions of the lobbies that are ready and of the deployed version. */
async function runningEdition(): Promise<string | null> {
  const { lobbies } = await service.admin("GET", `${namespacePath}/lobbies`);
  // biome-ignore lint/suspicious/noExplicitAny: an answer's fields.
  const lobby = lobbies.find((one: any) => one.status === "ready" && !one.is_outdated);
  if (!lobby) return null;
  const { text } = await service.admin("GET", `${namespacePath}/lobbies/${lobby.lobby_id}/logs`);
  return /edition (\S+)/.exec(text)?.[1] ?? null;
}

describe("foyer deploy", () => {
  test(
    "[CP1] [CP4] deploys a folder; after an edit and a rollback the old bytes run",
    async () => {
      writeGame("one");
      const first = await foyer("deploy", "prod", "--name", "1");
      expect(first).toMatchObject({ code: 0, out: "1 warm lobby is ready.\n" });
      expect(first.err).toContain("Created the game chat.");
      expect(await runningEdition()).toBe("one");
      expect(await foyer("deploy", "prod")).toMatchObject({
        code: 0,
        out: expect.stringContaining("Nothing has changed"),
      });

      writeFileSync("server.mjs", serverOf("two"));
      const second = await foyer("deploy", "prod", "--name", "2");
      expect(second.err).toContain("~ game_modes.duel.runtime.process.build_id");
      await until(async () => (await runningEdition()) === "two", 60_000);
      writeFileSync("server.mjs", serverOf("edited, and never deployed"));
      expect(await foyer("rollback", "prod", "--yes")).toMatchObject({
        code: 0,
        out: "Deployed 1 again, in place of 2.\n",
      });
      await until(async () => (await runningEdition()) === "one", 60_000);
    },
    patient,
  );

  test(
    "[CP3] a version whose lobbies fail twice is rolled back, with the last lines of its log",
    async () => {
      writeGame("good");
      expect((await foyer("deploy", "prod", "--name", "good")).code).toBe(0);
      const before = (await service.admin("GET", namespacePath)).namespace.version_id;
      writeFileSync("server.mjs", 'console.error("no such table: players"); process.exit(3);');
      const failed = await foyer("deploy", "prod", "--name", "bad");
      expect(failed.code).toBe(1);
      expect(failed.err).toContain("no such table: players");
      expect(failed.err).toContain("Rolled back to the version before.");
      expect((await service.admin("GET", namespacePath)).namespace.version_id).toBe(before);
    },
    patient,
  );

  test(
    "[CP3] [BU24] when no node can unpack the build, it says why and deploys the earlier version again",
    async () => {
      writeGame("sound");
      expect((await foyer("deploy", "prod", "--name", "sound")).code).toBe(0);
      const before = (await service.admin("GET", namespacePath)).namespace.version_id;
      const unpacked = join(service.dataDir, "unpacked");
      renameSync(unpacked, `${unpacked}-away`);
      writeFileSync(unpacked, "no folder");
      try {
        writeFileSync("server.mjs", serverOf("never unpacked"));
        const failed = await foyer("deploy", "prod", "--name", "stuck");
        expect(failed.code).toBe(1);
        expect(failed.err).toMatch(/The node \S+ could not prepare the build: /);
        expect(failed.err).toContain("Rolled back to the version before.");
        expect((await service.admin("GET", namespacePath)).namespace.version_id).toBe(before);
      } finally {
        rmSync(unpacked);
        renameSync(`${unpacked}-away`, unpacked);
      }
    },
    patient,
  );

  test("[CP5] init writes a game that validate accepts, and replaces nothing", async () => {
    writeFileSync("server.js", "// mine");
    expect(await foyer("init", "chat")).toMatchObject({
      code: 0,
      out: expect.stringContaining("foyer dev -- node server.js"),
    });
    expect(readFileSync("server.js", "utf8")).toBe("// mine");
    expect(existsSync("public/index.html")).toBe(true);
    const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(Object.keys(dependencies)).toEqual(["foyer-sdk", "ws"]);
    const sdk = dependencies["foyer-sdk"].replace("file:", "");
    expect(execFileSync("tar", ["-tzf", sdk], { encoding: "utf8" })).toContain("package/dist/server.js\n");
    // Without a service, and with one that does not have the game yet, the document is checked all the same.
    const fine = { code: 0, out: "foyer.game.json can be deployed.\n" };
    expect(await runAlone("validate")).toMatchObject(fine);
    expect(await foyer("validate")).toMatchObject(fine);
    await service.admin("POST", "/cloud/games", { display_name: "Chat", name_id: "chat" }).catch(() => undefined);
    expect(await foyer("validate")).toMatchObject(fine);
    const game = JSON.parse(readFileSync("foyer.game.json", "utf8"));
    expect(JSON.parse(readFileSync(game.$schema, "utf8")).properties.config.properties).toHaveProperty("game_modes");
    expect(game.config.game_modes.default.timeouts.heartbeat_s).toBe(30);
    game.config.game_modes.default.max_players_direct = 1;
    writeFileSync("foyer.game.json", JSON.stringify(game));
    const wrong = { code: 1, out: expect.stringContaining("max_players_direct") };
    expect(await foyer("validate")).toMatchObject(wrong);
    expect(await runAlone("validate")).toMatchObject(wrong);
    expect(await foyer("init")).toMatchObject({ code: 1, err: expect.stringContaining("already") });
  });
});

describe("packing", () => {
  const pack = () => packFolder(folder, join(temporaryFolder(), "build.tar.gz"), () => {});
  const list = (file: string) =>
    execFileSync("tar", ["-tzf", file], { encoding: "utf8", env: { ...process.env, LC_ALL: "C.UTF-8" } })
      .trim()
      .split("\n")
      .sort();

  test("[CP1] [CP2] the same files give the same bytes; what is never packed and what .foyerignore names is left out", async () => {
    for (const name of ["src/deep", ".git", ".foyer", "cache", `${"long-".repeat(30)}name`])
      mkdirSync(name, { recursive: true });
    const files = [
      "server.mjs",
      "src/deep/ü.txt",
      ".git/config",
      ".foyer/secret",
      ".env",
      ".env.local",
      "foyer.config.json",
    ];
    const more = ["cache/a", "notes.log", "keep.log", `${"long-".repeat(30)}name/${"file-".repeat(20)}.txt`];
    for (const name of [...files, ...more]) writeFileSync(name, name);
    chmodSync("server.mjs", 0o755);
    symlinkSync("server.mjs", "main");
    writeFileSync(".foyerignore", "# not these\n*.log\n!keep.log\n/cache/\n");
    const [one, other] = [await pack(), await pack()];
    expect(one.sha256).toBe(other.sha256);
    const long = `${"long-".repeat(30)}name/`;
    const expected = [
      "keep.log",
      "main",
      "server.mjs",
      "src/",
      "src/deep/",
      "src/deep/ü.txt",
      long,
      `${long}${"file-".repeat(20)}.txt`,
    ];
    expect(list(one.file)).toEqual(expected.sort());
    const unpacked = temporaryFolder();
    execFileSync("tar", ["-xzf", one.file, "-C", unpacked]);
    expect(readFileSync(join(unpacked, "src/deep/ü.txt"), "utf8")).toBe("src/deep/ü.txt");
    expect(readFileSync(join(unpacked, "main"), "utf8")).toBe("server.mjs");
  });

  test("[CP2] a token in a file and a link to the outside are refused by name", async () => {
    writeFileSync("server.mjs", "x");
    writeFileSync("config.js", `${"x".repeat(65_500)}const token = "admin_${"a".repeat(43)}";`);
    await expect(pack()).rejects.toThrow(/^config\.js has an admin, cloud or server token/);
    writeFileSync("config.js", `const token = "pub_${"a".repeat(43)}";`);
    await expect(pack()).resolves.toMatchObject({ fileCount: 2 });
    symlinkSync("../elsewhere", "out");
    await expect(pack()).rejects.toThrow(/^out is a link to \.\.\/elsewhere, outside/);
  });

  test("[CP2] patterns mean what they mean in .gitignore", () => {
    writeFileSync(".foyerignore", "a/*.txt\n**/tmp\nlogs/**\nq?.md\n[x].js\n");
    const isIgnored = readIgnoreFile(folder);
    for (const path of ["a/b.txt", "tmp", "deep/tmp", "logs/a/b", "q1.md", "deep/q2.md", "[x].js"]) {
      expect([path, isIgnored(path, false)]).toEqual([path, true]);
    }
    for (const path of ["b.txt", "a/b/c.txt", "tmp2", "q12.md", "x.js"]) {
      expect([path, isIgnored(path, false)]).toEqual([path, false]);
    }
  });
});
