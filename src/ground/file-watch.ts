import { statSync } from "node:fs";

/** Whether files that this process has open are still the ones that their paths name. */
export interface FileWatch {
  /**
   * Checks the files; call it regularly. Once a file was missing, the result stays, even if another file appears at its
   * path.
   */
  check(): void;
  /** The path that now names another file or none; null: every path still names its file. */
  missing(): string | null;
}

/**
 * A deleted file can be written to as long as it is open, but the data is lost. The operating system reports no error.
 */
export function watchFiles(paths: readonly string[], onDeleted: (path: string) => void): FileWatch {
  const expected = paths.map((path) => ({ path, id: readFileId(path) }));
  let missing: string | null = null;
  return {
    check() {
      missing ??= expected.find(({ path, id }) => readFileId(path) !== id)?.path ?? null;
      if (missing !== null) onDeleted(missing);
    },
    missing: () => missing,
  };
}

/**
 * These codes mean that the path names no file. Any other error (such as a missing permission) says nothing about the
 * file and is thrown.
 */
const noSuchFile: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

function readFileId(path: string): string | null {
  try {
    const { dev, ino } = statSync(path);
    return `${dev} ${ino}`;
  } catch (error) {
    if (noSuchFile.has((error as NodeJS.ErrnoException).code)) return null;
    throw error;
  }
}
