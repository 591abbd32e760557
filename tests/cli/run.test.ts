import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type BannerFacts, banner } from "../../src/cli/banner.ts";
import { commands } from "../../src/cli/commands.ts";
import { exitCodes } from "../../src/cli/remote/exit-codes.ts";
import { exampleOf } from "../../src/cli/remote/operation-examples.ts";
import { run } from "../../src/cli/run.ts";
import { explainStartFailure } from "../../src/cli/start-failure.ts";
import { defaultConfig } from "../../src/config/config.ts";
import { settings } from "../../src/config/settings.ts";
import { operationIds, operations } from "../../src/contract/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

async function foyer(...argv: string[]) {
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

describe("help", () => {
  test("the overview names every command; --help and -h show it too", async () => {
    const { code, out } = await foyer("help");
    expect(code).toBe(0);
    for (const name of Object.keys(commands)) expect(out).toMatch(new RegExp(`^ {2}${name} `, "m"));
    expect((await foyer("--help")).out).toBe(out);
    expect((await foyer("-h")).out).toBe(out);
  });

  test("help serve lists every setting with its description and default", async () => {
    const { out } = await foyer("help", "serve");
    const unwrapped = out.replace(/\s+/g, " ");
    for (const [key, { description }] of Object.entries(settings)) {
      const isSecret = ["admin_token", "secret", "previous_secret"].includes(key);
      if (isSecret) expect(unwrapped).toContain(` FOYER_${key.toUpperCase()}[_FILE] `);
      else expect(unwrapped).toMatch(new RegExp(`--(\\[no-\\])?${key.replaceAll("_", "-")} `));
      expect(unwrapped).toContain(`${description} (`);
    }
    expect((await foyer("serve", "--help")).out).toBe(out);
  });

  test("[CM9] every command has an example that begins with its name, and describes each of its flags", async () => {
    for (const [name, { examples }] of Object.entries(commands)) {
      expect(examples.length).toBeGreaterThan(0);
      const own = name === "serve" ? /\bfoyer\b/ : new RegExp(`\\bfoyer ${name}\\b|\\bfoyer games `);
      for (const [line] of examples) expect([name, line]).toEqual([name, expect.stringMatching(own)]);
      const { code, out } = await foyer("help", name);
      expect([code, out]).toEqual([0, expect.stringContaining(examples[0]![0])]);
      if (!["call", "help", "version"].includes(name)) expect((await foyer(name, "--help")).out).toBe(out);
    }
  });

  test("[CM9] every operation has an example that the command line accepts", async () => {
    const folder = temporaryFolder();
    for (const name of ["version.json", "ports.json", "build.tar.gz"]) writeFileSync(join(folder, name), "{}");
    process.env.FOYER_ADMIN_TOKEN = `admin_${"x".repeat(43)}`;
    for (const id of operationIds) {
      const example = exampleOf(id);
      expect((await foyer("help", id)).out.replace(/\s+/g, " ")).toContain(example);
      const words = [...example.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!);
      const args = words
        .slice(1)
        .map((word) =>
          word.replace(/^@?(\w+\.(?:json|tar\.gz))$/, (_, name) =>
            join(word.startsWith("@") ? `@${folder}` : folder, name),
          ),
        );
      const isDelete = operations[id].method === "DELETE";
      const answer = await foyer(...args, ...(isDelete ? ["--yes"] : []), "--endpoint", "http://127.0.0.1:9");
      expect([example, answer.code, answer.err]).toEqual([example, 4, expect.stringContaining("does not answer")]);
    }
    delete process.env.FOYER_ADMIN_TOKEN;
  });

  test("[CM9] exit codes and variables have pages of their own", async () => {
    const { out } = await foyer("help", "exit-codes");
    for (const code of Object.values(exitCodes)) expect(out).toMatch(new RegExp(`^ {2}${code} {2,}\\w`, "m"));
    expect((await foyer("help", "environment")).out).toContain("NO_COLOR");
    expect((await foyer("help")).out).toContain("foyer help exit-codes");
  });

  test("no line is longer than the page", async () => {
    for (const topic of [[], ...Object.keys(commands).map((name) => [name])]) {
      const { out } = await foyer("help", ...topic);
      for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    }
  });
});

describe("commands", () => {
  test("version", async () => {
    expect(await foyer("version")).toEqual({ code: 0, out: expect.stringMatching(/^foyer \d+\.\d+\.\d+/), err: "" });
    expect((await foyer("--version")).out).toBe((await foyer("version")).out);
  });

  test("config shows settings and their origins", async () => {
    const { code, out } = await foyer("config", "--port", "0", "--database-url", "postgres://foyer:xxxx@db/foyer");
    expect(code).toBe(0);
    expect(out).toMatch(/^port +--port +0$/m);
    expect(out).toMatch(/^database_url +--database-url +postgres:/m);
    expect(out).not.toContain("xxxx");
  });

  test.each([
    [["srve"], '"srve" is not a command of foyer; did you mean serve?'],
    [["help", "bakup"], '"bakup" is not a command of foyer; did you mean backup?'],
    [["frobnicate"], '"frobnicate" is not a command of foyer. `foyer help` lists them.'],
    [["toString"], '"toString" is not a command of foyer. `foyer help` lists them.'],
    [["backup"], "foyer backup is incomplete. Usage: foyer backup FILE [flags]"],
    [["config", "x"], 'foyer config does not take "x". Usage: foyer config [flags]'],
    [["--prot", "4"], "--prot is not a flag of foyer; did you mean --port?"],
    [["serve", "--port", "x"], '--port must be a whole number from 0 to 65535, not "x".'],
  ])("[O8] [CM2] %j is refused in one sentence", async (argv, sentence) => {
    expect(await foyer(...argv)).toEqual({ code: 2, out: "", err: `foyer: ${sentence}\n` });
  });

  test("backup with PostgreSQL points to pg_dump and does not show the password", async () => {
    const { code, err } = await foyer("backup", "x.db", "--database-url", "postgres://foyer:hush@db/foyer");
    expect(code).toBe(1);
    expect(err).toContain("pg_dump");
    expect(err).not.toContain("hush");
  });

  test("backup of a folder without a database is refused in one sentence", async () => {
    const folder = temporaryFolder();
    const { code, err } = await foyer("backup", join(folder, "copy.db"), "--data-dir", join(folder, "none"));
    expect(code).toBe(1);
    expect(err).toMatch(/^foyer: [^\n]+\n$/);
  });
});

describe("banner", () => {
  const facts: BannerFacts = {
    version: "1.2.3",
    url: "http://127.0.0.1:7100",
    localUrl: "http://127.0.0.1:7100",
    signInUrl: null,
    metricsUrl: "http://127.0.0.1:7101/metrics",
    demoUrl: "http://127.0.0.1:7100/play",
    nodeId: null,
    dataDir: "/srv/it's data",
    adminToken: { token: "admin_sesame", path: "/srv/it's data/admin-token" },
    tokenOrigin: "default",
  };

  test("[SG7] it shows the sign-in address, or how to get one", () => {
    const signInUrl = "http://127.0.0.1:7100/#sign-in=signin_sesame";
    const plain = { isInteractive: true, colours: false };
    expect(banner({ ...facts, signInUrl }, plain)).toMatch(
      /Dashboard +http:\/\/127\.0\.0\.1:7100\/#sign-in=signin_sesame\n/,
    );
    expect(banner(facts, plain)).toMatch(/Dashboard +http:\/\/127\.0\.0\.1:7100\/\n.*foyer open/);
  });

  test("[ND7] a node among several is named", () => {
    const plain = { isInteractive: false, colours: false };
    expect(banner(facts, plain)).not.toContain("Node ");
    expect(banner({ ...facts, nodeId: "node-a" }, plain)).toMatch(/Node +node-a, with live lobbies in Redis/);
  });

  test("[K9] on a terminal it shows the token; the calls read it from its file", () => {
    const text = banner(facts, { isInteractive: true, colours: false });
    expect(text.split("admin_sesame")).toHaveLength(2);
    expect(text).toContain(`Bearer $(cat '/srv/it'\\''s data/admin-token')"`);
    expect(text).toContain("curl http://127.0.0.1:7100/cloud/games/my-game/namespaces/validate \\");
    for (const fact of [facts.url, facts.metricsUrl!, facts.dataDir, `Play the demo: ${facts.demoUrl}`])
      expect(text).toContain(fact);
  });

  test("[K9] [K10] elsewhere it names the file, or where a configured token came from", () => {
    const plain = { isInteractive: false, colours: false };
    expect(banner(facts, plain)).not.toContain("admin_sesame");
    expect(banner(facts, plain)).toContain("in /srv/it's data/admin-token");
    const own = { ...facts, adminToken: { token: "sesame", path: null }, tokenOrigin: "FOYER_ADMIN_TOKEN" };
    const text = banner({ ...own, metricsUrl: null, demoUrl: null }, { isInteractive: true, colours: false });
    expect(text).toContain("from FOYER_ADMIN_TOKEN");
    expect(text).toContain("Bearer $FOYER_ADMIN_TOKEN");
    const inFile = banner({ ...own, tokenOrigin: "FOYER_ADMIN_TOKEN_FILE" }, plain);
    expect(inFile).toContain("from FOYER_ADMIN_TOKEN_FILE");
    expect(inFile).toContain('Bearer $(cat "$FOYER_ADMIN_TOKEN_FILE")');
    expect(text).not.toContain("sesame");
    expect(text).not.toContain("demo");
  });
});

describe("failures of the start", () => {
  const failure = (fields: object) => Object.assign(new Error("listen"), fields);
  const config = defaultConfig();

  test.each([
    [
      { code: "EADDRINUSE", port: 7100, address: "127.0.0.1" },
      /^Port 7100 on 127.0.0.1 is in use .+ --port another number/,
    ],
    [{ code: "EADDRINUSE", port: 7101, address: "127.0.0.1" }, /--metrics-port another number, or off\.$/],
    [{ code: "EACCES", port: 80, address: "127.0.0.1" }, /^This user may not open port 80\. Give --port /],
    [
      { code: "EADDRNOTAVAIL", port: 7100, address: "9.9.9.9" },
      /^9\.9\.9\.9 is not an address of this machine\. Check host\.$/,
    ],
    [{ message: "postgres://a:hush@db is gone" }, /^postgres:\/\/a:\[redacted\]@db is gone$/],
  ])("%j", (fields, sentence) => {
    expect(explainStartFailure(failure(fields), config)).toMatch(sentence);
  });
});
