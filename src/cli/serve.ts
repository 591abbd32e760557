import { startFoyer } from "../app/main.ts";
import { loadSettings, wantsColours } from "../config/config.ts";
import { createLog, type Logger } from "../ground/log.ts";
import { packageVersion } from "../ground/package-version.ts";
import { banner } from "./banner.ts";
import { explainStartFailure } from "./start-failure.ts";
import type { Terminal } from "./terminal.ts";

/**
 * `foyer serve`: runs until a signal, then stops within ten seconds. After Ctrl-C it first stops its lobbies within their grace period.
 */
export async function serve(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { config, shown, warnings } = loadSettings({ argv });
  const log = createLog({
    level: config.logLevel,
    format: config.logFormat,
    colours: wantsColours(process.stdout),
    secrets: [config.adminToken, config.secret, config.previousSecret].filter((text) => text !== null),
  });
  exitOnUncaught(log);
  for (const warning of warnings) log.warn(warning);
  const stopRequested = stopSignal();

  let foyer: Awaited<ReturnType<typeof startFoyer>>;
  try {
    foyer = await startFoyer(config, log);
  } catch (error) {
    log.debug({ err: error }, "start failed");
    terminal.err(`foyer: ${explainStartFailure(error, config)}\n`);
    return 1;
  }

  const tokenOrigin = shown.find(({ key }) => key === "admin_token")?.origin ?? "";
  const text = banner({ ...foyer, tokenOrigin, version: packageVersion() }, terminal);
  // Without a terminal, standard output has only log lines, so that a program can read every one of them.
  if (terminal.isInteractive) terminal.out(text);
  else terminal.err(text);

  const signal = await stopRequested;
  log.info({ signal }, "stopping");
  // A person who presses Ctrl-C wants everything stopped; a service manager restarts Foyer without ending the games.
  if (signal === "SIGINT") return stop(() => foyer.close({ stopLobbies: true }), log, config.lobbyStopGraceS * 1000);
  return stop(() => foyer.close(), log);
}

const stopWithinMs = 10_000;

async function stop(close: () => Promise<void>, log: Logger, lobbiesWithinMs = 0): Promise<number> {
  const withinMs = stopWithinMs + lobbiesWithinMs;
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<"too late">((resolve) => {
    timer = setTimeout(() => resolve("too late"), withinMs);
  });
  try {
    const outcome = await Promise.race([close(), tooLate]);
    if (outcome !== "too late") {
      log.info("stopped");
      return 0;
    }
    log.error(`the service did not stop within ${withinMs} ms; exiting now`);
  } catch (error) {
    log.error({ err: error }, "the service did not stop cleanly");
  } finally {
    clearTimeout(timer);
  }
  return 1;
}

/** Resolves at the first SIGINT or SIGTERM; a later SIGINT ends the process immediately. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const onSignal = (signal: NodeJS.Signals) => {
      const now = performance.now();
      if (firstAt === undefined) {
        firstAt = now;
        resolve(signal);
      } else if (signal === "SIGINT" && now - firstAt > sameKeyPressMs) {
        process.exit(130);
      }
    };
    process.on("SIGINT", onSignal);
    process.on("SIGTERM", onSignal);
  });
}

// Under npm, one Ctrl-C arrives twice: from the terminal and, on a busy machine a little later, from npm.
const sameKeyPressMs = 1_000;

/** After an uncaught error the state of the process is unknown, so it logs the error and exits. */
function exitOnUncaught(log: Logger): void {
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => {
      log.fatal({ err: error instanceof Error ? error : new Error(String(error)) }, event);
      process.exit(1);
    });
  }
}
