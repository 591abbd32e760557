import { closeSync, openSync } from "node:fs";

/** Whether a file could not be opened because nothing may be written there. */
export function isNotWritable(error: unknown): boolean {
  return error instanceof Error && "code" in error && codes.has(error.code);
}

// A read-only file system, an immutable file, and a missing permission.
const codes = new Set<unknown>(["EROFS", "EPERM", "EACCES"]);

/**
 * The error code with which the system refuses to open the file for writing; null: it opens the file, or there is none.
 * Writes nothing. Not for SQLite files: closing one would release the locks of this process on it.
 */
export function whyNotWritable(file: string): string | null {
  try {
    closeSync(openSync(file, "r+"));
    return null;
  } catch (error) {
    return isNotWritable(error) ? String((error as NodeJS.ErrnoException).code) : null;
  }
}
