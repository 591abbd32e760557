import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { until } from "../support/harness.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type Driver, isRunning, openDriver, shellLobby } from "./driver.ts";

const drivers: Driver[] = [];

afterEach(async () => {
  for (const driver of drivers.splice(0)) {
    await Promise.all((await driver.list()).map((lobbyId) => driver.stop(lobbyId)));
    await driver.close();
  }
});

/** A lobby of another user that has said that it is up, and its folder. Null where only root could start one. */
async function startAsNobody(script: string) {
  const opening = openDriver({ user: "nobody" });
  if (process.getuid?.() !== 0) {
    await expect(opening).rejects.toThrow(/only root may/);
    return null;
  }
  const driver = await opening;
  drivers.push(driver);
  const lobby = shellLobby(`${script}; echo up; exec sleep 1000`, { cwd: null });
  await driver.start(lobby);
  await until(async () => (await driver.logs(lobby.lobbyId, "stdout", 1000)).text.endsWith("up\n"));
  return { driver, lobbyId: lobby.lobbyId, home: join(driver.dataDir, "work", lobby.lobbyId) };
}

describe("the folder of a lobby of another user", () => {
  test("[RT16] is removed with that user's rights: files of other users stay, however they got there", async () => {
    const started = await startAsNobody("mkdir own; echo words >own/notes");
    if (!started) return;
    const { driver, lobbyId, home } = started;
    // As if the lobby had put a foreign folder in the place of its own while it was being removed.
    mkdirSync(`${home}/foreign`);
    writeFileSync(`${home}/foreign/file`, "kept");
    await driver.stop(lobbyId);
    expect(readFileSync(`${home}/foreign/file`, "utf8")).toBe("kept");
    expect(readdirSync(home)).toEqual(["foreign"]);
  });

  test("[RT16] is removed with links, with what is in folders that the lobby has closed, and without what links lead to", async () => {
    const elsewhere = temporaryFolder();
    writeFileSync(`${elsewhere}/file`, "kept");
    const script = `ln -s ${elsewhere} link; mkdir -p a/b c; echo x >a/b/x; echo x >c/x; chmod 555 a/b a; chmod 0 c .`;
    const started = await startAsNobody(script);
    if (!started) return;
    await started.driver.stop(started.lobbyId);
    expect(existsSync(started.home)).toBe(false);
    expect(existsSync(`${elsewhere}/file`)).toBe(true);
  });

  test("[RT16] [RT7] a process that has left the group and keeps filling the folder ends with the lobby", async () => {
    const program = `
      const { spawn } = require("node:child_process");
      const { writeFileSync } = require("node:fs");
      if (process.argv[1] === "out") for (let n = 0; ; n++) writeFileSync(process.env.HOME + "/" + (n % 1000), "x");
      const child = spawn(process.execPath, ["-e", process.env.ESCAPE, "out"], { detached: true, stdio: "ignore" });
      console.log(child.pid);
      child.unref();`.replaceAll("\n", " ");
    const started = await startAsNobody(`export ESCAPE='${program}'; ${process.execPath} -e "$ESCAPE"`);
    if (!started) return;
    const { driver, lobbyId, home } = started;
    const pid = Number.parseInt((await driver.logs(lobbyId, "stdout", 1000)).text, 10);
    await until(() => existsSync(`${home}/999`));
    await driver.stop(lobbyId);
    const isLeft = isRunning(pid);
    if (isLeft) process.kill(pid, "SIGKILL");
    expect([isLeft, existsSync(home)]).toEqual([false, false]);
  });
});
