import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { readRules } from "../../src/cli/deploy/ignore.ts";
import { listFiles } from "../../src/cli/deploy/list-files.ts";
import { packFiles } from "../../src/cli/deploy/pack.ts";
import { runFoyer } from "../support/run-foyer.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const origin = process.cwd();
let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
  process.chdir(folder);
});

afterAll(() => process.chdir(origin));

function writeGame(): void {
  const mode = { max_players: 4, ports: {}, runtime: { process: { command: "node", args: ["server.mjs"] } } };
  const config = { regions: { local: {} }, game_modes: { duel: mode } };
  writeFileSync("foyer.game.json", JSON.stringify({ game: "chat", config }));
  writeFileSync("server.mjs", "");
}

describe("packing", () => {
  const plain = { include: [], development_packages: false };
  const pack = async () => {
    const { entries } = listFiles(folder, readRules(folder, plain));
    const { signal } = new AbortController();
    return packFiles(folder, entries, join(temporaryFolder(), "build.tar.gz"), { signal, onProgress() {} });
  };
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
      "foyer-sdk-0.2.0.tgz",
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

  test("[CP8] what may be secret is left out and named, unless foyer.game.json includes it", async () => {
    const secrets = [".ENV.local", ".npmrc", ".netrc", "cert.PEM", "deep/prod.env", "deep/tls.key", "store.p12"];
    for (const name of [".ssh", ".aws", "deep", "node_modules/ca"]) mkdirSync(name, { recursive: true });
    for (const name of [...secrets, ".ssh/id", ".aws/credentials", "node_modules/ca/roots.pem"])
      writeFileSync(name, "x");
    writeGame();
    const shown = await runFoyer(["deploy", "--list"]);
    expect(shown.code).toBe(0);
    expect(shown.out.trim().split("\n")).toEqual(["foyer.game.json", "node_modules/ca/roots.pem", "server.mjs"]);
    expect(shown.err).toMatch(/^Left out, because it may be secret: \.ENV\.local, \.aws, .* and 4 more\. "include"/);
    const game = JSON.parse(readFileSync("foyer.game.json", "utf8"));
    writeFileSync("foyer.game.json", JSON.stringify({ ...game, include: ["cert.PEM", "deep/tls.key"] }));
    const { files, left_out } = JSON.parse((await runFoyer(["deploy", "--list", "--json"])).out);
    expect(files.map(({ path }: { path: string }) => path)).toEqual(
      expect.arrayContaining(["cert.PEM", "deep/tls.key"]),
    );
    expect(left_out.secrets.sort()).toEqual(
      [".aws", ".ssh", ...secrets.filter((name) => !["cert.PEM", "deep/tls.key"].includes(name))].sort(),
    );
  });

  test("[CP9] packages that only development needs are left out by npm's notes, unless foyer.game.json wants them", async () => {
    writeGame();
    for (const name of ["ws", "typescript", "@types/node"]) {
      mkdirSync(`node_modules/${name}`, { recursive: true });
      writeFileSync(`node_modules/${name}/index.js`, "x".repeat(100_000));
    }
    mkdirSync("packages/own/node_modules/vitest", { recursive: true });
    mkdirSync("node_modules/.bin");
    symlinkSync("../typescript/index.js", "node_modules/.bin/tsc");
    symlinkSync("../ws/index.js", "node_modules/.bin/ws");
    symlinkSync("../packages/own", "node_modules/own");
    const packages = {
      "": {},
      "node_modules/ws": {},
      "node_modules/typescript": { dev: true },
      "node_modules/@types/node": { dev: true },
      "node_modules/own": { link: true },
      "packages/own": { dev: true },
      "packages/own/node_modules/vitest": { dev: true },
    };
    writeFileSync("package-lock.json", JSON.stringify({ packages }));
    writeFileSync("packages/own/index.js", "x");
    const list = async () => {
      const { out, err } = await runFoyer(["deploy", "--list"]);
      return { files: out.trim().split("\n"), err };
    };
    const { files, err } = await list();
    expect(err).toMatch(/^Left out 0\.2 MiB of 3 packages for development\. /);
    expect(files.filter((name) => name.includes("/"))).toEqual([
      "node_modules/.bin/ws",
      "node_modules/own",
      "node_modules/ws/index.js",
      "packages/own/index.js",
    ]);
    const game = JSON.parse(readFileSync("foyer.game.json", "utf8"));
    writeFileSync("foyer.game.json", JSON.stringify({ ...game, development_packages: true }));
    expect((await list()).files).toEqual(
      expect.arrayContaining(["node_modules/.bin/tsc", "node_modules/typescript/index.js"]),
    );
  });

  test("[CP2] patterns mean what they mean in .gitignore", () => {
    writeFileSync(".foyerignore", "a/*.txt\n**/tmp\nlogs/**\nq?.md\n[xy].js\n\\#notes\n\\!loud\n# a comment\n");
    const whyLeftOut = readRules(folder, plain);
    const ignored = [
      "a/b.txt",
      "tmp",
      "deep/tmp",
      "logs/a/b",
      "q1.md",
      "deep/q2.md",
      "x.js",
      "y.js",
      "#notes",
      "!loud",
    ];
    for (const path of ignored) expect([path, whyLeftOut(path, false)]).toEqual([path, "ignored"]);
    for (const path of ["b.txt", "a/b/c.txt", "tmp2", "q12.md", "z.js", "[x].js", "X.js"]) {
      expect([path, whyLeftOut(path, false)]).toEqual([path, null]);
    }
  });
});
