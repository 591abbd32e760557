import { join } from "node:path";
import { type FileWatch, watchFiles } from "../ground/file-watch.ts";
import { throttled } from "../ground/log.ts";
import { whyNotWritable } from "../ground/read-only.ts";
import { runningFileName } from "../ground/running-file.ts";
import { sqliteFileName } from "../store/backup.ts";
import type { Ground, Mode } from "./mode.ts";

/**
 * Notices when open files of the data folder are deleted or replaced: whatever is written to them then is lost. Also
 * notices when the folder becomes read-only.
 */
export interface FolderWatch {
  /** Call it when all files are open. It calls `giveUp` when one of them is deleted or replaced. */
  begin(giveUp: (reason: string) => void): void;
  check(): void;
  /** Why nothing may or can be written; null: writing is allowed. */
  trouble(): string | null;
}

export function createFolderWatch(
  { config, folder, log }: Ground,
  { fileNames, ifUnusable }: Mode["folder"],
): FolderWatch {
  const names = ["lock.db", ...(config.databaseUrl === null ? [sqliteFileName] : []), ...fileNames];
  const logReason = throttled((reason: string) => log.error(reason));
  const reasonFor = (path: string) =>
    `${path} was deleted or replaced while Foyer runs, so whatever is written there is lost. ${ifUnusable}: ` +
    "restore the data folder from a backup if there is one, and restart Foyer.";
  const readOnlyReason = (code: string) =>
    `The data folder ${folder.path} can no longer be written (${code}). ${ifUnusable}; reads continue, and nothing ` +
    "acknowledged is lost. The system log (dmesg) often has the cause, such as a failing disk. Foyer continues by " +
    "itself once the folder can be written. If the file system has to be unmounted for its repair, stop Foyer first.";
  let watch: FileWatch | null = null;
  let readOnly: string | null = null;

  function checkReadOnly(): void {
    const before = readOnly;
    readOnly = whyNotWritable(join(folder.path, runningFileName));
    if (readOnly !== null) logReason(readOnlyReason(readOnly));
    else if (before !== null) log.info(`the data folder ${folder.path} can be written again`);
  }

  return {
    begin(giveUp) {
      const paths = names.map((name) => join(folder.path, name));
      watch = watchFiles(paths, (path) => {
        giveUp(reasonFor(path));
        logReason(reasonFor(path));
      });
    },
    check() {
      watch?.check();
      checkReadOnly();
    },
    trouble() {
      const path = watch?.missing() ?? null;
      if (path !== null) return reasonFor(path);
      return readOnly && readOnlyReason(readOnly);
    },
  };
}
