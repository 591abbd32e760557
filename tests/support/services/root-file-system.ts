import { execFile } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { temporaryFolder } from "../temporary-folder.ts";

const busybox = "/bin/busybox";
const commands = [
  "sh",
  "sleep",
  "env",
  "cat",
  "echo",
  "id",
  "ls",
  "printf",
  "kill",
  "dd",
  "head",
  "tail",
  "yes",
  "nc",
  "touch",
];

/** The files of an image with a shell and little else, as a tar. `words` are in its file /words. */
export async function makeShellImage(words: string): Promise<Buffer> {
  const root = temporaryFolder();
  addShell(root);
  writeFileSync(join(root, "words"), words);
  return pack(root);
}

/** The same with this Node, the libraries it needs, and the lobby program of these tests. */
export async function makeNodeImage(lobbyProgram: string): Promise<Buffer> {
  const root = temporaryFolder();
  addShell(root);
  const { stdout } = await execute("ldd", [process.execPath]);
  const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, file]) => file ?? "");
  for (const file of libraries) add(root, file, file);
  add(root, process.execPath, "/bin/node");
  add(root, lobbyProgram, "/game/lobby.mjs");
  return pack(root);
}

function addShell(root: string): void {
  for (const folder of ["bin", "tmp", "dev", "proc", "sys", "etc", "run"]) mkdirSync(join(root, folder));
  chmodSync(join(root, "tmp"), 0o1777);
  copyFileSync(busybox, join(root, "bin/busybox"));
  for (const command of commands) symlinkSync("busybox", join(root, "bin", command));
  writeFileSync(join(root, "etc/passwd"), "root:x:0:0::/:/bin/sh\nplayer:x:1234:1234::/:/bin/sh\n");
}

function add(root: string, from: string, to: string): void {
  mkdirSync(join(root, dirname(to)), { recursive: true });
  cpSync(from, join(root, to), { dereference: true });
}

async function pack(root: string): Promise<Buffer> {
  const options = { encoding: "buffer", maxBuffer: 512 * 1024 * 1024 } as const;
  return (await execute("tar", ["-C", root, "--owner=0", "--group=0", "-c", "."], options)).stdout;
}

const execute = promisify(execFile);
