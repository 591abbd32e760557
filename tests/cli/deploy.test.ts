import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ownRange } from "../runtime/driver.ts";
import { type Service, startService, until } from "../support/harness.ts";
import { runFoyer } from "../support/run-foyer.ts";
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
const runAlone = (...argv: string[]) => runFoyer(argv);

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
        err: expect.stringMatching(/^"1", deployed \d+ s ago, will be deployed to chat \/ prod in place of "2"\.\n/),
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
    // With the SDK installed from elsewhere, its file is not needed.
    rmSync("foyer.game.json");
    rmSync(sdk);
    for (const name of ["foyer-sdk", "ws"]) {
      mkdirSync(join("node_modules", name), { recursive: true });
      writeFileSync(
        join("node_modules", name, "package.json"),
        '{ "exports": { ".": "./x.js", "./server": "./x.js" } }',
      );
      writeFileSync(join("node_modules", name, "x.js"), "");
    }
    expect((await foyer("init")).code).toBe(0);
    expect(existsSync(sdk)).toBe(false);
  });
});

test(
  "[CM12] from a failure to its log: status, find and lobbies --ended name it, and its short id works in logs",
  async () => {
    writeFileSync("server.mjs", 'console.log("loading maps"); console.error("no such map: moon"); process.exit(3);');
    const process_ = { command: "node", args: ["server.mjs"] };
    const mode = { max_players: 4, ports: {}, runtime: { process: process_ } };
    const config = { regions: { local: {} }, game_modes: { broken: mode } };
    writeFileSync("foyer.game.json", JSON.stringify({ game: "failing", config }));
    expect((await foyer("deploy", "prod", "--name", "1")).code).toBe(0);
    const { token } = await service.admin("POST", "/cloud/games/failing/namespaces/prod/tokens/public");
    const find = await service.request("POST", "/matchmaker/lobbies/find", { token, body: { game_modes: ["broken"] } });
    expect(find.json.message).toMatch(/foyer logs [0-9a-f]{8} shows/);

    // Neither the game nor the namespace is named: the folder says the first, and there is one of the second.
    await until(async () => (await foyer("status")).out.includes("failed within the last hour"), 60_000);
    const { out } = await foyer("status");
    const short = /foyer logs ([0-9a-f]{8}) shows/.exec(out)![1]!;
    expect(out).toMatch(new RegExp(`${short} +broken +`));
    expect((await foyer("find", "broken", "--explain")).out).toContain(`foyer logs ${short} shows`);
    expect((await foyer("lobbies", "--ended")).out).toMatch(new RegExp(`${short} +broken +\\d+ \\w+ ago +crashed`));
    const both = await foyer("logs", short);
    expect(both).toMatchObject({ code: 0, out: "out | loading maps\nerr | no such map: moon\n" });
    expect((await foyer("logs", short, "--stderr")).out).toBe("no such map: moon\n");
    // Without an id, the newest lobby; it has ended, so following it ends too.
    const followed = await foyer("logs", "-f");
    expect(followed.code).toBe(0);
    expect(followed.out.trim().split("\n").sort()).toEqual(["err | no such map: moon", "out | loading maps"]);
    const { lobby_id, logs } = JSON.parse((await foyer("logs", short, "--json")).out);
    expect([lobby_id.endsWith(short), logs.length]).toEqual([true, 2]);
    const read = [
      "games",
      "namespaces",
      "lobbies",
      "getLogs",
      "failing",
      "prod",
      short,
      "--stream",
      "stderr",
      "--json",
    ];
    expect(JSON.parse((await foyer(...read)).out)).toMatchObject({ text: "no such map: moon\n" });
    expect(await foyer("status", "failing", "prod")).toMatchObject({
      ...{ code: 2, err: expect.stringContaining("--game GAME --namespace NAME") },
    });
    expect(await foyer("logs", "0000abcd")).toMatchObject({ code: 1, err: expect.stringContaining("0000abcd") });
    await service.admin("DELETE", "/cloud/games/failing?force=true");
  },
  patient,
);

test(
  "[CM12] foyer status names a lobby that hangs",
  async () => {
    const beat = 'await fetch(api + "/matchmaker/lobbies/heartbeat", { method: "POST", headers, body: "{}" });';
    const head = 'const headers = { authorization: "Bearer " + token, "content-type": "application/json" };';
    writeGame("hung", { timeouts: { heartbeat_s: 5 } });
    writeFileSync("server.mjs", `${serverOf("hung")}\n${head}\n${beat}\nfor (;;);`);
    expect((await foyer("deploy", "prod", "--name", "hung")).code).toBe(0);
    const silent = /No heartbeats arrive from: [0-9a-f]{8}\. Their servers hang/;
    await until(async () => silent.test((await foyer("status")).out), 60_000);
  },
  patient,
);

describe("foyer deploy, refused or stopped", () => {
  const games = async () =>
    (await service.admin("GET", "/cloud/games")).games.map((one: { name_id: string }) => one.name_id);

  test("[CP6] a mistake in foyer.game.json is named with line and column before anything is made or uploaded", async () => {
    const text =
      '{ "game": "mistaken",\n  "config": { "regions": { "local": {} }, "game_modes": { "duel": {\n    "max_players": 0,';
    const rest = '"ports": {}, "runtime": { "process": { "command": "node", "args": ["server.mjs"] } } } } } }';
    writeFileSync("server.mjs", serverOf("x"));
    writeFileSync("foyer.game.json", `${text}\n    ${rest}`);
    const at = expect.stringContaining("foyer.game.json:3:5: config.game_modes.duel.max_players: ");
    expect(await foyer("validate")).toMatchObject({ code: 1, out: at });
    expect(await foyer("deploy", "prod")).toMatchObject({ code: 1, out: "", err: at });
    expect(await games()).not.toContain("mistaken");
    writeFileSync("foyer.game.json", '{ "game": "mistaken",\n  oops }');
    const broken = { code: 1, err: expect.stringMatching(/foyer\.game\.json:2:3: this is not JSON\.\n$/) };
    expect(await foyer("validate")).toMatchObject(broken);
    expect(await foyer("deploy", "prod")).toMatchObject(broken);
  });

  test(
    "[CP7] a signal stops a deploy between any two steps: nothing is deployed after it, and the exit code is 130",
    async () => {
      writeGame("stopped", { idle_lobbies: { min: 0 } });
      expect((await foyer("deploy", "prod", "--name", "kept")).code).toBe(0);
      const before = (await service.admin("GET", namespacePath)).namespace.version_id;
      writeFileSync("server.mjs", serverOf("never deployed"));
      for (const step of ["Packed", "Uploaded", "  ~ game_modes"]) {
        const { code } = await runFoyer(["deploy", "prod", "--data-dir", service.dataDir], (text) => {
          if (text.startsWith(step)) process.emit("SIGINT", "SIGINT");
        });
        expect([step, code]).toEqual([step, 130]);
        expect((await service.admin("GET", namespacePath)).namespace.version_id).toBe(before);
        // Each step sees an upload of its own.
        writeFileSync("server.mjs", serverOf(`never deployed, after ${step}`));
      }
    },
    patient,
  );

  test("[CP1] a name that is given holds, also when nothing else has changed", async () => {
    writeGame("named", { idle_lobbies: { min: 0 } });
    expect((await foyer("deploy", "prod", "--name", "1.0")).code).toBe(0);
    expect((await foyer("deploy", "prod", "--name", "1.0")).out).toContain("Nothing has changed");
    expect((await foyer("deploy", "prod", "--name", "1.1")).err).toContain("Deployed 1.1 to chat / prod.");
    const { versions } = await service.admin("GET", `${namespacePath}/version-history?limit=1`);
    expect(versions).toMatchObject([{ display_name: "1.1" }]);
  });

  test("[CP4] rollback skips a version that was itself rolled back from, and says so before it acts", async () => {
    for (const name of ["good", "better", "bad"]) {
      writeGame(name, { idle_lobbies: { min: 0 }, max_players: name.length });
      expect((await foyer("deploy", "again", "--name", name)).code).toBe(0);
    }
    const back = async () =>
      (await foyer("rollback", "again", "--yes")).err.replace(/deployed \d+ \w+ ago/, "deployed");
    expect(await back()).toBe('"better", deployed, will be deployed to chat / again in place of "bad".\n');
    expect(await back()).toBe(
      '"good", deployed, will be deployed to chat / again in place of "better"; "bad" was rolled back from and is skipped.\n',
    );
    expect(await foyer("rollback", "again", "--yes")).toMatchObject({
      code: 1,
      err: expect.stringContaining("no earlier version"),
    });
  });
});
