import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  ConfigError,
  type ConfigSources,
  defaultConfig,
  loadConfig,
  loadSettings,
  wantsColours,
} from "../src/config/config.ts";
import { settings } from "../src/config/settings.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const emptyFolder = temporaryFolder();

function folderWith(content: unknown, name = "foyer.config.json"): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  return folder;
}

const load = (sources: ConfigSources) => loadConfig({ env: {}, cwd: emptyFolder, ...sources });

function listIssues(sources: ConfigSources): readonly string[] {
  try {
    load(sources);
  } catch (error) {
    if (error instanceof ConfigError) return error.issues;
    throw error;
  }
  return [];
}

describe("precedence", () => {
  test("without any source the defaults hold, and the data folder is absolute", () => {
    expect(load({})).toEqual({ ...defaultConfig(), dataDir: join(emptyFolder, ".foyer") });
  });

  test("[O9] flags win over the environment, that over the file, that over the defaults", () => {
    const cwd = folderWith({ port: 1, host: "10.0.0.1", retention_days: 7 });
    const config = load({ argv: ["--port", "3"], env: { FOYER_PORT: "2", FOYER_HOST: "10.0.0.2" }, cwd });
    expect(config).toMatchObject({ port: 3, host: "10.0.0.2", retentionDays: 7, logLevel: "info" });
  });

  test("a named file is used instead of foyer.config.json, and the flag wins over the variable", () => {
    const cwd = folderWith({ port: 4 }, "other.json");
    expect(load({ env: { FOYER_CONFIG: "other.json" }, cwd }).port).toBe(4);
    expect(load({ argv: ["--config", "other.json"], env: { FOYER_CONFIG: "absent.json" }, cwd }).port).toBe(4);
  });

  test("[O9] an empty variable and a null in the file count as not set", () => {
    const cwd = folderWith({ host: null });
    expect(load({ env: { FOYER_PORT: "", FOYER_CONFIG: "" }, cwd })).toMatchObject({ port: 7100, host: "127.0.0.1" });
  });

  test("the last of two equal flags wins", () => {
    expect(load({ argv: ["--port=1", "--port=2"] }).port).toBe(2);
  });

  test("[O9] every setting can be given as a flag, unless it is a secret, a variable and a file key", () => {
    for (const [key, { fallback }] of Object.entries(settings)) {
      const text = sample(key, fallback);
      // A setting that needs others gets them from the environment.
      const env = neededBy[key] ?? {};
      const isSecret = ["admin_token", "secret", "previous_secret"].includes(key);
      const origins = [
        ...(isSecret ? [] : [{ argv: [`--${key.replaceAll("_", "-")}=${text}`] }]),
        { env: { ...env, [`FOYER_${key.toUpperCase()}`]: text } },
        { cwd: folderWith({ [key]: text }) },
      ].map((sources) => loadSettings({ env, cwd: emptyFolder, ...sources }).shown.find((row) => row.key === key));
      expect(origins.map((row) => row?.origin)).toEqual([
        ...(isSecret ? [] : [`--${key.replaceAll("_", "-")}`]),
        `FOYER_${key.toUpperCase()}`,
        "foyer.config.json",
      ]);
    }
  });
});

const sharedNeeds = { FOYER_DATABASE_URL: "postgres://foyer@localhost/foyer", FOYER_SECRET: "s".repeat(40) };

const neededBy: Record<string, Record<string, string>> = {
  redis_url: sharedNeeds,
  tls_cert: { FOYER_TLS_KEY: "key.pem" },
  tls_key: { FOYER_TLS_CERT: "cert.pem" },
  redirect_http_port: { FOYER_PUBLIC_URL: "https://play.example.com" },
};

function sample(key: string, fallback: unknown): string {
  if (key === "redis_url") return "redis://localhost:6379";
  if (key === "node_regions") return "eu-west";
  if (key === "redirect_http_port") return "80";
  if (["public_url", "gateway_url", "node_url", "service_url", "lobby_api_endpoint"].includes(key))
    return "https://play.example.com";
  if (key === "database_url") return "postgres://foyer@localhost/foyer";
  if (key === "trusted_proxies") return "10.0.0.0/8";
  return fallback === null ? "s".repeat(40) : String(fallback);
}

describe("Redis", () => {
  const redis = { FOYER_REDIS_URL: "redis://localhost:6379" };

  test("[ND7] Redis without PostgreSQL or without a secret is refused, each by its name", () => {
    const listIssues = (env: NodeJS.ProcessEnv) => {
      try {
        load({ env });
        return [];
      } catch (error) {
        return (error as ConfigError).issues;
      }
    };
    expect(listIssues({ ...sharedNeeds, ...redis })).toEqual([]);
    expect(listIssues(redis)).toEqual([
      expect.stringMatching(/^redis_url needs database_url/),
      expect.stringMatching(/^redis_url needs secret/),
    ]);
  });

  test.each([
    "redis://localhost",
    "rediss://:pass@cache.example.com:6380",
    "redis+sentinel://a:26379,b:26379/main",
    "redis+cluster://a:7000,b:7000",
  ])("%s is an address of Redis", (url) => {
    expect(load({ env: { ...sharedNeeds, FOYER_REDIS_URL: url } }).redisUrl).toBe(url);
  });

  test.each(["localhost:6379", "http://localhost", "redis://", "redis:/localhost", "redis://a b"])(
    "%s is no address of Redis, and is not repeated, since it may hold a password",
    (url) => {
      expect(() => load({ env: { ...sharedNeeds, FOYER_REDIS_URL: url } })).toThrow(
        /^FOYER_REDIS_URL must be a redis:\/\/ or rediss:\/\/ address, [^"]*$/,
      );
    },
  );
});

describe("values", () => {
  test("booleans: --demo, --no-demo, words, and JSON", () => {
    expect(load({ argv: ["--no-demo"] }).demo).toBe(false);
    expect(load({ argv: ["--demo=off"] }).demo).toBe(false);
    expect(load({ argv: ["--demo"], env: { FOYER_DEMO: "0" } }).demo).toBe(true);
    expect(load({ env: { FOYER_DEMO: "no" } }).demo).toBe(false);
    expect(load({ cwd: folderWith({ demo: false }) }).demo).toBe(false);
  });

  test("[O4] the metrics port may be off", () => {
    expect(load({ argv: ["--metrics-port", "off"] }).metricsPort).toBe(null);
    expect(load({ argv: ["--metrics-port", "0"] }).metricsPort).toBe(0);
  });

  test("trusted proxies: a comma-separated list, or an array in the file", () => {
    const ranges = ["10.0.0.0/8", "::1"];
    expect(load({ env: { FOYER_TRUSTED_PROXIES: "10.0.0.0/8, ::1" } }).trustedProxies).toEqual(ranges);
    expect(load({ cwd: folderWith({ trusted_proxies: ranges }) }).trustedProxies).toEqual(ranges);
    expect(load({ cwd: folderWith({ trusted_proxies: [] }) }).trustedProxies).toEqual([]);
  });

  test("a public URL is kept as its origin, and brackets around an IPv6 address are dropped", () => {
    expect(load({ argv: ["--public-url", "HTTPS://Play.Example.com:443/"] }).publicUrl).toBe(
      "https://play.example.com",
    );
    expect(load({ argv: ["--host", "[::1]"] }).host).toBe("::1");
  });

  test("the configuration is frozen, lists included", () => {
    const config = load({ argv: ["--trusted-proxies", "::1"] });
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.trustedProxies)).toBe(true);
  });

  const bad: [flag: string, value: string][] = [
    ["--port", "65536"],
    ["--port", "-1"],
    ["--port", "7100.5"],
    ["--port", "0x10"],
    ["--port", "1e3"],
    ["--host", "127.0.0.1:80"],
    ["--host", "1.2.3"],
    ["--host", "http://localhost"],
    ["--public-url", "https://example.com/path"],
    ["--public-url", "https://example.com?x"],
    ["--public-url", "https://user@example.com"],
    ["--public-url", "ftp://example.com"],
    ["--public-url", "example.com"],
    ["--trusted-proxies", "10.0.0.0/33"],
    ["--trusted-proxies", "10.1"],
    ["--trusted-proxies", "::1,"],
    ["--trusted-proxies", "proxy.example.com"],
    ["--log-level", "loud"],
    ["--process-trust", "public"],
    ["--metrics-port", "none"],
    ["--retention-days", "0"],
    ["--demo", "maybe"],
    ["--rate-find", "many"],
  ];
  test.each(bad)("%s=%s is refused, and the message says what is allowed", (flag, value) => {
    const [issue, ...others] = listIssues({ argv: [`${flag}=${value}`] });
    expect(others).toEqual([]);
    expect(issue).toMatch(new RegExp(`^${flag} must be .+, not "`));
    expect(issue).toContain(value);
  });

  test("[K10] a bad secret is refused without being shown", () => {
    const issues = listIssues({
      env: {
        FOYER_ADMIN_TOKEN: "hush-admin",
        FOYER_SECRET: "hush-secret",
        FOYER_DATABASE_URL: "mysql://root:hush@db/foyer",
        FOYER_PREVIOUS_SECRET: "hush",
      },
    });
    expect(issues).toHaveLength(4);
    expect(issues.join("\n")).not.toContain("hush");
    expect(listIssues({ env: { FOYER_ADMIN_TOKEN: `${"a".repeat(40)} b` } })).toHaveLength(1);
  });

  test.each(["--admin-token", "--secret", "--previous-secret"])(
    "[O16] %s is refused and the message says what to use instead",
    (flag) => {
      const variable = `FOYER_${flag.slice(2).toUpperCase().replace("-", "_")}`;
      for (const argv of [[flag, "hush".repeat(10)], [`${flag}=${"hush".repeat(10)}`], [flag]]) {
        const [issue, ...others] = listIssues({ argv });
        expect(others).toEqual([]);
        expect(issue).toContain(`${flag} is no longer a flag`);
        expect(issue).toContain(`${variable}_FILE, or set ${variable}`);
        expect(issue).not.toContain("hush");
      }
      expect(listIssues({ argv: [`${flag.slice(0, -1)}x`, "y"] })[0]).not.toContain(`mean ${flag}`);
    },
  );

  test("the service and its metrics cannot share a port", () => {
    expect(listIssues({ argv: ["--port=7101"] })[0]).toContain("both 7101");
    expect(listIssues({ argv: ["--port=0", "--metrics-port=0"] })).toEqual([]);
  });
});

describe("issues", () => {
  test("[O8] all are listed at once, each with where it came from and the nearest known name", () => {
    const cwd = folderWith({ datadir: "x", port: "many", log_level: ["info"] });
    const argv = ["--prot", "1", "--host", "--rate-find=x", "--no-demo=yes", "-x"];
    expect(listIssues({ argv, env: { FOYER_PUBLIC_ULR: "x", OTHER: "y" }, cwd })).toEqual([
      "--prot is not a flag of foyer; did you mean --port?",
      "--host needs a value, as in --host=VALUE.",
      "--no-demo takes no value.",
      "-x is not a flag of foyer. `foyer help serve` lists them all.",
      "The environment variable FOYER_PUBLIC_ULR is not a setting of Foyer; did you mean FOYER_PUBLIC_URL?",
      '"datadir" in foyer.config.json is not a setting of Foyer; did you mean data_dir?',
      '"log_level" in foyer.config.json must be one of trace, debug, info, warn, error, fatal, silent.',
      '"port" in foyer.config.json must be a whole number from 0 to 65535, not "many".',
      '--rate-find must be a whole number from 0 to 1000000000, not "x".',
    ]);
  });

  test("a flag at the end without its value", () => {
    expect(listIssues({ argv: ["--port"] })).toEqual(["--port needs a value, as in --port=VALUE."]);
  });

  test("[O8] names that objects inherit are no settings", () => {
    expect(listIssues({ cwd: folderWith('{ "constructor": 1, "__proto__": 2 }') })).toHaveLength(2);
    expect(listIssues({ argv: ["--constructor=1", "--__proto__=1"] })).toHaveLength(2);
  });

  test("a named file must exist; any file must be a JSON object", () => {
    expect(listIssues({ argv: ["--config", "no.json"] })).toEqual(["The configuration file no.json does not exist."]);
    expect(listIssues({ cwd: folderWith("{") })[0]).toMatch(/^foyer.config.json is not valid JSON: /);
    expect(listIssues({ cwd: folderWith([1]) })[0]).toContain("must hold one JSON object");
  });

  test("a single issue is one sentence, several are a list", () => {
    expect(() => load({ argv: ["--port=x"] })).toThrow(/^--port must be [^\n]+$/);
    expect(() => load({ argv: ["--port=x", "--host=*"] })).toThrow(/^The configuration has 2 issues:\n {2}- /);
  });
});

describe("what is shown", () => {
  test("values with their origin, secrets hidden, passwords inside URLs masked", () => {
    const { shown } = loadSettings({
      argv: ["--port=0", "--no-demo"],
      env: { FOYER_DATABASE_URL: "postgres://foyer:hush@db/foyer", FOYER_ADMIN_TOKEN: "hush".repeat(10) },
      cwd: emptyFolder,
    });
    const row = (key: string) => shown.find((each) => each.key === key);
    expect(row("port")).toEqual({ key: "port", value: "0", origin: "--port" });
    expect(row("demo")).toEqual({ key: "demo", value: "false", origin: "--no-demo" });
    expect(row("database_url")?.value).toBe("postgres://foyer:[redacted]@db/foyer");
    expect(row("admin_token")).toEqual({ key: "admin_token", value: "[hidden]", origin: "FOYER_ADMIN_TOKEN" });
    expect(row("host")).toEqual({ key: "host", value: "127.0.0.1", origin: "default" });
    expect(row("metrics_port")?.value).toBe("7101");
    expect(JSON.stringify(shown)).not.toContain("hush");
    expect(shown.map(({ key }) => key)).toEqual(Object.keys(settings));
  });

  test("colours only on a terminal, and not with NO_COLOR", () => {
    expect(wantsColours({ isTTY: true }, {})).toBe(true);
    expect(wantsColours({ isTTY: true }, { NO_COLOR: "1" })).toBe(false);
    expect(wantsColours({ isTTY: false }, {})).toBe(false);
  });
});

test("[GP8] variables for lobbies and tools are neither settings nor issues", () => {
  const names = [
    ...["TOKEN", "API_ENDPOINT", "LOBBY_ID", "GAME_ID", "NAMESPACE_ID", "NAMESPACE_NAME", "VERSION_ID", "GAME_MODE"],
    ...["REGION", "MAX_PLAYERS", "MAX_PLAYERS_DIRECT", "LOBBY_TAGS", "LOBBY_CONFIG", "LOBBY_CODE", "HEARTBEAT_S"],
    ...["RECONNECT_S", "CLOUD_TOKEN"],
  ];
  const env = Object.fromEntries(names.map((name) => [`FOYER_${name}`, "dev_of-a-game-server"]));
  const { config, warnings } = loadSettings({ argv: [], env, cwd: emptyFolder });
  expect(config).toEqual(loadConfig({ argv: [], env: {}, cwd: emptyFolder }));
  expect(warnings).toEqual([]);
});
