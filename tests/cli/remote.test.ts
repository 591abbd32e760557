import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { all, createClient } from "../../src/cli/remote/client.ts";
import { table } from "../../src/cli/remote/show.ts";
import { operationIds } from "../../src/contract/index.ts";
import { createFakeRuntime } from "../support/fake-runtime.ts";
import { noteIssued, type Service, startService } from "../support/harness.ts";
import { runFoyer } from "../support/run-foyer.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const runtime = createFakeRuntime();
let service: Service;
let home: string;
const saved = { ...process.env };

beforeAll(async () => {
  service = await startService("sqlite", {}, { runtime });
  await service.admin("POST", "/cloud/games", { display_name: "Chess", name_id: "chess" });
  await service.admin("POST", "/cloud/games/chess/namespaces", { display_name: "Prod", name_id: "prod" });
  const { version_id } = await service.admin("POST", "/cloud/games/chess/versions", {
    display_name: "1.0",
    config: {
      regions: { local: {} },
      game_modes: { duel: { max_players: 2, runtime: { external: {} } } },
    },
  });
  await service.admin("PUT", "/cloud/games/chess/namespaces/prod/version", { version_id });
}, 60_000);

beforeEach(() => {
  home = temporaryFolder();
  process.env = { ...saved, XDG_CONFIG_HOME: home };
});

afterAll(async () => {
  process.env = saved;
  await service?.close();
});

const foyer = (...argv: string[]) => runFoyer(argv);

const here = () => ["--data-dir", service.dataDir];

/** A lobby of the namespace, and its token. */
async function register(): Promise<{ lobby_id: string; token: string }> {
  const { token } = await service.admin("POST", "/cloud/games/chess/namespaces/prod/tokens/server");
  const ports = { default: { hostname: "127.0.0.1", port: 9000, is_tls: false } };
  const { json } = await service.request("POST", "/matchmaker/lobbies/register", {
    token,
    body: { game_mode: "duel", region: "local", ports },
  });
  await service.request("POST", "/matchmaker/lobbies/ready", { token: json.token });
  return { lobby_id: json.lobby_id, token: json.token };
}

describe("foyer call", () => {
  test("[CM1] calls an operation with words for its path and flags for its fields", async () => {
    const made = await foyer(
      "call",
      "games.createGame",
      "--display-name",
      "Go",
      "--name-id",
      "go",
      ...here(),
      "--json",
    );
    expect(made).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(made.out)).toEqual({ game_id: expect.any(String) });
    const limits = ["--lobby-count-max", "5", "--max-players", "4", "--max-players-per-client", "null"];
    const path = ["chess", "prod"];
    const config = "games.namespaces.updateGameNamespaceMatchmakerConfig";
    expect(await foyer("call", config, ...path, ...limits, ...here())).toMatchObject({ code: 0, out: "Done.\n" });
    const shown = await foyer("games", "namespaces", "get-game-namespace", ...path, ...here());
    expect(shown.out).toContain('"lobby_count_max":5');
    const body = join(home, "body.json");
    writeFileSync(body, '{"display_name":"","name_id":"Prod!"}');
    const { out } = await foyer(
      "games",
      "namespaces",
      "validateGameNamespace",
      "chess",
      "--body",
      `@${body}`,
      ...here(),
    );
    expect(out).toContain("too_short");
  });

  test("[CM1] lists every operation, and describes each", async () => {
    const { out } = await foyer("call");
    for (const id of operationIds) {
      expect(out).toContain(`  ${id} `);
      expect(await foyer("call", id, "--help")).toMatchObject({
        code: 0,
        out: expect.stringContaining("Usage: foyer call"),
      });
    }
  });

  test("[CM9] help of a group of operations lists them", async () => {
    const help = await foyer("games", "namespaces", "lobbies", "--help");
    expect(help).toMatchObject({ code: 0, err: "", out: expect.stringContaining("games.namespaces.lobbies.stop") });
    expect(help.out).not.toContain("games.createGame");
  });

  test("[CM2] what is wrong decides the exit code, and is said on standard error", async () => {
    expect(await foyer("call", "games.getGam")).toMatchObject({
      code: 2,
      err: expect.stringContaining("games.getGame?"),
    });
    expect(await foyer("call", "games.getGame", ...here())).toMatchObject({
      code: 2,
      err: expect.stringContaining("GAME_ID"),
    });
    expect(await foyer("status", "--gme", "x")).toMatchObject({ code: 2, err: expect.stringContaining("--game?") });
    const refused = await foyer("call", "games.getGame", "nope", ...here());
    expect(refused).toMatchObject({ code: 3, out: "" });
    expect(refused.err).toMatch(/^foyer: CLOUD_GAME_NOT_FOUND: .*\n {2}request id \S+\n$/);
    process.env.FOYER_ADMIN_TOKEN = "admin_0123456789012345678901234567890123456789012";
    expect(await foyer("status", "--endpoint", "http://127.0.0.1:9")).toMatchObject({
      code: 4,
      err: expect.stringContaining("does not answer"),
    });
  });
});

describe("which service", () => {
  test("[CM3] FOYER_URL with a token; else the data folder; a lobby's token is never used", async () => {
    process.env.FOYER_URL = service.url;
    process.env.FOYER_TOKEN = service.adminToken;
    expect(await foyer("status")).toMatchObject({ code: 2, err: expect.stringContaining("token") });
    process.env.FOYER_ADMIN_TOKEN = service.adminToken;
    expect(await foyer("status", "--game", "chess")).toMatchObject({ code: 0 });
    process.env = { ...saved, XDG_CONFIG_HOME: home };
    expect(await foyer("status", "--game", "chess", ...here())).toMatchObject({ code: 0 });
    expect(await foyer("status", "--data-dir", home)).toMatchObject({ code: 4 });
  });

  test("[CM3] the token of a folder is not sent to a service whose process has ended", async () => {
    const file = join(service.dataDir, "running.json");
    const kept = readFileSync(file, "utf8");
    writeFileSync(file, JSON.stringify({ ...JSON.parse(kept), identity: "another process" }));
    expect(await foyer("status", ...here())).toMatchObject({ code: 4 });
    writeFileSync(file, kept);
    const other = await startService("sqlite");
    expect(existsSync(join(other.dataDir, "running.json"))).toBe(true);
    await other.close();
    expect(existsSync(join(other.dataDir, "running.json"))).toBe(false);
  });

  test("[CM4] login keeps a token that the service accepts, for its owner only; use chooses the namespace", async () => {
    const file = join(home, "token");
    writeFileSync(file, `${service.adminToken}\n`);
    const printed = [await foyer("login", service.url, "--name", "here", "--token-file", file)];
    expect(printed[0]).toMatchObject({ code: 0, out: expect.stringContaining("admin token") });
    expect(statSync(join(home, "foyer", "profiles.json")).mode & 0o777).toBe(0o600);
    printed.push(await foyer("use", "here", "--game", "chess", "--namespace", "prod"), await foyer("use"));
    printed.push(await foyer("status"), await foyer("use", "--json"));
    for (const { code, out, err } of printed) {
      expect(code).toBe(0);
      expect(out + err).not.toContain(service.adminToken);
    }
    writeFileSync(file, `admin_${"x".repeat(43)}`);
    expect(await foyer("login", service.url, "--name", "other", "--token-file", file)).toMatchObject({ code: 3 });
    expect(await foyer("status", "--profile", "other")).toMatchObject({
      code: 2,
      err: expect.stringContaining("here"),
    });
    expect(await foyer("logout", "here")).toMatchObject({ code: 0 });
    expect(readFileSync(join(home, "foyer", "profiles.json"), "utf8")).not.toContain(service.adminToken);
  });
});

test("[SG7] foyer open prints an address that signs in, with the admin token only", async () => {
  const signIn = (address: string) => {
    const url = new URL(address);
    const code = url.hash.replace("#sign-in=", "");
    noteIssued(code);
    expect(url.href).toBe(`${service.url}/#sign-in=${code}`);
    return service.request("POST", "/cloud/sign-in", { body: { code } });
  };
  const shown = await foyer("open", ...here());
  expect(shown).toMatchObject({ code: 0, err: "" });
  expect((await signIn(shown.out.split("\n")[0]!)).json.token).toMatch(/^session_/);
  const { url, expires_ts } = JSON.parse((await foyer("open", "--json", ...here())).out);
  expect(Date.parse(expires_ts)).toBeGreaterThan(Date.now());
  expect((await signIn(url)).status).toBe(200);

  const cloud = await service.admin("POST", "/cloud/games/chess/tokens/cloud");
  process.env.FOYER_CLOUD_TOKEN = cloud.token;
  const refused = await foyer("open", "--endpoint", service.url);
  expect(refused).toMatchObject({ code: 3, out: "", err: expect.stringContaining("TOKEN_FORBIDDEN") });
});

describe("lobbies", () => {
  const target = () => ["--game", "chess", ...here()];

  test("[CM6] [CM7] find, close, open, stop and status of a lobby", async () => {
    const { lobby_id } = await register();
    const found = await foyer("find", "duel", "--explain", ...target());
    expect(found).toMatchObject({ code: 0, out: expect.stringContaining(`lobby ${lobby_id}`) });
    expect(await foyer("lobbies", "close", lobby_id, ...target())).toMatchObject({
      code: 0,
      out: `Closed ${lobby_id}.\n`,
    });
    const refused = await foyer("find", "duel", "--explain", ...target());
    expect(refused).toMatchObject({ code: 3, out: expect.stringContaining("operator") });
    expect((await foyer("lobbies", ...target())).out).toMatch(
      new RegExp(`${lobby_id} +duel +local +ready, closed +0/2`),
    );
    await foyer("lobbies", "open", lobby_id, ...target());
    const listed = JSON.parse((await foyer("lobbies", "--json", ...target())).out);
    expect(listed.lobbies).toMatchObject([{ lobby_id, is_closed: false }]);
    expect((await foyer("status", ...target())).out).toMatch(/Lobbies +1 of at most/);
    expect(await foyer("lobbies", "stop", lobby_id, "--yes", ...target())).toMatchObject({ code: 0 });
    expect((await foyer("lobbies", ...target())).out).toBe("No lobbies are running.\n");
  });

  test("[CM6] one document with --json, also for several lobbies, by the ends of their ids", async () => {
    const ids = [await register(), await register()].map(({ lobby_id }) => lobby_id);
    const short = ids.map((id) => id.slice(-8));
    const closed = await foyer("lobbies", "close", ...short, ...target(), "--json");
    expect(JSON.parse(closed.out)).toEqual({ done: "close", lobby_ids: ids });
    for (const lobby_id of ids) await foyer("lobbies", "stop", lobby_id, "--yes", ...target());
  });

  test("[CM1] a list has the items of all its pages", async () => {
    const lobbies = [await register(), await register(), await register()].map(({ lobby_id }) => lobby_id);
    const connection = { endpoint: service.url, token: service.adminToken, origin: "test" };
    const { list } = createClient(connection).games.namespaces.lobbies;
    const items = await all(list("chess", "prod", { limit: 1 }));
    expect(items.map(({ lobby_id }) => lobby_id).sort()).toEqual(lobbies.sort());
    for (const lobby_id of lobbies) await foyer("lobbies", "stop", lobby_id, "--yes", ...target());
  });
});

test("[CM5] codes for the terminal in a value are made harmless", () => {
  const text = table(
    { colours: false },
    [{ name: "a\u001b[31mred\u009b2J\nnext" }],
    [["NAME", ({ name }) => name]],
    "",
  );
  expect(text).toBe("NAME\na\ufffd[31mred\ufffd2J next\n");
});
