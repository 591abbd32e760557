import { type Dirent, type FSWatcher, readdirSync, watch } from "node:fs";
import { join } from "node:path";

const quietMs = 150;
/** Folders with many files that are not the developer's own are not even watched. */
const ignored = /^(?:node_modules|\.git|\.foyer.*|\.DS_Store)$|~$|\.sw[px]$/;

/** Calls back once for each burst of changes below the folder. Editors write a file in several steps. */
export function watchFolder(folder: string, onChange: (file: string) => void): { close(): void } {
  let timer: NodeJS.Timeout | undefined;
  const watchers = new Map<string, FSWatcher>();

  function note(name: string): void {
    if (name.split(/[\\/]/).some((part) => ignored.test(part))) return;
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
