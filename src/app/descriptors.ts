import { readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import type { Server } from "node:net";
import type { Config } from "../config/config.ts";
import { type Logger, throttled } from "../ground/log.ts";

/** For the database, the journal, logs, the metrics port and Node itself. */
const ownDescriptors = 200;
/** Two logs and their rotation. */
const perLobbyProcess = 4;
const probeEveryMs = 2_000;

const wayOut = "Raise the limit (ulimit -n, LimitNOFILE= of systemd, --ulimit nofile= of Docker)";

/**
 * Logs an error when the process has no descriptor left for another connection or file. Without it there would be no
 * sign: the system then closes new connections before the service sees them. Warns at the start when the limit is too
 * low for the settings.
 */
export function watchDescriptors(parts: { config: Config; log: Logger; server: Server }): { stop(): void } {
  const { config, log, server } = parts;
  const limit = descriptorLimit();
  const wanted = wantedDescriptors(config);
  if (limit !== null && limit < wanted) {
    log.warn(
      { limit, wanted },
      `the process may have ${limit} files and connections open, and its settings allow for ${wanted}. ${wayOut}, or lower max_in_flight, max_event_streams, max_watches or max_lobby_processes`,
    );
  }
  const sayOut = throttled((code: string, times) =>
    log.error(
      { code, limit, times },
      `out of file descriptors: new connections are closed without an answer, and files cannot be opened. ${wayOut}, or find out which clients have so many connections open (foyer_http_connections)`,
    ),
  );
  server.on("error", (error: NodeJS.ErrnoException) => {
    if (isOutOfDescriptors(error)) sayOut(error.code!);
    // If the server cannot listen at all, the start reports it.
    else if (server.listening) log.error({ err: error }, "a connection could not be accepted");
  });
  const timer = setInterval(() => {
    open("/dev/null").then(
      (file) => file.close(),
      (error: NodeJS.ErrnoException) => {
        if (isOutOfDescriptors(error)) sayOut(error.code!);
      },
    );
  }, probeEveryMs).unref();
  return { stop: () => clearInterval(timer) };
}

/**
 * The most that the settings allow at one time. Requests that wait for a lobby are not counted: few services have many.
 */
export function wantedDescriptors(config: Config): number {
  const { maxInFlight, maxEventStreams, maxWatches, maxLogFollowers, maxLobbyProcesses } = config;
  const streams = maxEventStreams + maxWatches + maxLogFollowers;
  return ownDescriptors + maxInFlight + streams + maxLobbyProcesses * perLobbyProcess;
}

/** Null: there is no limit, or the system does not report it. */
export function descriptorLimit(): number | null {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"));
    return found ? Number(found[1]) : null;
  } catch {
    return null;
  }
}

/** EMFILE: the process has none left; ENFILE: the machine. */
const isOutOfDescriptors = ({ code }: NodeJS.ErrnoException) => code === "EMFILE" || code === "ENFILE";
