import { rmSync } from "node:fs";
import { join } from "node:path";
import { readPrivateFile, writePrivateFile } from "./data-folder.ts";

/** The service that uses a data folder now, for tools on the same machine. */
export interface RunningService {
  readonly url: string;
  readonly pid: number;
  /** Distinguishes the process from a later one with the same id. */
  readonly identity: string;
}

const fileIn = (folder: string) => join(folder, runningFileName);

export const runningFileName = "running.json";

/** Written by the process that has the folder's lock, when it listens. */
export function writeRunningFile(folder: string, service: RunningService): void {
  writePrivateFile(folder, fileIn(folder), `${JSON.stringify(service)}\n`);
}

export function removeRunningFile(folder: string): void {
  rmSync(fileIn(folder), { force: true });
}

/** Null: no service said that it runs. What it says may be out of date: compare the identity of the process. */
export function readRunningFile(folder: string): RunningService | null {
  const text = readPrivateFile(fileIn(folder));
  if (text === null) return null;
  try {
    return JSON.parse(text) as RunningService;
  } catch {
    return null;
  }
}
