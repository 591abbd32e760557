import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { LobbyNotStarted } from "../../src/runtime/runtime.ts";
import { until } from "../support/harness.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type Driver, isRunning, openDriver, ownPorts, pidOf, shellLobby, testFolder } from "./driver.ts";

const drivers: Driver[] = [];

async function open(...options: Parameters<typeof openDriver>): Promise<Driver> {
  const driver = await openDriver(...options);
  drivers.push(driver);
  return driver;
}

afterEach(async () => {
  for (const driver of drivers.splice(0)) {
    await Promise.all((await driver.list()).map((lobbyId) => driver.stop(lobbyId)));
    await driver.close();
  }
});

const forever = "exec sleep 1000";

describe("starting", () => {
  test("[RT1] a lobby is a process in its own group, and its ports are announced under the public name", async () => {
    const driver = await open();
    const lobby = shellLobby(forever, { ports: { game: { protocol: "wss" }, voice: { protocol: "udp" } } });
    const ports = await driver.start(lobby);
    const { min, max } = ownPorts();
    expect(Object.keys(ports)).toEqual(["game", "voice"]);
    expect(ports.game).toEqual({
      hostname: "game.example.com",
      port: expect.any(Number),
      isTls: true,
      protocol: "wss",
    });
    expect(ports.voice).toMatchObject({ isTls: false });
    for (const { port } of Object.values(ports)) expect(port >= min && port <= max).toBe(true);
    const pid = pidOf(driver, lobby.lobbyId);
    expect(isRunning(pid)).toBe(true);
    expect(process.kill(-pid, 0)).toBe(true);
    expect(await driver.list()).toEqual([lobby.lobbyId]);
  });

  test("[RT3] the environment is the version's, the contract's and the ports', and nothing of the service's", async () => {
    process.env.FOYER_SECRET = "a secret of the service itself";
    process.env.NODE_OPTIONS ??= "";
    const driver = await open();
    const lobby = shellLobby("env", { ports: { "my-game": { protocol: "ws" } } });
    const env = { ...lobby.env, COLOUR: "blue", HOME: "/root", TMPDIR: "/tmp" };
    const ports = await driver.start({ ...lobby, env });
    await until(() => driver.exits.length === 1);
    const { text } = await driver.logs(lobby.lobbyId, "stdout", 100_000);
    delete process.env.FOYER_SECRET;
    const port = String(ports["my-game"]!.port);
    const seen = Object.fromEntries(
      text
        .trim()
        .split("\n")
        .map((line) => line.split(/=(.*)/s) as [string, string]),
    );
    const { PATH, HOME, LANG, TMPDIR, PWD: _1, SHLVL: _2, _: _3, OLDPWD: _4, ...others } = seen;
    expect(others).toEqual({ FOYER_LOBBY_ID: lobby.lobbyId, COLOUR: "blue", PORT_MY_GAME: port, PORT: port });
    const own = join(driver.dataDir, "work", lobby.lobbyId);
    expect([HOME, TMPDIR]).toEqual([own, `${own}/tmp`]);
    expect([PATH, LANG].every(Boolean)).toBe(true);
  });

  test("[RT3] with several ports there is no PORT", async () => {
    const driver = await open();
    const ports = { a: { protocol: "ws" }, b: { protocol: "ws" } };
    const lobby = shellLobby(`echo "$PORT-$PORT_A-$PORT_B"`, { ports });
    const announced = await driver.start(lobby);
    await until(() => driver.exits.length === 1);
    const { text } = await driver.logs(lobby.lobbyId, "stdout", 1000);
    expect(text).toBe(`-${announced.a!.port}-${announced.b!.port}\n`);
  });

  test("[RT5] no more than the maximum run; the refusal says so, and a stopped one makes room", async () => {
    const driver = await open({ processesMax: 2 });
    const lobbies = [1, 2, 3].map(() => shellLobby(forever));
    const outcomes = await Promise.allSettled(lobbies.map((lobby) => driver.start(lobby)));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(driver.room()).toBe(0);
    await expect(driver.start(shellLobby(forever))).rejects.toThrow(/FOYER_MAX_LOBBY_PROCESSES/);
    await driver.stop(lobbies[0]!.lobbyId);
    expect(driver.room()).toBe(1);
    await driver.start(shellLobby(forever));
  });

  test("[RT5] a lobby takes one slot from the moment it is requested, also while it starts", async () => {
    const driver = await open({ processesMax: 12 });
    const rooms = new Set<number>();
    let isStarted = false;
    const starting = driver.start(shellLobby(forever)).finally(() => {
      isStarted = true;
    });
    while (!isStarted) {
      rooms.add(driver.room());
      await setImmediate();
    }
    await starting;
    expect([...rooms, driver.room()]).toEqual([11, 11]);
  });

  test.each([
    [
      "a program that is not there",
      { command: "no-such-program", args: [] },
      /"no-such-program" is in no folder of PATH/,
    ],
    ["a path that is not there", { command: "./no-such-file" }, /"\.\/no-such-file" does not exist/],
    ["a file that is no program", { command: "./lobby.mjs" }, /may not execute the program "\.\/lobby\.mjs"/],
    ["a folder that is not there", { cwd: "no-such-folder" }, /folder "no-such-folder".* does not exist/],
  ])("[RT4] %s is reported, and nothing is left behind", async (_, more, words) => {
    const driver = await open();
    const refused = driver.start(shellLobby(forever, more));
    await expect(refused).rejects.toThrow(LobbyNotStarted);
    await expect(refused).rejects.toThrow(words);
    await expect(refused).rejects.not.toThrow(testFolder);
    expect(await driver.list()).toEqual([]);
    expect(driver.room()).toBe(64);
  });

  test("[RT12] as another user: the process has that user's rights and groups alone", async () => {
    const opening = open({ user: "nobody" });
    if (process.getuid?.() !== 0) {
      await expect(opening).rejects.toThrow(/only root may/);
      return;
    }
    const driver = await opening;
    const script =
      'id -u; id -G; echo mine >"$HOME/file" && echo also >"$TMPDIR/file" && stat -c %u:%a "$HOME"; ls "$HOME/.."';
    const lobby = shellLobby(script, { cwd: null });
    await driver.start(lobby);
    await until(() => driver.exits.length === 1);
    const [uid, groups, folder, ...others] = (await driver.logs(lobby.lobbyId, "stdout", 1000)).text.trim().split("\n");
    expect(folder).toBe(`${uid}:700`);
    // Of the data folder and of other lobbies it sees nothing.
    expect(others).toEqual([]);
    expect(Number(uid)).toBeGreaterThan(0);
    expect(groups!.split(" ")).toHaveLength(1);
    await expect(openDriver({ user: "no-such-user" })).rejects.toThrow(/no such user/);
    await expect(openDriver({ user: "root" })).rejects.toThrow(/is root/);
    const dataDir = join(temporaryFolder(), "data");
    mkdirSync(dataDir);
    await expect(openDriver({ user: "nobody", dataDir })).rejects.toThrow(/cannot reach the folders .*chmod o\+x/);
  });
});

describe("the folder of a lobby", () => {
  const folderOf = (driver: Driver, lobbyId: string) => join(driver.dataDir, "work", lobbyId);
  const left = (driver: Driver) => readdirSync(join(driver.dataDir, "work"));

  test("[RT16] a lobby has its own folder, starts in it unless its version names another, and it ends with the process", async () => {
    const driver = await open();
    const script = 'pwd; ls -A; echo words >notes; echo more >"$TMPDIR/more"; ln -s /etc/passwd link; exec sleep 1000';
    const lobbies = [shellLobby(script, { cwd: null }), shellLobby("pwd; exec sleep 1000", { cwd: "/" })];
    for (const lobby of lobbies) await driver.start(lobby);
    const [own, other] = lobbies.map(({ lobbyId }) => lobbyId) as [string, string];
    await until(() => existsSync(`${folderOf(driver, own)}/link`));
    await until(async () => (await driver.logs(other, "stdout", 1000)).text !== "");
    expect((await driver.logs(own, "stdout", 1000)).text).toBe(`${folderOf(driver, own)}\ntmp\n`);
    expect((await driver.logs(other, "stdout", 1000)).text).toBe("/\n");
    expect(statSync(folderOf(driver, own)).mode & 0o777).toBe(0o700);
    expect(left(driver).sort()).toEqual([own, other].sort());
    await driver.stop(own);
    expect(left(driver)).toEqual([other]);
    process.kill(pidOf(driver, other), "SIGKILL");
    await until(() => left(driver).length === 0);
    expect(existsSync("/etc/passwd")).toBe(true);
    expect((await driver.logs(own, "stdout", 1000)).text).toContain("tmp");
  });

  test("[RT16] a lobby that could not be started leaves no folder behind", async () => {
    const driver = await open();
    await expect(driver.start(shellLobby(forever, { cwd: null, command: "no-such-program" }))).rejects.toThrow();
    expect(left(driver)).toEqual([]);
  });

  test("[RT16] [RT8] another process of the service keeps the folders of running lobbies and removes the others", async () => {
    const before = await open();
    const lobbies = [1, 2, 3].map(() => shellLobby("echo kept >file; exec sleep 1000", { cwd: null }));
    for (const lobby of lobbies) await before.start(lobby);
    const [kept, ended, stopped] = lobbies.map(({ lobbyId }) => lobbyId) as [string, string, string];
    await until(() => existsSync(`${folderOf(before, kept)}/file`));
    await before.close();
    const pid = pidOf(before, ended);
    process.kill(pid, "SIGKILL");
    await until(() => !isRunning(pid));
    expect(left(before)).toHaveLength(3);

    const after = await open({ dataDir: before.dataDir });
    expect(left(after).sort()).toEqual([kept, stopped].sort());
    await after.stop(stopped);
    expect(left(after)).toEqual([kept]);
    expect(readFileSync(`${folderOf(after, kept)}/file`, "utf8")).toBe("kept\n");
  });
});

describe("ending", () => {
  test("[RT6] an unrequested end is reported with its exit code or signal", async () => {
    const driver = await open();
    const one = shellLobby("echo bye >&2; exit 3");
    await driver.start(one);
    await until(() => driver.exits.length === 1);
    const two = shellLobby("kill -KILL $$");
    await driver.start(two);
    await until(() => driver.exits.length === 2);
    expect(driver.exits).toEqual([
      { lobbyId: one.lobbyId, exit: { code: 3, signal: null } },
      { lobbyId: two.lobbyId, exit: { code: null, signal: "SIGKILL" } },
    ]);
    expect((await driver.logs(one.lobbyId, "stderr", 100)).text).toBe("bye\n");
  });

  test("[RT7] a stop is SIGTERM first: the process may end in its own way, and no crash is reported", async () => {
    const driver = await open();
    const lobby = shellLobby('trap "echo saving; exit 0" TERM; echo up; while :; do sleep 0.05; done');
    await driver.start(lobby);
    await until(async () => (await driver.logs(lobby.lobbyId, "stdout", 100)).text === "up\n");
    expect(driver.exitOf(lobby.lobbyId)).toBe(null);
    expect(await driver.stop(lobby.lobbyId)).toEqual({ code: 0, signal: null });
    expect(driver.exitOf(lobby.lobbyId)).toEqual({ code: 0, signal: null });
    expect((await driver.logs(lobby.lobbyId, "stdout", 100)).text).toBe("up\nsaving\n");
    expect(driver.exits).toEqual([]);
    expect(await driver.list()).toEqual([]);
  });

  test("[RT7] a process that does not end in time is killed, and everything it started with it", async () => {
    const driver = await open({ stopGraceMs: 300 });
    const lobby = shellLobby(
      'trap "" TERM; sh -c "trap \\"\\" TERM; while :; do sleep 0.05; done" & echo $!; wait; wait',
    );
    await driver.start(lobby);
    await until(async () => (await driver.logs(lobby.lobbyId, "stdout", 100)).text.includes("\n"));
    const child = Number((await driver.logs(lobby.lobbyId, "stdout", 100)).text);
    const pid = pidOf(driver, lobby.lobbyId);
    expect(await driver.stop(lobby.lobbyId)).toEqual({ code: null, signal: "SIGKILL" });
    expect([isRunning(pid), isRunning(child)]).toEqual([false, false]);
  });

  test("[RT7] when the process itself ends, what it left behind is ended too", async () => {
    const driver = await open();
    const lobby = shellLobby("sleep 1000 & echo $!; exit 1");
    await driver.start(lobby);
    await until(() => driver.exits.length === 1);
    const child = Number((await driver.logs(lobby.lobbyId, "stdout", 100)).text);
    await until(() => !isRunning(child));
  });

  test("[RT7] stopping twice, and stopping an unknown lobby, is not an error", async () => {
    const driver = await open();
    const lobby = shellLobby(forever);
    await driver.start(lobby);
    await Promise.all([driver.stop(lobby.lobbyId), driver.stop(lobby.lobbyId)]);
    expect(await driver.stop(lobby.lobbyId)).toBe(null);
    expect(await driver.list()).toEqual([]);
  });

  test("[RT2] [RT16] two hundred starts and stops leave no process, port or folder behind", async () => {
    const { min } = ownPorts(2);
    const driver = await open({ ports: { min, max: min + 3 } });
    const pids: number[] = [];
    for (let round = 0; round < 50; round++) {
      const lobbies = [1, 2, 3, 4].map(() => shellLobby(forever));
      const ports = await Promise.all(lobbies.map((lobby) => driver.start(lobby)));
      expect(new Set(ports.map(({ default: port }) => port!.port)).size).toBe(4);
      pids.push(...lobbies.map(({ lobbyId }) => pidOf(driver, lobbyId)));
      await Promise.all(lobbies.map(({ lobbyId }) => driver.stop(lobbyId)));
    }
    expect(pids).toHaveLength(200);
    expect(pids.filter(isRunning)).toEqual([]);
    expect(readdirSync(`${driver.dataDir}/work`)).toEqual([]);
    expect(driver.room()).toBe(64);
  });
});

describe("another process of the service", () => {
  test("[RT8] takes a running lobby over with its ports, notices its end and can stop it", async () => {
    const before = await open();
    const lobbies = [shellLobby(forever), shellLobby(forever), shellLobby(forever)];
    const ports = await Promise.all(lobbies.map((lobby) => before.start(lobby)));
    const pids = lobbies.map(({ lobbyId }) => pidOf(before, lobbyId));
    await before.close();
    process.kill(pids[2]!, "SIGKILL");
    await until(() => !isRunning(pids[2]!));

    const after = await open({ dataDir: before.dataDir });
    const adopted = await Promise.all(lobbies.map(({ lobbyId, namespaceId }) => after.adopt(lobbyId, namespaceId)));
    expect(adopted).toEqual([ports[0], ports[1], null]);
    process.kill(pids[0]!, "SIGKILL");
    await until(() => after.exits.length === 1);
    expect(after.exits).toEqual([{ lobbyId: lobbies[0]!.lobbyId, exit: { code: null, signal: null } }]);
    expect(await after.stop(lobbies[1]!.lobbyId)).toEqual({ code: null, signal: null });
    expect(isRunning(pids[1]!)).toBe(false);
  });

  test("[RT8] does not take another process with the same number for the lobby", async () => {
    const before = await open();
    const lobby = shellLobby(forever);
    await before.start(lobby);
    const pid = pidOf(before, lobby.lobbyId);
    await before.close();
    const file = `${before.dataDir}/lobbies/${lobby.lobbyId}/process.json`;
    const record = JSON.parse(readFileSync(file, "utf8"));
    // As if the number had been given to a process of this test, which must survive.
    writeFileSync(file, JSON.stringify({ ...record, pid: process.ppid }));
    const after = await open({ dataDir: before.dataDir });
    expect(await after.adopt(lobby.lobbyId, lobby.namespaceId)).toBe(null);
    expect(isRunning(process.ppid)).toBe(true);
    // What still has the lobby's variables is a leftover of it.
    await until(() => !isRunning(pid));
  });

  test("[RT8] finds a process that was started but not yet written down", async () => {
    const before = await open();
    const lobby = shellLobby(forever);
    const ports = await before.start(lobby);
    const pid = pidOf(before, lobby.lobbyId);
    await before.close();
    const file = `${before.dataDir}/lobbies/${lobby.lobbyId}/process.json`;
    const record = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...record, pid: null, identity: null }));
    const after = await open({ dataDir: before.dataDir });
    expect(await after.adopt(lobby.lobbyId, lobby.namespaceId)).toEqual(ports);
    expect(pidOf(after, lobby.lobbyId)).toBe(pid);
  });

  test("[RT8] does not give out the ports of lobbies that it took over", async () => {
    const { min } = ownPorts(3);
    const ports = { min, max: min + 1 };
    const before = await open({ ports });
    await before.start(shellLobby(forever));
    await before.close();
    const after = await open({ ports, dataDir: before.dataDir });
    await after.start(shellLobby(forever));
    await expect(after.start(shellLobby(forever))).rejects.toThrow(/in use/);
  });
});

describe("logs", () => {
  test("[RT9] a log that has grown too long is rotated while the process keeps writing; the newest part is kept", async () => {
    const driver = await open({ logMaxBytes: 16 * 1024 });
    const script = 'i=0; while [ $i -lt 3000 ]; do echo "line $i of the log"; i=$((i+1)); done; sleep 1000';
    const lobby = shellLobby(script);
    await driver.start(lobby);
    const file = `${driver.dataDir}/lobbies/${lobby.lobbyId}/stdout.log`;
    await until(async () => (await driver.logs(lobby.lobbyId, "stdout", 100)).text.endsWith("line 2999 of the log\n"));
    await until(() => statSync(file).size <= 16 * 1024);
    const { text } = await driver.logs(lobby.lobbyId, "stdout", 8 * 1024);
    expect(text.endsWith("line 2998 of the log\nline 2999 of the log\n")).toBe(true);
    expect(text.length).toBeGreaterThan(7 * 1024);
    // What was written while it was being copied is kept besides.
    expect(statSync(`${file.slice(0, -4)}.previous.log`).size).toBeLessThanOrEqual(2 * 16 * 1024);
  });

  test("[RT9] the end of a log never begins in the middle of a character", async () => {
    const driver = await open();
    const lobby = shellLobby("printf 'ä€😀end'");
    await driver.start(lobby);
    await until(() => driver.exits.length === 1);
    const texts = await Promise.all(
      [12, 11, 8, 7, 6, 4, 3].map((bytes) => driver.logs(lobby.lobbyId, "stdout", bytes)),
    );
    expect(texts.map(({ text }) => text)).toEqual(["ä€😀end", "€😀end", "😀end", "😀end", "end", "end", "end"]);
    expect(texts.map(({ isTruncated }) => isTruncated)).toEqual([false, true, true, true, true, true, true]);
  });

  test("[RT9] files are the service's alone, and a lobby that is not known has no log", async () => {
    const driver = await open({ dataDir: temporaryFolder() });
    const lobby = shellLobby(forever);
    await driver.start(lobby);
    const folder = `${driver.dataDir}/lobbies/${lobby.lobbyId}`;
    expect(statSync(folder).mode & 0o077).toBe(0);
    expect(statSync(`${folder}/stdout.log`).mode & 0o077).toBe(0);
    const unknown = await driver.logs("00000000-0000-4000-8000-000000000000", "stdout", 100);
    expect(unknown).toEqual({ text: "", isTruncated: false });
  });
});
