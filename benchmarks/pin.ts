import { spawnSync } from "node:child_process";
import { cpus } from "node:os";

/**
 * Gives the server's main thread a core of its own and this process, with all that it starts from now on, another one: else
 * who attacks or asks would take the server's time by its own work. The server's other threads, as those of the garbage
 * collector, may use both: on one core the main thread would wait for each of them in every collection. False: the machine
 * has one core, or no taskset.
 */
export function pinApart(serverPid: number): boolean {
  if (cpus().length < 2) return false;
  return pin(0, ["--all-tasks"], process.pid) && pin(1, [], serverPid);
}

function pin(core: number, which: readonly string[], pid: number): boolean {
  return spawnSync("taskset", [...which, "--cpu-list", "--pid", String(core), String(pid)]).status === 0;
}
