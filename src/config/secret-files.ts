import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { resolve } from "node:path";

export type SecretFile =
  | { readonly text: string; readonly isReadableByOthers: boolean }
  /** Completes the sentence "The file F, which FOYER_X_FILE names, …". */
  | { readonly issue: string };

const secretFileMaxBytes = 8 * 1024;

/** The text of a file that holds a secret, without its last line break. */
export function readSecretFile(file: string, cwd: string): SecretFile {
  let descriptor: number;
  try {
    descriptor = openSync(resolve(cwd, file), "r");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { issue: code === "ENOENT" ? "does not exist" : `cannot be read (${code})` };
  }
  try {
    const bytes = withoutLastBreak(readStart(descriptor));
    if (bytes.length > secretFileMaxBytes) return { issue: `has more than ${secretFileMaxBytes} bytes` };
    if (bytes.length === 0) return { issue: "is empty" };
    return { text: bytes.toString("utf8"), isReadableByOthers: (fstatSync(descriptor).mode & 0o004) !== 0 };
  } catch (error) {
    return { issue: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
  } finally {
    closeSync(descriptor);
  }
}

function withoutLastBreak(bytes: Buffer): Buffer {
  if (bytes.at(-1) !== 0x0a) return bytes;
  return bytes.subarray(0, bytes.at(-2) === 0x0d ? -2 : -1);
}

/**
 * Reads one byte more than allowed, plus a line break, which shows that the file is too long. So an endless file is not
 * read to its end.
 */
function readStart(descriptor: number): Buffer {
  const buffer = Buffer.alloc(secretFileMaxBytes + "\r\n".length + 1);
  let length = 0;
  for (let count = -1; count !== 0 && length < buffer.length; length += count) {
    count = readSync(descriptor, buffer, length, buffer.length - length, null);
  }
  return buffer.subarray(0, length);
}
