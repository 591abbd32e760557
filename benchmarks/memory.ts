import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { markdownTable } from "./table.ts";

export const question = "How much memory does a lobby take, and a player?";

/** Bytes, as the child process found them. */
export interface Measured {
  readonly what: string;
  readonly heap: number;
  readonly resident: number;
}

/** In a process of its own, whose garbage collector can be called. */
export async function run(): Promise<string> {
  const child = fileURLToPath(new URL("memory-child.ts", import.meta.url));
  const flags = ["--expose-gc", "--import", "tsx"];
  const { stdout, stderr, status } = spawnSync(process.execPath, [...flags, child], { encoding: "utf8" });
  if (status !== 0) throw new Error(`The measuring process ended with ${status}:\n${stderr}`);
  const measured = JSON.parse(stdout) as Measured[];
  const rows = measured.map(({ what, heap, resident }) => [
    what,
    String(Math.round(heap)),
    String(Math.round(resident)),
  ]);
  return markdownTable(["each", "bytes of heap", "bytes resident"], rows);
}
