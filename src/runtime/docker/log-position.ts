import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LogStream } from "../runtime.ts";

/**
 * How far a container's output has been copied: all output before that time ends at that position of the log, and the
 * output at that time begins there. What follows it in the log file is known from the file's length, so the position
 * may be old and the service may be killed at any moment: no output is copied twice or left out.
 */
export interface LogPosition {
  readonly at: bigint;
  readonly position: number;
}

export type LogPositions = Readonly<Record<LogStream, LogPosition | null>>;

const fileName = "log-positions.json";

export function readPositions(folder: string): LogPositions {
  try {
    const { stdout, stderr } = JSON.parse(readFileSync(join(folder, fileName), "utf8"));
    return { stdout: revive(stdout), stderr: revive(stderr) };
  } catch {
    // Nothing was copied yet.
    return { stdout: null, stderr: null };
  }
}

export function writePositions(folder: string, { stdout, stderr }: LogPositions): void {
  const text = JSON.stringify({ stdout, stderr }, (_, value) => (typeof value === "bigint" ? String(value) : value));
  writeFileSync(join(folder, fileName), text, { mode: 0o600 });
}

function revive(given: { at: string; position: number } | null | undefined): LogPosition | null {
  return given ? { at: BigInt(given.at), position: given.position } : null;
}
