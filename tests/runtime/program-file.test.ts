import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findFormatIssue } from "../../src/runtime/program-file.ts";
import { until } from "../support/harness.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { openDriver, shellLobby } from "./driver.ts";

/** The head of an ELF file for that machine. */
function elf(machine: number): Buffer {
  const head = Buffer.alloc(64);
  head.write("\x7fELF", "latin1");
  head.set([2, 1, 1], 4);
  head.writeUInt16LE(machine, 18);
  return head;
}

const foreign = process.arch === "arm64" ? { machine: 62, name: "x64" } : { machine: 183, name: "arm64" };

test.each([
  ["a text without #!", Buffer.from("echo ran > ran\n"), /neither a program for Linux nor a script with #!.*ENOEXEC/],
  ["an empty file", Buffer.alloc(0), /neither a program for Linux nor a script with #!.*ENOEXEC/],
  ["a program that is cut off", elf(foreign.machine).subarray(0, 10), /is cut off \(ENOEXEC\)/],
])("[RT4] %s is not given to a shell: the operator reads what is wrong with it", async (_, content, words) => {
  const driver = await openDriver();
  onTestFinished(() => driver.close());
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "server"), content, { mode: 0o755 });
  for (const more of [
    { command: "./server", cwd },
    { command: "server", env: { PATH: cwd } },
  ]) {
    const refused = driver.start(shellLobby("", { args: [], cwd, ...more }));
    await expect(refused).rejects.toThrow(words);
    await expect(refused).rejects.toThrow(JSON.stringify(more.command));
    await expect(refused).rejects.not.toThrow(cwd);
  }
  expect([await driver.list(), existsSync(join(cwd, "ran"))]).toEqual([[], false]);
});

test("[RT4] a pipe that may be executed is no program, and looking at it waits for nothing", async () => {
  const folder = temporaryFolder();
  execFileSync("mkfifo", ["-m", "755", join(folder, "server")]);
  expect(await findFormatIssue("./server", folder, "")).toBeNull();
});

test("[RT4] a program for another processor is named as such, unless the kernel knows one that runs it", async () => {
  const folder = temporaryFolder();
  const interpreters = temporaryFolder();
  const look = () => findFormatIssue("./server", folder, "", interpreters);
  writeFileSync(join(folder, "server"), elf(foreign.machine), { mode: 0o755 });
  expect(await look()).toMatch(`was built for ${foreign.name}, and this machine is ${process.arch} (ENOEXEC)`);
  writeFileSync(join(interpreters, "qemu"), "");
  expect(await look()).toBeNull();
});

test("[RT4] scripts with an interpreter and programs of this machine start", async () => {
  const driver = await openDriver();
  onTestFinished(() => driver.close());
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "server"), "#!/bin/sh\necho ran > ran\n", { mode: 0o755 });
  await driver.start(shellLobby("", { command: "./server", args: [], cwd }));
  await until(() => existsSync(join(cwd, "ran")));
  expect(await findFormatIssue(process.execPath, null, "")).toBeNull();
});
