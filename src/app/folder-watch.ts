import { join } from "node:path";
import { type FileWatch, watchFiles } from "../ground/file-watch.ts";
import { nowAndThen } from "../ground/log.ts";
import { sqliteFileName } from "../store/backup.ts";
import type { Ground, Mode } from "./mode.ts";

/** Notices when the files that are open here are deleted or replaced: what is written from then on would not be kept. */
export interface FolderWatch {
  /** Call it when all files are open. `giveUp` is called when one of them is gone. */
  begin(giveUp: (reason: string) => void): void;
  check(): void;
  /** Why nothing may be written any more; null: it may. */
  trouble(): string | null;
}

export function createFolderWatch(
  { config, folder, log }: Ground,
  { fileNames, whenGone }: Mode["folder"],
): FolderWatch {
  const names = ["lock.db", ...(config.databaseUrl === null ? [sqliteFileName] : []), ...fileNames];
  const logReason = nowAndThen((reason: string) => log.error(reason));
  const reasonFor = (path: string) =>
    `${path} was deleted or replaced while Foyer runs, so nothing that is written there is kept. ${whenGone}: ` +
    "restore the data folder from a backup if there is one, and restart Foyer.";
  let watch: FileWatch | null = null;
  return {
    begin(giveUp) {
      const paths = names.map((name) => join(folder.path, name));
      watch = watchFiles(paths, (path) => {
        giveUp(reasonFor(path));
        logReason(reasonFor(path));
      });
    },
    check: () => watch?.check(),
    trouble() {
      const path = watch?.gone() ?? null;
      return path === null ? null : reasonFor(path);
    },
  };
}
