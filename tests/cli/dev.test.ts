import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { noteIssued, startService, until } from "../support/harness.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const patient = 120_000;
const running = new Set<ChildProcess>();

afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
});

/** The built command in a folder that has a game server, as a developer runs it. */
function startDev(flags: readonly string[] = []) {
  const cwd = temporaryFolder();
  const server = join(cwd, "server.mjs");
  copyFileSync(join(root, "tests/cli/dev-server.mjs"), server);
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
