import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { platform } from "node:os";
import { promisify } from "node:util";

/**
 * Distinguishes a process from a later one with the same id: its start time and the boot that the time is counted from.
 * Null: no such process runs. A process that has ended but is still a zombie does not run.
 */
export async function readIdentity(pid: number): Promise<string | null> {
  if (platform() !== "linux") return identityByPs(pid);
  const stat = await readStat(pid);
  if (stat === null || stat.state === "Z" || stat.state === "X") return null;
  return `${await bootId()} ${stat.startTicks}`;
}

/**
 * The processes that have a lobby's variables, and whether each leads its group, as the lobby's own process does. Works
 * only on Linux; elsewhere the list is empty.
 */
export async function findProcesses(lobbyId: string): Promise<{ pid: number; isLeader: boolean }[]> {
  if (platform() !== "linux") return [];
  const found: { pid: number; isLeader: boolean }[] = [];
  for (const name of await readdir("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
    if (!environment.split("\0").includes(`FOYER_LOBBY_ID=${lobbyId}`)) continue;
    found.push({ pid, isLeader: (await readStat(pid))?.group === pid });
  }
  return found;
}

async function readStat(pid: number): Promise<{ state: string; group: number; startTicks: string } | null> {
  const text = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => null);
  if (text === null) return null;
  // The name of the program is in parentheses and may contain any character, so the fields are counted after it.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "X", group: Number(fields[2]), startTicks: fields[19] ?? "" };
}

/** Start times are counted from the boot, so the same number means another time after another boot. */
async function bootId(): Promise<string> {
  return (await readFile("/proc/sys/kernel/random/boot_id", "latin1").catch(() => "")).trim();
}

async function identityByPs(pid: number): Promise<string | null> {
  const { stdout } = await run("ps", ["-o", "stat=,lstart=", "-p", String(pid)]).catch(() => ({ stdout: "" }));
  const [state = "Z", ...startedAt] = stdout.trim().split(/\s+/);
  return state.startsWith("Z") || startedAt.length === 0 ? null : startedAt.join(" ");
}

const run = promisify(execFile);
