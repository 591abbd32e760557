import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { importCommand } from "../../src/cli/import.ts";
import { run } from "../../src/cli/run.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
import { holdDatabase, holdWithNodes } from "../../src/store/only-node.ts";
import { freshDatabase } from "../support/services/stores.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const program = fileURLToPath(new URL("../../src/cli/foyer.ts", import.meta.url));
const loader = import.meta.resolve("tsx");
const running = new Set<ChildProcess>();

afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
});

function start(argv: readonly string[], env: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, ["--import", loader, program, ...argv], {
    cwd: temporaryFolder(),
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  child.once("close", () => running.delete(child));
  return child;
}

/** Runs a command to its end, in this process; `input` is what it reads when its file is -. */
async function foyer(argv: readonly string[], input?: string) {
  const written = { out: "", err: "" };
  const terminal: Terminal = {
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
  };
  const piped = input === undefined ? null : Readable.from([Buffer.from(input)]);
  const code = await (piped ? importCommand("-", argv, terminal, { input: piped }) : run(argv, terminal));
  return { code, ...written };
}

/** Serves until `stop`; calls are made with the admin token. */
async function serve(dataDir: string, env: Record<string, string> = {}) {
  const child = start(["--port=0", "--metrics-port=off", "--no-demo", "--data-dir", dataDir], env);
  const ended = once(child, "close");
  let said = "";
  child.stderr!.setEncoding("utf8").on("data", (piece: string) => {
    said += piece;
  });
  child.stdout!.resume();
  while (!said.includes("Stop with Ctrl-C")) {
    const isOver = await Promise.race([ended.then(() => true), once(child.stderr!, "data").then(() => false)]);
    if (isOver) throw new Error(`foyer ended before it was ready: ${said}`);
  }
  const url = /API +(\S+)/.exec(said)![1]!;
  const admin = env.FOYER_ADMIN_TOKEN ?? readFileSync(join(dataDir, "admin-token"), "utf8").trim();
  return {
    url,
    admin,
    async call(method: string, path: string, body?: object, token = admin) {
      const response = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      const answer = await response.text();
      return { status: response.status, body: answer === "" ? null : JSON.parse(answer) };
    },
    async stop() {
      child.kill("SIGTERM");
      expect((await ended)[0]).toBe(0);
    },
  };
}

type Service = Awaited<ReturnType<typeof serve>>;

/** A game with a deployed version, limits, a domain, and a token of each kind, one of them revoked. */
async function setUp({ call }: Service) {
  await call("POST", "/cloud/games", { display_name: "My Game", name_id: "my-game" });
  const config = { regions: { local: {} }, game_modes: { duel: { max_players: 8, runtime: { external: {} } } } };
  const { version_id } = (await call("POST", "/cloud/games/my-game/versions", { display_name: "1.0", config })).body;
  await call("POST", "/cloud/games/my-game/namespaces", { display_name: "Prod", name_id: "prod", version_id });
  const prod = "/cloud/games/my-game/namespaces/prod";
  await call("POST", `${prod}/mm-config`, { lobby_count_max: 7, max_players: 4_294_967_295 });
  await call("POST", `${prod}/domains`, { domain: "play.example.com" });
  const made = async (path: string) => (await call("POST", path)).body;
  const [cloud, pub, server, revoked] = [
    await made("/cloud/games/my-game/tokens/cloud"),
    await made(`${prod}/tokens/public`),
    await made(`${prod}/tokens/server`),
    await made(`${prod}/tokens/public`),
  ];
  await call("DELETE", `${prod}/tokens/${revoked.token_id}`);
  return { prod, cloud: cloud.token, pub: pub.token, server: server.token, revoked: revoked.token };
}

// Each test starts several processes, and the machine may be busy.
const patient = { timeout: 240_000 };

describe("moving a running service to PostgreSQL and back", patient, () => {
  test("[MD2] [MD3] [MD4] [MD7] [MD8] games, limits, domains and tokens are there; lobbies and the admin token are not", async () => {
    const dataDir = temporaryFolder();
    const [file, back] = [join(temporaryFolder(), "foyer.jsonl"), join(temporaryFolder(), "back.jsonl")];
    const old = await serve(dataDir);
    const made = await setUp(old);
    const namespace = (await old.call("GET", made.prod)).body;
    const ports = { default: { hostname: "127.0.0.1", port: 9001, is_tls: false } };
    const lobby = { game_mode: "duel", region: "local", ports };
    expect((await old.call("POST", "/matchmaker/lobbies/register", lobby, made.server)).status).toBe(200);

    // The service keeps writing while it is exported.
    let writing = true;
    const writer = (async () => {
      for (let count = 0; writing; count++) {
        await old.call("POST", "/cloud/games/my-game/namespaces", { display_name: "More", name_id: `more-${count}` });
      }
    })();
    const exported = await foyer(["export", file, "--data-dir", dataDir]);
    writing = false;
    await writer;
    expect(exported).toMatchObject({ code: 0, err: "" });
    expect(exported.out).toMatch(/^Exported 1 game, 1 version, \d+ namespaces, 1 domain, 1 deployment, 4 tokens to /);
    expect(exported.out).toContain("Live lobbies are not in it");
    expect(exported.out).toContain(`FOYER_SECRET (the content of ${join(dataDir, "secret")})`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const document = readFileSync(file, "utf8");
    for (const token of [old.admin, made.cloud, made.pub, made.server, made.revoked]) {
      expect(document).not.toContain(token);
    }

    const inUse = await foyer(["import", file, "--data-dir", dataDir]);
    expect(inUse).toMatchObject({ code: 1, out: "" });
    expect(inUse.err).toMatch(/^foyer: The data folder \S+ is in use by another Foyer process[^\n]+\n$/);
    await old.stop();

    const { databaseUrl } = await freshDatabase("postgresql");
    const flags = ["--database-url", databaseUrl!];
    const imported = await foyer(["import", file, ...flags]);
    expect(imported).toMatchObject({ code: 0, err: "" });
    expect(imported.out).toMatch(
      /^Imported 1 game, .+ into the PostgreSQL database\. There are no live lobbies yet\.\n/,
    );

    const next = await serve(temporaryFolder(), { FOYER_DATABASE_URL: databaseUrl! });
    const again = await foyer(["import", file, ...flags]);
    expect(again).toMatchObject({ code: 1, out: "" });
    expect(again.err).toBe("foyer: A running Foyer uses this PostgreSQL database. Stop all its nodes, then import.\n");
    expect((await next.call("GET", made.prod)).body).toEqual(namespace);
    expect((await next.call("GET", made.prod, undefined, made.cloud)).status).toBe(200);
    expect((await next.call("GET", made.prod, undefined, old.admin)).status).toBe(401);
    expect((await next.call("GET", "/matchmaker/regions", undefined, made.pub)).status).toBe(200);
    const refused = await next.call("GET", "/matchmaker/regions", undefined, made.revoked);
    expect(refused.body.code).toBe("TOKEN_REVOKED");
    expect((await next.call("GET", `${made.prod}/lobbies`)).body.lobbies).toEqual([]);
    expect((await next.call("POST", "/matchmaker/lobbies/register", lobby, made.server)).status).toBe(200);

    expect(await foyer(["export", back, ...flags])).toMatchObject({ code: 0, err: "" });
    await next.stop();
    const home = temporaryFolder();
    expect(await foyer(["import", back, "--data-dir", home])).toMatchObject({ code: 0 });
    const last = await serve(home, { FOYER_ADMIN_TOKEN: old.admin });
    expect((await last.call("GET", made.prod)).body).toEqual(namespace);
    await last.stop();
  });
});

describe("a command that cannot succeed ends with exit code 1 and one sentence", patient, () => {
  const oneSentence = /^foyer: [^\n]+\n$/;

  test("[MD1] an export never replaces a file, and leaves none behind when it fails", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "there");
    writeFileSync(file, "mine");
    const taken = await foyer(["export", file, "--data-dir", folder]);
    expect(taken).toMatchObject({ code: 1, out: "", err: expect.stringMatching(oneSentence) });
    expect(readFileSync(file, "utf8")).toBe("mine");
    const nothing = await foyer(["export", join(folder, "new"), "--data-dir", folder]);
    expect(nothing).toMatchObject({ code: 1, out: "", err: expect.stringMatching(/^foyer: There is no database at /) });
    expect(existsSync(join(folder, "new"))).toBe(false);
  });

  test("[MD7] nodes that share the database keep an import away as well", async () => {
    const { databaseUrl } = await freshDatabase("postgresql");
    const empty = temporaryFolder();
    const service = await serve(empty);
    await service.stop();
    const { out: document } = await foyer(["export", "--data-dir", empty]);
    const node = await holdDatabase(databaseUrl!, () => {}, holdWithNodes);
    const refused = await foyer(["--database-url", databaseUrl!], document);
    expect(refused).toMatchObject({ code: 1, out: "", err: expect.stringMatching(oneSentence) });
    await node.release();
    const nothing = "Imported nothing from standard input into the PostgreSQL database.";
    expect((await foyer(["--database-url", databaseUrl!], document)).out).toContain(nothing);
  });

  test("[MD4] [MD5] an import of what is damaged, missing or already there", async () => {
    const folder = temporaryFolder();
    const [source, target] = [join(folder, "source"), join(folder, "target")];
    const service = await serve(source);
    await setUp(service);
    await service.stop();
    const { code, out: document, err } = await foyer(["export", "--data-dir", source]);
    expect(code).toBe(0);
    expect(err).toMatch(/^Exported 1 game, .+ to standard output\.\n/);

    const damaged = document.replace('"My Game"', '"My Gane"');
    const changed = await foyer(["--data-dir", target], damaged);
    expect(changed).toMatchObject({ code: 1, out: "", err: expect.stringMatching(oneSentence) });
    expect(changed.err).toMatch(/^foyer: standard input was not imported\. The checksum in line \d+ /);
    expect(existsSync(target)).toBe(false);
    const missing = await foyer(["import", join(folder, "none"), "--data-dir", target]);
    expect(missing.err).toBe(`foyer: There is no file ${join(folder, "none")}.\n`);

    expect(await foyer(["--data-dir", target], document)).toMatchObject({ code: 0, err: "" });
    const twice = await foyer(["--data-dir", target], document);
    expect(twice).toMatchObject({ code: 1, out: "", err: expect.stringMatching(oneSentence) });
    expect(twice.err).toMatch(/^foyer: The store is not empty: it has 1 game, 1 version, 1 namespace, 1 domain, /);
    const unreachable = ["--database-url", "postgres://foyer:hush@127.0.0.1:1/foyer"];
    for (const gone of [await foyer(["export", ...unreachable]), await foyer(unreachable, document)]) {
      expect(gone).toMatchObject({ code: 1, out: "", err: expect.stringMatching(oneSentence) });
      expect(gone.err).not.toContain("hush");
    }
  });
});
