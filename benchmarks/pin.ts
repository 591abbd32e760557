import { spawnSync } from "node:child_process";
import { cpus } from "node:os";

/**
 * Gives the server a core of its own and this process, with all that it starts from now on, another one: else who attacks
 * or asks would take the server's time by its own work. False: the machine has one core, or no taskset.
 */
export function pinApart(serverPid: number): boolean {
  if (cpus().length < 2) return false;
  return pinTo(0, process.pid) && pinTo(1, serverPid);
}

function pinTo(core: number, pid: number): boolean {
  return spawnSync("taskset", ["--all-tasks", "--cpu-list", "--pid", String(core), String(pid)]).status === 0;
}
