import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { readIdentity } from "../../src/runtime/process-identity.ts";
import { until } from "../support/harness.ts";
import { isRunning, openDriver, pidOf, shellLobby } from "./driver.ts";

test("[RT7] a process that ended in time is not killed later: another one may have its number by then", async () => {
  const driver = await openDriver({ stopGraceMs: 500 });
  onTestFinished(() => driver.close());
  const [obedient, stubborn] = [
    shellLobby("exec sleep 1000"),
    shellLobby("trap '' TERM; echo up; while :; do sleep 1; done"),
  ];
  for (const lobby of [obedient, stubborn]) await driver.start(lobby);
  await until(async () => (await driver.logs(stubborn.lobbyId, "stdout", 100)).text === "up\n");
  const pid = pidOf(driver, obedient.lobbyId);
  const kill = vi.spyOn(process, "kill");
  onTestFinished(() => kill.mockRestore());
  await driver.stop(obedient.lobbyId);
  // Its grace period begins later, so a timer of the first one would have come before it.
  await driver.stop(stubborn.lobbyId);
  const kills = kill.mock.calls.filter(([, signal]) => signal === "SIGKILL").map(([whom]) => whom);
  expect([kills.length > 0, kills.includes(-pid)]).toEqual([true, false]);
});

test("[RT8] a process that has ended and that nobody waited for does not run", async () => {
  // The shell becomes a program that never asks how its child ended.
  const parent = spawn("/bin/sh", ["-c", "sleep 0 & echo $!; exec sleep 1000"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [line] = (await once(parent.stdout, "data")) as [Buffer];
  const zombie = Number(String(line).trim());
  await until(() => !isRunning(zombie));
  expect(existsSync(`/proc/${zombie}/stat`)).toBe(true);
  expect(await readIdentity(zombie)).toBeNull();
  expect(await readIdentity(parent.pid!)).not.toBeNull();
});
