import { type Dirent, type FSWatcher, fstatSync, readdirSync, statSync, watch } from "node:fs";
import { join } from "node:path";

const quietMs = 150;
/** Folders with many files that are not the developer's own are not even watched. */
const ignored = /^(?:node_modules|\.git|\.foyer.*|\.DS_Store)$|~$|\.sw[px]$/;

/** Calls back once for each burst of changes below the folder. Editors write a file in several steps. */
export function watchFolder(folder: string, onChange: (file: string) => void): { close(): void } {
  let timer: NodeJS.Timeout | undefined;
  const watchers = new Map<string, FSWatcher>();
  const ownOutput = outputFiles();

  function note(name: string): void {
    if (name.split(/[\\/]/).some((part) => ignored.test(part))) return;
    if (ownOutput.has(identify(() => statSync(join(folder, name))) ?? "")) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      watchFolders();
      onChange(name);
    }, quietMs);
  }

  function add(path: string, isDeep: boolean, prefix: string): void {
    const watcher = watch(path, { recursive: isDeep }, (_event, name) => note(join(prefix, name ?? "")));
    // It was removed, for example.
    watcher.on("error", () => {
      watcher.close();
      watchers.delete(path);
    });
    watchers.set(path, watcher);
  }

  function watchFolders(): void {
    const isOwn = (entry: Dirent) => entry.isDirectory() && !ignored.test(entry.name);
    for (const { name } of readdirSync(folder, { withFileTypes: true }).filter(isOwn)) {
      if (!watchers.has(join(folder, name))) add(join(folder, name), true, name);
    }
  }

  add(folder, false, "");
  watchFolders();
  return {
    close() {
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

/** The files to which this process and its program write, as in `foyer dev … > log.txt`. */
function outputFiles(): ReadonlySet<string> {
  return new Set([1, 2].map((descriptor) => identify(() => fstatSync(descriptor)) ?? "none"));
}

/** Null: it does not exist. */
function identify(stat: () => { readonly dev: number; readonly ino: number }): string | null {
  try {
    const { dev, ino } = stat();
    return `${dev} ${ino}`;
  } catch {
    return null;
  }
}

const soonMs = 2_000;
const soonMax = 5;

/**
 * Files that the program itself writes: one that changed right after each of its last starts would restart it for ever.
 * `isOwn` says so once it is known.
 */
export function watchForOwnWrites(): { started(): void; isOwn(file: string): boolean } {
  const counts = new Map<string, number>();
  let startedAt = 0;
  return {
    started() {
      startedAt = performance.now();
    },
    isOwn(file) {
      const count = counts.get(file) ?? 0;
      if (count >= soonMax) return true;
      counts.set(file, performance.now() - startedAt < soonMs ? count + 1 : 0);
      return false;
    },
  };
}
