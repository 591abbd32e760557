import { constants } from "node:os";
import type { Logger } from "../ground/log.ts";

/** Ctrl-C, a service manager, and a terminal that is closed. */
const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface StopRequest {
  /** Aborts at the first of these signals. */
  readonly signal: AbortSignal;
  /** Resolves with that one. */
  readonly stopped: Promise<NodeJS.Signals>;
  /** What a command exits with that did not finish because of it: 130 after Ctrl-C. */
  exitCode(): number;
  stopListening(): void;
}

/** The one way in which commands and the service notice signals. A later SIGINT ends the process immediately. */
export function listenForStop(): StopRequest {
  const controller = new AbortController();
  let note: (name: NodeJS.Signals) => void;
  const stopped = new Promise<NodeJS.Signals>((resolve) => {
    note = resolve;
  });
  let first: { readonly name: NodeJS.Signals; readonly at: number } | undefined;
  const onSignal = (name: NodeJS.Signals) => {
    const at = performance.now();
    if (first === undefined) {
      first = { name, at };
      controller.abort();
      note(name);
    } else if (name === "SIGINT" && at - first.at > sameKeyPressMs) {
      process.exit(130);
    }
  };
  for (const name of stopSignals) process.on(name, onSignal);
  return {
    signal: controller.signal,
    stopped,
    exitCode: () => 128 + constants.signals[first?.name ?? "SIGINT"],
    stopListening() {
      for (const name of stopSignals) process.off(name, onSignal);
    },
  };
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
