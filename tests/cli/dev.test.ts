import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { ownRange } from "../runtime/driver.ts";
import { noteIssued, startService, until } from "../support/harness.ts";
import { withoutTerminal } from "../support/pseudo-terminal.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const patient = 120_000;
const running = new Set<ChildProcess>();

afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
});

/** The built command in a folder that has a game server, as a developer runs it. */
function startDev(flags: readonly string[] = [], prepare: (cwd: string) => void = () => {}) {
  const cwd = temporaryFolder();
  const server = join(cwd, "server.mjs");
  copyFileSync(join(root, "tests/cli/dev-server.mjs"), server);
  prepare(cwd);
  const scratch = temporaryFolder();
  const foyer = join(root, "dist/cli/foyer.js");
  const child = spawn(process.execPath, [foyer, "dev", "--page-port", "0", ...flags, "--", "node", "server.mjs"], {
    cwd,
    env: { PATH: process.env.PATH, TMPDIR: scratch, FOYER_PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (piece: string) => {
      output += piece;
    });
  }
  const ended = once(child, "close").then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  const says = (text: string) => until(() => output.includes(text), 60_000);
  return { child, cwd, scratch, server, ended, says, output: () => output };
}

async function readFacts(output: string) {
  const url = /Play +(\S+)/.exec(output)![1]!;
  const facts = await (await fetch(`${url}/foyer.json`)).json();
  // Cast: the page of the command is what says so.
  const { endpoint, token, game_mode } = facts as { endpoint: string; token: string; game_mode: string };
  noteIssued(token);
  const post = async (path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(`${endpoint}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    // biome-ignore lint/suspicious/noExplicitAny: a wrong reading fails the test.
    return { status: answer.status, ...((await answer.json()) as any) };
  };
  return { url, endpoint, game_mode, post };
}

async function play(seat: { ports: { default: { port: number } }; player: { token: string } }) {
  const answer = await fetch(`http://127.0.0.1:${seat.ports.default.port}`, { headers: { player: seat.player.token } });
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  return (await answer.json()) as any;
}

test(
  "[CD1] [CD2] [CD4] a program without any library is a lobby; it restarts when a file changes, and its player comes back",
  async () => {
    const dev = startDev();
    await dev.says("ready for players");
    const { url, game_mode, post } = await readFacts(dev.output());
    expect(await (await fetch(url)).text()).toContain("<title>Try your lobby</title>");
    const seat = await post("/matchmaker/lobbies/find", { game_modes: [game_mode] });
    expect(await play(seat)).toMatchObject({ edition: 1, mode: "default", status: 200, returned: false });
    await dev.says("connected.");

    writeFileSync(dev.server, readFileSync(dev.server, "utf8").replace("edition = 1", "edition = 2"));
    await dev.says("server.mjs changed: restarting");
    await dev.says("the seat is held");
    const back = await post("/matchmaker/players/resume", { player_token: seat.player.token });
    expect(back).toMatchObject({ status: 200, lobby: { lobby_id: seat.lobby.lobby_id } });
    await until(() =>
      play(back).then(
        ({ edition, status, returned }) => edition === 2 && status === 200 && returned,
        () => false,
      ),
    );
    await dev.says("is back");

    writeFileSync(dev.server, "process.exit(3)");
    await dev.says("ended with code 3");
    dev.child.kill("SIGINT");
    expect(await dev.ended).toBe(0);
    expect(existsSync(join(dev.cwd, ".foyer"))).toBe(false);
    expect(readdirSync(dev.scratch)).toEqual([]);
    expect(tmpdir()).not.toBe(dev.scratch);
  },
  patient,
);

test(
  "[CD3] it uses the Foyer that runs on the data folder, and leaves nothing there",
  async () => {
    const service = await startService("sqlite");
    await service.admin("POST", "/cloud/games", { display_name: "Chess", name_id: "chess" });
    const dev = startDev(["--data-dir", service.dataDir]);
    await dev.says("ready for players");
    expect((await readFacts(dev.output())).endpoint).toBe(service.url);
    expect((await service.admin("GET", "/cloud/games")).games).toHaveLength(2);
    dev.child.kill("SIGTERM");
    expect(await dev.ended).toBe(0);
    expect((await service.admin("GET", "/cloud/games")).games).toMatchObject([{ name_id: "chess" }]);
    await service.close();
  },
  patient,
);

/** A server that says that it is ready, whatever else it does. */
const serverWith = (more: string, listens = true) => `
import { createServer } from "node:http";
const { FOYER_API_ENDPOINT: api, FOYER_TOKEN: token, PORT, FOYER_LOBBY_ID: id } = process.env;
const call = (path) => fetch(api + path, { method: "POST", headers: { authorization: "Bearer " + token } });
console.log("program of " + id);
${listens ? "await new Promise((done) => createServer((_, answer) => answer.end(id)).listen(PORT, done));" : ""}
await call("/matchmaker/lobbies/ready");
${more}
setInterval(() => {}, 1000);
`;

const write = (text: string) => (cwd: string) => writeFileSync(join(cwd, "server.mjs"), text);
const countOf = (text: string, part: string) => text.split(part).length - 1;

test(
  "[CD6] when its lobby ends, the program starts again as a new one, and other commands in the folder see it",
  async () => {
    const dev = startDev([], write(serverWith("")));
    await dev.says("ready for players");
    const foyer = (...args: string[]) =>
      withoutTerminal(args, { cwd: dev.cwd, env: { TMPDIR: dev.scratch, XDG_CONFIG_HOME: dev.scratch } });
    const { lobbies } = JSON.parse((await foyer("lobbies", "--json")).out);
    expect(lobbies).toMatchObject([{ status: "ready" }]);
    expect((await foyer("status")).out).toContain("foyer dev");
    // The short id that Foyer prints is enough.
    expect(await foyer("lobbies", "stop", lobbies[0].lobby_id.slice(-8), "--yes")).toMatchObject({ code: 0 });
    await until(() => /the lobby ended \(.+\): restarting\./.test(dev.output()), 60_000);
    await until(() => countOf(dev.output(), "ready for players") === 2, 60_000);
    const { game_mode, post } = await readFacts(dev.output());
    const seat = await post("/matchmaker/lobbies/find", { game_modes: [game_mode] });
    expect(seat.lobby.lobby_id).not.toBe(lobbies[0].lobby_id);
    dev.child.kill("SIGINT");
    expect(await dev.ended).toBe(0);
  },
  patient,
);

test(
  "[CD7] output that goes into the folder restarts nothing, nor does an edit of the page; a file that the program writes stops doing so",
  async () => {
    const ticks = `import { writeFileSync } from "node:fs"; writeFileSync("own.txt", String(Date.now()));
      setInterval(() => console.log("tick"), 400);`;
    const cwd = temporaryFolder();
    write(serverWith(ticks))(cwd);
    mkdirSync(join(cwd, "public"));
    writeFileSync(join(cwd, "public/index.html"), "one");
    const foyer = join(root, "dist/cli/foyer.js");
    const line = `exec '${process.execPath}' '${foyer}' dev --page public --page-port 0 -- node server.mjs > out.txt 2>&1`;
    const env = { PATH: process.env.PATH, TMPDIR: temporaryFolder(), FOYER_PORT: "0" };
    const child = spawn("sh", ["-c", line], { cwd, env, stdio: "ignore" });
    running.add(child);
    const ended = once(child, "close");
    const output = () => (existsSync(join(cwd, "out.txt")) ? readFileSync(join(cwd, "out.txt"), "utf8") : "");
    const starts = () => countOf(output(), "program of");
    await until(() => output().includes("own.txt changes each time"), 90_000);
    const before = starts();
    const ticksNow = countOf(output(), "tick");
    await until(() => countOf(output(), "tick") > ticksNow + 8, 60_000);
    writeFileSync(join(cwd, "public/index.html"), "two");
    await until(() => output().includes("index.html changed: reload the page"), 60_000);
    expect(starts()).toBe(before);
    expect(output()).not.toContain("out.txt changed");
    child.kill("SIGINT");
    await ended;
  },
  patient,
);

test(
  "[CD8] a program that says ready but listens elsewhere is called out, and not ready for players",
  async () => {
    const dev = startDev([], write(serverWith("", false)));
    await dev.says("nothing listens on port");
    expect(dev.output()).not.toContain("ready for players");
    writeFileSync(dev.server, serverWith(""));
    await dev.says("ready for players");
    dev.child.kill("SIGINT");
    expect(await dev.ended).toBe(0);
  },
  patient,
);

test(
  "[CD3] [CD5] of two in one new game the last to end removes it; what created lobbies write is shown",
  async () => {
    const service = await startService("sqlite", { lobbyPorts: ownRange() });
    const prepare = (cwd: string) => {
      write(serverWith(""))(cwd);
      const process_ = { command: "node", args: ["server.mjs"] };
      const mode = { max_players: 2, actions: { create: { enabled: true } }, runtime: { process: process_ } };
      const config = { regions: { local: {} }, game_modes: { room: mode } };
      writeFileSync(join(cwd, "foyer.game.json"), JSON.stringify({ game: "shared", config }));
    };
    const games = async () => (await service.admin("GET", "/cloud/games")).games;
    const first = startDev(["--data-dir", service.dataDir], prepare);
    await first.says("ready for players");
    const second = startDev(["--data-dir", service.dataDir], prepare);
    await second.says("ready for players");
    first.child.kill("SIGINT");
    expect(await first.ended).toBe(0);
    expect(await games()).toMatchObject([{ name_id: "shared" }]);
    const { post } = await readFacts(second.output());
    const created = await post("/matchmaker/lobbies/create", { game_mode: "room", region: "local" });
    expect(created).toMatchObject({ status: 200 });
    const id: string = created.lobby.lobby_id;
    await second.says(`${id.slice(-8)} | program of ${id}`);
    second.child.kill("SIGINT");
    expect(await second.ended).toBe(0);
    expect(await games()).toEqual([]);
    await service.close();
  },
  patient,
);
