import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ConfigError, loadConfig, loadSettings } from "../src/config/config.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const secret = "correct horse battery staple and more";

function listIssues(env: NodeJS.ProcessEnv, cwd: string): readonly string[] {
  try {
    loadConfig({ env, cwd });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.issues;
    throw error;
  }
}

describe("secrets in files", () => {
  const cwd = temporaryFolder();
  const file = (name: string, text: string, mode = 0o600) => {
    const path = join(cwd, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };

  test("[O17] each of the five is read, without its last line break and nothing else", () => {
    const address = file("address", "postgres://foyer:hush@db/foyer\r\n");
    const { config, shown, warnings } = loadSettings({
      cwd,
      env: {
        FOYER_ADMIN_TOKEN_FILE: file("token", "t".repeat(40)),
        FOYER_SECRET_FILE: file("secret", `${secret}\n\n`),
        FOYER_PREVIOUS_SECRET_FILE: file("previous", ` ${secret} \n`),
        FOYER_DATABASE_URL_FILE: address,
        FOYER_REDIS_URL_FILE: file("redis", "redis://:hush@redis/0\n"),
      },
    });
    expect(config).toMatchObject({ adminToken: "t".repeat(40), secret: `${secret}\n`, previousSecret: ` ${secret} ` });
    expect(config).toMatchObject({ databaseUrl: "postgres://foyer:hush@db/foyer", redisUrl: "redis://:hush@redis/0" });
    expect(warnings).toEqual([]);
    const row = (key: string) => shown.find((each) => each.key === key);
    expect(row("secret")).toMatchObject({ value: "[hidden]", origin: "FOYER_SECRET_FILE" });
    expect(row("database_url")).toMatchObject({ origin: "FOYER_DATABASE_URL_FILE" });
    expect(JSON.stringify(shown)).not.toMatch(/hush|correct/);
  });

  test("[O17] a path is relative to the working directory; an empty variable counts as not set; a flag wins", () => {
    file("here", secret);
    expect(loadConfig({ cwd, env: { FOYER_SECRET_FILE: "here" } }).secret).toBe(secret);
    expect(loadConfig({ cwd, env: { FOYER_SECRET_FILE: "", FOYER_SECRET: secret } }).secret).toBe(secret);
    const env = { FOYER_DATABASE_URL_FILE: file("db", "postgres://a@b/c") };
    expect(loadConfig({ argv: ["--database-url=postgres://d@e/f"], cwd, env }).databaseUrl).toBe("postgres://d@e/f");
  });

  test("[O17] both forms at once, files that are not there, empty or too large are refused, and nothing of them is shown", () => {
    const large = file("large", "hush".repeat(2048).concat("x"));
    mkdirSync(join(cwd, "folder"));
    const both = { FOYER_SECRET: "hush".repeat(10), FOYER_SECRET_FILE: file("both", "hush".repeat(10)) };
    expect(listIssues(both, cwd)).toEqual(["FOYER_SECRET and FOYER_SECRET_FILE are both set; give only one."]);
    for (const [path, issue] of [
      ["nowhere", "does not exist"],
      [file("empty", "\n"), "is empty"],
      [large, "has more than 8192 bytes"],
      ["folder", "cannot be read (EISDIR)"],
    ] as const) {
      const said = `The file ${path}, which FOYER_SECRET_FILE names, ${issue}.`;
      expect(listIssues({ FOYER_SECRET_FILE: path }, cwd)).toEqual([said]);
    }
    const [short, ...others] = listIssues({ FOYER_ADMIN_TOKEN_FILE: file("short", "hush") }, cwd);
    expect([short, others]).toEqual([expect.stringMatching(/^FOYER_ADMIN_TOKEN_FILE must be /), []]);
    expect(short).not.toContain("hush");
    expect(loadConfig({ cwd, env: { FOYER_SECRET_FILE: file("most", "x".repeat(4096)) } }).secret).toHaveLength(4096);
    const most = `postgres://a@b/c?application_name=${"x".repeat(8192)}`.slice(0, 8192);
    for (const end of ["", "\n", "\r\n"]) {
      expect(loadConfig({ cwd, env: { FOYER_DATABASE_URL_FILE: file("longest", most + end) } }).databaseUrl).toBe(most);
      const [tooLong] = listIssues({ FOYER_DATABASE_URL_FILE: file("longer", `${most}x${end}`) }, cwd);
      expect(tooLong).toContain("has more than 8192 bytes");
    }
    expect(listIssues({ FOYER_PORT_FILE: "x" }, cwd)[0]).toContain("FOYER_PORT_FILE is not a setting");
  });

  test("[O18] a file that others may read is a warning, which names it", () => {
    const open = file("open", secret, 0o444);
    const { config, warnings } = loadSettings({ cwd, env: { FOYER_SECRET_FILE: open } });
    expect(config.secret).toBe(secret);
    expect(warnings).toEqual([expect.stringContaining(`${open}, which FOYER_SECRET_FILE names`)]);
    expect(warnings[0]).not.toContain("correct");
  });
});
