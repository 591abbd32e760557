import { createDockerDriver } from "./docker/docker.ts";
import type { DockerOptions } from "./docker/docker-parts.ts";
import { every } from "./every.ts";
import { readNewestText } from "./log-text.ts";
import { createProcessDriver } from "./process.ts";
import type { ProcessOptions } from "./process-parts.ts";
import type { Runtime } from "./runtime.ts";
import { openServerParts, type ServerOptions, type ServerParts } from "./server-parts.ts";

const pruneEveryMs = 10 * 60_000;
/** How long the whole log of an ended lobby stays readable for operators who follow or open it. */
const endedWholeMs = 60 * 60_000;
const endedLogMaxBytes = 1024 * 1024;
const endedKeptMax = 200;
const endedKeptMs = 7 * 24 * 60 * 60_000;

export interface RuntimeOptions extends ServerOptions {
  readonly process: ProcessOptions;
  readonly docker: DockerOptions;
}

/**
 * All drivers of this machine as one. The program of a lobby decides which driver starts it; slots, ports, records and
 * logs are common to all.
 */
export async function openDrivers(options: RuntimeOptions): Promise<Runtime> {
  const parts = openServerParts(options);
  const { logs, slots, exits } = parts;
  for (const { lobbyId, exit } of await parts.records.readAll()) if (exit) exits.remember(lobbyId, exit);
  const process = await createProcessDriver(parts, options.process);
  const docker = await createDockerDriver(parts, options.docker);
  const timer = every(pruneEveryMs, () => prune(parts));
  await prune(parts);

  return {
    start: ({ program, ...lobby }) =>
      program.kind === "process" ? process.start({ ...lobby, program }) : docker.start({ ...lobby, program }),
    stop: async (lobbyId) => (await process.stop(lobbyId)) ?? (await docker.stop(lobbyId)),
    list: async () => [...(await process.list()), ...(await docker.list())],
    isRunning: slots.isRunning,
    exitOf: exits.last,
    room: () => options.processesMax - slots.count(),
    logs: (lobbyId, stream, maxBytes, hide) =>
      readNewestText((from, length) => logs.piece(lobbyId, stream, from, length), maxBytes, hide),
    logPiece: logs.piece,
    unansweredPorts: async (lobbyId) =>
      (await process.unansweredPorts(lobbyId)) ?? (await docker.unansweredPorts(lobbyId)),
    adopt: async (lobbyId, namespaceId) =>
      (await process.adopt(lobbyId, namespaceId)) ?? (await docker.adopt(lobbyId, namespaceId)),
    onExit: exits.onExit,
    async close() {
      clearInterval(timer);
      await process.close();
      await docker.close();
    },
  };
}

async function prune({ records, logs, options }: ServerParts): Promise<void> {
  for (const { lobbyId, at } of await records.prune(options.now() - endedKeptMs, endedKeptMax)) {
    if (at < options.now() - endedWholeMs) await logs.shorten(lobbyId, endedLogMaxBytes);
    // It ended while no service ran.
    else await logs.rotate(lobbyId);
  }
}
