import { startFoyer } from "../app/main.ts";
import { loadSettings, wantsColours } from "../config/config.ts";
import { isLoopback } from "../ground/local-host.ts";
import { createLog, type Logger } from "../ground/log.ts";
import { packageVersion } from "../ground/package-version.ts";
import { banner } from "./banner.ts";
import { toSignInUrl } from "./sign-in-url.ts";
import { exitOnUncaught, listenForStop } from "./signals.ts";
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
  outliveTerminal();
  for (const warning of warnings) log.warn(warning);
  const { stopped } = listenForStop();

  let foyer: Awaited<ReturnType<typeof startFoyer>>;
  try {
    foyer = await startFoyer(config, log, { showsLines: terminal.isInteractive && config.logFormat !== "json" });
  } catch (error) {
    log.debug({ err: error }, "start failed");
    terminal.err(`foyer: ${explainStartFailure(error, config)}\n`);
    return 1;
  }

  const tokenOrigin = shown.find(({ key }) => key === "admin_token")?.origin ?? "";
  // For a person at this machine only: others could read the address in a log, or could not open it.
  const isFirstHand = terminal.isInteractive && isLoopback(config.host) && config.publicUrl === null;
  const signInUrl = isFirstHand ? toSignInUrl(foyer.url, await foyer.createSignInCode()) : null;
  const text = banner({ ...foyer, signInUrl, tokenOrigin, version: packageVersion() }, terminal);
  // Without a terminal, standard output has only log lines, so that a program can read every one of them.
  if (terminal.isInteractive) terminal.out(text);
  else terminal.err(text);

  const signal = await stopped;
  log.info({ signal }, "stopping");
  // A person who presses Ctrl-C or closes the terminal wants everything stopped; a service manager restarts Foyer without
  // ending the games.
  if (signal !== "SIGTERM") return stop(() => foyer.close({ stopLobbies: true }), log, config.lobbyStopGraceS * 1000);
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

/** What is written after the terminal was closed is lost. That must not end the service before its lobbies have stopped. */
function outliveTerminal(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EIO" && error.code !== "EPIPE") throw error;
    });
  }
}
