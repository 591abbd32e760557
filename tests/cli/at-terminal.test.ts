import { randomBytes } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ownRange } from "../runtime/driver.ts";
import { type Service, startService, until } from "../support/harness.ts";
import { atTerminal, withoutTerminal } from "../support/pseudo-terminal.ts";
import { root } from "../support/repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Each command is run as a person runs it, and as a script does. The tests build on each other: deploy comes first. */

let service: Service;
let cwd: string;
let lobbyId = "";
const namespacePath = "/cloud/games/chat/namespaces/prod";
const esc = "\u001b";

const serverText = `
const { FOYER_API_ENDPOINT: api, FOYER_TOKEN: token } = process.env;
console.log("the server starts");
await fetch(api + "/matchmaker/lobbies/ready", { method: "POST", headers: { authorization: "Bearer " + token } });
let count = 0;
setInterval(() => console.log("tick " + count++), 200);
`;

beforeAll(async () => {
  service = await startService("sqlite", { lobbyPorts: ownRange(), lobbyStopGraceS: 1 });
  cwd = temporaryFolder();
  writeFileSync(join(cwd, "server.mjs"), serverText);
  // Random bytes cannot be compressed, so that the upload takes a moment.
  writeFileSync(join(cwd, "assets.bin"), randomBytes(24 * 1024 * 1024));
  const runtime = { process: { command: "node", args: ["server.mjs"] } };
  const duel = { max_players: 4, ports: {}, idle_lobbies: { min: 1 }, runtime };
  const config = { regions: { local: {} }, game_modes: { duel } };
  writeFileSync(join(cwd, "foyer.game.json"), JSON.stringify({ game: "chat", config }));
});

afterAll(async () => {
  await service?.admin("DELETE", "/cloud/games/chat?force=true").catch(() => undefined);
  await service?.close();
});

const here = () => ["--data-dir", service.dataDir];
const person = (...args: string[]) => atTerminal([...args, ...here()], { cwd });
const script = (...args: string[]) => withoutTerminal([...args, ...here()], { cwd });

test("[CM11] deploy shows a bar on a terminal; without one each step is a line", async () => {
  const terminal = person("deploy", "prod", "--name", "1.0");
  expect(await terminal.ended).toBe(0);
  expect(terminal.output()).toContain(`\r${esc}[2KPacking `);
  expect(terminal.plain()).toMatch(/Uploading \[[#.]{20}\] +\d+ % of 2\d\.\d MiB/);
  expect(terminal.plain()).toContain("Created the game chat.");
  expect(terminal.plain()).toContain("1 warm lobby is ready.");
  writeFileSync(join(cwd, "server.mjs"), `${serverText}// changed`);
  const { code, out, err } = await script("deploy", "prod", "--name", "1.1", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ display_name: "1.1", is_new: true });
  expect(err).toContain("Deployed 1.1 to chat / prod.\n");
  expect(out + err).not.toContain(esc);
  expect(err).not.toContain("Uploading [");
  await until(async () => {
    const { lobbies } = await service.admin("GET", `${namespacePath}/lobbies`);
    // biome-ignore lint/suspicious/noExplicitAny: an answer's fields.
    lobbyId = lobbies.find((one: any) => one.status === "ready" && !one.is_outdated)?.lobby_id ?? "";
    return lobbies.length === 1 && lobbyId !== "";
  });
});

test.each([
  { args: ["status"], shows: /Deployed +1\.1/ },
  { args: ["lobbies"], shows: /duel +local +ready +0\/4/ },
  { args: ["find", "duel", "--explain"], shows: /Chosen, with 0 of 4 seats taken/ },
  { args: ["use"], shows: /No profiles/ },
  { args: ["call", "games.listGames"], shows: /chat/ },
  { args: ["help", "load"], shows: /Usage: foyer load/ },
])("[CM11] [CM6] $args: colours on a terminal, plain text without one and with NO_COLOR", async ({ args, shows }) => {
  const isLocal = ["use", "help"].includes(args[0]!);
  const all = isLocal ? args : [...args, ...here()];
  const terminal = atTerminal(all, { cwd });
  expect(await terminal.ended).toBe(0);
  expect(terminal.plain()).toMatch(shows);
  expect(terminal.output()).toContain(`${esc}[`);
  const colourless = atTerminal(all, { cwd, env: { NO_COLOR: "1" } });
  expect(await colourless.ended).toBe(0);
  expect(colourless.output()).not.toContain(esc);
  const { code, out, err } = await withoutTerminal(all, { cwd });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(shows);
  expect(out).not.toContain(esc);
});

test("[CM11] logs -f follows until Ctrl-C; without -f it ends by itself", async () => {
  const terminal = person("logs", lobbyId, "-f");
  await terminal.shows("tick 0");
  const seen = terminal.plain().match(/tick \d+/g)!.length;
  await until(() => terminal.plain().match(/tick \d+/g)!.length > seen);
  expect(await terminal.interrupt()).toBe(0);
  const { code, out } = await script("logs", lobbyId);
  expect(code).toBe(0);
  expect(out).toMatch(/^out \| the server starts\nout \| tick 0\n/);
});

test("[CM11] watch redraws a table, and Ctrl-C gives the screen back", async () => {
  const terminal = person("watch");
  await terminal.shows("chat / prod: 1 lobbies, 0 players");
  expect(terminal.output()).toContain(`${esc}[?1049h`);
  expect(await terminal.interrupt()).toBe(0);
  expect(terminal.output()).toContain(`${esc}[?25h${esc}[?1049l`);
});

test("[CM10] stop asks on a terminal, and needs --yes without one", async () => {
  expect(await script("lobbies", "stop", lobbyId)).toEqual({
    code: 2,
    out: "",
    err: "foyer: 1 lobby ends, and 0 players lose their seats. Give --yes if that is wanted.\n",
  });
  const refused = person("lobbies", "stop", lobbyId);
  await refused.shows("1 lobby ends, and 0 players lose their seats. Go on? [y/N] ");
  refused.type("n\r");
  expect(await refused.ended).toBe(1);
  expect(refused.plain()).toContain("Nothing was done.");
  const interrupted = person("lobbies", "stop", lobbyId);
  await interrupted.shows("Go on?");
  expect(await interrupted.interrupt()).not.toBe(0);
  expect((await service.admin("GET", `${namespacePath}/lobbies/${lobbyId}`)).lobby.status).toBe("ready");
  const done = person("lobbies", "stop", lobbyId);
  await done.shows("Go on?");
  done.type("y\r");
  expect(await done.ended).toBe(0);
  expect(done.plain()).toContain(`Stopped ${lobbyId}.`);
});

test("[CM10] so do rollback and operations that delete", async () => {
  const rollback = await script("rollback", "prod");
  expect(rollback).toMatchObject({ code: 2, out: "" });
  expect(rollback.err).toMatch(
    /"1\.0", deployed .+ ago, will be deployed to chat \/ prod in place of "1\.1"\. Give --yes/,
  );
  const terminal = person("rollback", "prod");
  await terminal.shows("Go on?");
  terminal.type("yes\r");
  expect(await terminal.ended).toBe(0);
  expect(terminal.plain()).toContain("Deployed 1.0 again, in place of 1.1.");
  await service.admin("POST", "/cloud/games", { display_name: "Go", name_id: "go" });
  expect(await script("call", "games.deleteGame", "go")).toMatchObject({ code: 2, out: "" });
  expect((await service.admin("GET", "/cloud/games/go")).game.name_id).toBe("go");
  expect(await script("call", "games.deleteGame", "go", "--yes")).toMatchObject({ code: 0, out: "Done.\n" });
});

test("[CM11] [CM4] login asks for the token without showing it, or reads standard input", async () => {
  const home = temporaryFolder();
  const terminal = atTerminal(["login", service.url, "--name", "here"], { cwd: home });
  await terminal.shows("Token: ");
  terminal.type(`${service.adminToken}\r`);
  expect(await terminal.ended).toBe(0);
  expect(terminal.plain()).toContain(`Signed in to ${service.url} with an admin token, as "here".`);
  expect(terminal.output()).not.toContain(service.adminToken);
  const input = `${service.adminToken}\n`;
  const piped = await withoutTerminal(["login", service.url, "--name", "piped"], { cwd: home, input });
  expect(piped).toMatchObject({ code: 0, err: "" });
  expect(Object.keys(JSON.parse(readFileSync(join(home, "foyer/profiles.json"), "utf8")).profiles)).toEqual([
    "here",
    "piped",
  ]);
});

test("[CM11] [CM8] doctor marks its findings with colours on a terminal", async () => {
  const flags = ["doctor", "--metrics-port=off", ...here(), `--port=${service.port}`];
  const terminal = atTerminal(flags, { cwd });
  await terminal.ended;
  expect(terminal.output()).toContain(`${esc}[32mok`);
  const { out } = await withoutTerminal(flags, { cwd });
  expect(out).toMatch(/^ok +settings/);
  expect(out).not.toContain(esc);
});

test("[CM11] [CD1] dev on a terminal: an address, the lobby's steps, and Ctrl-C ends all of it", async () => {
  const folder = temporaryFolder();
  const scratch = join(folder, "scratch");
  mkdirSync(scratch);
  const game = join(folder, "game");
  mkdirSync(game);
  copyFileSync(join(root, "tests/cli/dev-server.mjs"), join(game, "server.mjs"));
  const terminal = atTerminal(["dev", "--page-port", "0", "--", "node", "server.mjs"], {
    cwd: game,
    env: { TMPDIR: scratch, FOYER_PORT: "0" },
  });
  await terminal.shows("the lobby is ready for players.");
  expect(terminal.output()).toContain(`${esc}[1mPlay${esc}[0m`);
  expect(await terminal.interrupt()).toBe(0);
  expect(existsSync(join(game, ".foyer"))).toBe(false);
});
