import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { platform } from "node:os";
import { promisify } from "node:util";

/**
 * What tells a process from a later one with the same number: when it started, and since which boot that is counted.
 * Null: no such process runs. One that has ended and was not collected by its parent does not run.
 */
export async function readIdentity(pid: number): Promise<string | null> {
  if (platform() !== "linux") return identityByPs(pid);
  const stat = await readStat(pid);
  if (stat === null || stat.state === "Z" || stat.state === "X") return null;
  return `${await bootId()} ${stat.startTicks}`;
}

/**
 * The processes that a lobby's variables were given to, and which group each is in: the lobby's own leads its group.
 * Only Linux can tell; elsewhere none is found.
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
  // The name of the program stands in parentheses and may hold anything, so the fields are counted from behind it.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "X", group: Number(fields[2]), startTicks: fields[19] ?? "" };
}

/** Start times are counted from the boot, so after another boot the same number means another moment. */
async function bootId(): Promise<string> {
  return (await readFile("/proc/sys/kernel/random/boot_id", "latin1").catch(() => "")).trim();
}

async function identityByPs(pid: number): Promise<string | null> {
  const { stdout } = await run("ps", ["-o", "stat=,lstart=", "-p", String(pid)]).catch(() => ({ stdout: "" }));
  const [state = "Z", ...startedAt] = stdout.trim().split(/\s+/);
  return state.startsWith("Z") || startedAt.length === 0 ? null : startedAt.join(" ");
}

const run = promisify(execFile);
