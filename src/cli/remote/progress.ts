import type { Terminal } from "../terminal.ts";

/** A line that is rewritten while something takes long. Not on a terminal: nothing but the last line. */
export interface Progress {
  update(text: string): void;
  /** Leaves this line, and begins a new one. */
  done(text: string): void;
  /** Removes the line, if there is one. */
  clear(): void;
}

const everyMs = 100;

export function createProgress(terminal: Terminal): Progress {
  let lastAt = 0;
  let isShown = false;
  return {
    update(text) {
      const now = performance.now();
      if (!terminal.isInteractive || now - lastAt < everyMs) return;
      lastAt = now;
      isShown = true;
      // A line that wraps could not be rewritten.
      terminal.err(`\r\u001b[2K${text.slice(0, terminal.columns - 1)}`);
    },
    done(text) {
      isShown = false;
      terminal.err(terminal.isInteractive ? `\r\u001b[2K${text}\n` : `${text}\n`);
    },
    clear() {
      if (isShown) terminal.err("\r\u001b[2K");
      isShown = false;
    },
  };
}

const barWidth = 20;

/** `[#####...............]  25 % of 24.0 MiB`. */
export function bar(done: number, all: number): string {
  const share = all === 0 ? 1 : Math.min(1, done / all);
  const filled = Math.round(share * barWidth);
  const percent = String(Math.round(share * 100)).padStart(3);
  return `[${"#".repeat(filled).padEnd(barWidth, ".")}] ${percent} % of ${mib(all)}`;
}

export const mib = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
