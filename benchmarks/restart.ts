import { serveFoyer } from "./server-process.ts";
import { markdownTable } from "./table.ts";
import { makeWorld } from "./world.ts";

export const question = "How long is the service away when it restarts with everything in its journal?";

const times = 3;

/** From the start of the process to the first `/readyz` that says 200. */
export async function run(): Promise<string> {
  const rows: string[][] = [];
  for (const { lobbies, playersPerLobby } of [
    { lobbies: 0, playersPerLobby: 0 },
    { lobbies: 100_000, playersPerLobby: 10 },
  ]) {
    const world = await makeWorld({ lobbies, taggedLobbies: 0, playersPerLobby });
    try {
      const measured: { seconds: number; cpuS: number }[] = [];
      for (let i = 0; i < times; i++) measured.push(await restartOnce(world.folder));
      measured.sort((a, b) => a.seconds - b.seconds);
      const { seconds, cpuS } = measured[Math.floor(times / 2)]!;
      const count = (number: number) => number.toLocaleString("en");
      rows.push([count(lobbies), count(lobbies * playersPerLobby), seconds.toFixed(2), cpuS.toFixed(2)]);
    } finally {
      world.remove();
    }
  }
  const head = ["lobbies", "players", "ready after s", "CPU s, all threads"];
  return `medians of ${times} restarts\n\n${markdownTable(head, rows)}`;
}

async function restartOnce(folder: string): Promise<{ seconds: number; cpuS: number }> {
  const startedAt = performance.now();
  const server = await serveFoyer(folder);
  try {
    const seconds = (performance.now() - startedAt) / 1000;
    return { seconds, cpuS: (await server.cpuMicroseconds()) / 1e6 };
  } finally {
    await server.stop();
  }
}
