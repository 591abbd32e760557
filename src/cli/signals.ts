import type { Logger } from "../ground/log.ts";

/** Resolves at the first SIGINT, SIGTERM or SIGHUP, which closing the terminal sends; a later SIGINT ends the process immediately. */
export function stopSignal(): Promise<NodeJS.Signals> {
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
    process.on("SIGHUP", onSignal);
  });
}

// Under npm, one Ctrl-C arrives twice: from the terminal and, on a busy machine a little later, from npm.
const sameKeyPressMs = 1_000;

/** After an uncaught error the state of the process is unknown, so it logs the error and exits. */
export function exitOnUncaught(log: Logger): void {
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => {
      log.fatal({ err: error instanceof Error ? error : new Error(String(error)) }, event);
      process.exit(1);
    });
  }
}
