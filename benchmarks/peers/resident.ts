import { execFileSync } from "node:child_process";

/** Of one process. `ps` is there on Linux and macOS. */
export function residentMiB(pid: number): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1024;
}
