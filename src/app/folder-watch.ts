import { join } from "node:path";
import { type FileWatch, watchFiles } from "../ground/file-watch.ts";
import { throttled } from "../ground/log.ts";
import { sqliteFileName } from "../store/backup.ts";
import type { Ground, Mode } from "./mode.ts";

/** Notices when open files of the data folder are deleted or replaced: whatever is written to them then is lost. */
export interface FolderWatch {
  /** Call it when all files are open. It calls `giveUp` when one of them is deleted or replaced. */
  begin(giveUp: (reason: string) => void): void;
  check(): void;
  /** Why nothing may be written; null: writing is allowed. */
  trouble(): string | null;
}

export function createFolderWatch(
  { config, folder, log }: Ground,
  { fileNames, ifDeleted }: Mode["folder"],
): FolderWatch {
  const names = ["lock.db", ...(config.databaseUrl === null ? [sqliteFileName] : []), ...fileNames];
  const logReason = throttled((reason: string) => log.error(reason));
  const reasonFor = (path: string) =>
    `${path} was deleted or replaced while Foyer runs, so whatever is written there is lost. ${ifDeleted}: ` +
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
      const path = watch?.missing() ?? null;
      return path === null ? null : reasonFor(path);
    },
  };
}
