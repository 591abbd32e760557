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

function idOf(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}
