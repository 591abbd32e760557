import { access, constants, open, readdir } from "node:fs/promises";
import { delimiter, isAbsolute, resolve } from "node:path";

const headBytes = 20;
/** `e_machine` of ELF files, by what Node calls the architecture. */
const machines: Readonly<Record<number, string>> = { 3: "ia32", 40: "arm", 62: "x64", 183: "arm64", 243: "riscv64" };
const runsToo: Readonly<Record<string, string>> = { x64: "ia32", arm64: "arm" };

/**
 * Why the system cannot execute the file of a command, as the end of a sentence about it; null: it can, as far as its
 * first bytes say, or the start will report more. Without this look the system library would give a file that it cannot
 * execute to a shell, which would run whatever lines of it look like commands.
 */
export async function findFormatIssue(
  command: string,
  cwd: string | null,
  searchPath: string,
  interpreters = "/proc/sys/fs/binfmt_misc",
): Promise<string | null> {
  if (process.platform !== "linux") return null;
  const files = command.includes("/")
    ? [isAbsolute(command) ? command : cwd && resolve(cwd, command)]
    : searchPath.split(delimiter).map((folder) => resolve(cwd ?? "/", folder, command));
  for (const file of files) {
    const head = file && (await readHead(file));
    if (head) return describeFormat(head, interpreters);
  }
  return null;
}

async function describeFormat(head: Buffer, interpreters: string): Promise<string | null> {
  if (head.toString("latin1", 0, 2) === "#!") return null;
  const isElf = head.toString("latin1", 0, 4) === "\x7fELF";
  if (isElf && head.length < headBytes) return "is cut off (ENOEXEC). Build it again.";
  if (isElf) {
    const built = machines[head[5] === 2 ? head.readUInt16BE(18) : head.readUInt16LE(18)];
    const own = process.arch;
    if (built === undefined || built === own || built === runsToo[own] || (await hasInterpreters(interpreters)))
      return null;
    return `was built for ${built}, and this machine is ${own} (ENOEXEC). Build it for ${own}.`;
  }
  // What is not a text may have an interpreter that only the kernel knows.
  if (head.includes(0) && (await hasInterpreters(interpreters))) return null;
  return "is neither a program for Linux nor a script with #! and its interpreter in the first line (ENOEXEC).";
}

/** Null: there is no such file, or it cannot be executed or read. The search goes on then, and the start reports it. */
async function readHead(file: string): Promise<Buffer | null> {
  if (!(await isExecutable(file))) return null;
  // Without O_NONBLOCK a pipe that nothing writes to would keep a thread of Node's pool for ever.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null);
  try {
    const isFile = (await handle?.stat())?.isFile();
    const read = isFile && (await handle?.read(Buffer.alloc(headBytes), 0, headBytes, 0));
    return read ? read.buffer.subarray(0, read.bytesRead) : null;
  } catch {
    return null;
  } finally {
    await handle?.close();
  }
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** An administrator can register with the kernel programs that run other formats, such as QEMU for other processors. */
async function hasInterpreters(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => name !== "register" && name !== "status");
}
