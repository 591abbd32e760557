import { statSync } from "node:fs";

/** Whether files that this process has open are still the ones that their paths name. */
export interface FileWatch {
  /** Looks; call it again and again. Once a file was gone the answer stays, whatever comes back in its place. */
  check(): void;
  /** The path that names another file now or none; null: all is well. */
  gone(): string | null;
}

/** A deleted file can be written to as long as it is open, and nothing of that is kept. Nobody else says so. */
export function watchFiles(paths: readonly string[], onGone: (path: string) => void): FileWatch {
  const expected = paths.map((path) => ({ path, id: idOf(path) }));
  let gone: string | null = null;
  return {
    check() {
      gone ??= expected.find(({ path, id }) => idOf(path) !== id)?.path ?? null;
      if (gone !== null) onGone(gone);
    },
    gone: () => gone,
  };
}

/** What these say is that the path names no file. Where it may not be looked at, nothing is known, and that is thrown. */
const noSuchFile: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

function idOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path);
    return `${dev} ${ino}`;
  } catch (error) {
    if (noSuchFile.has((error as NodeJS.ErrnoException).code)) return null;
    throw error;
  }
}
