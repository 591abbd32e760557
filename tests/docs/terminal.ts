import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { until } from "../support/harness.ts";

/** A shell that runs one block after the other, like the terminal of a reader. */
export interface Shell {
  /** Runs the text and gives what it printed. Fails when a command of it fails. */
  run(text: string): Promise<string>;
  /** The folder that the shell is in. */
  folder(): string;
  close(): void;
}

const marker = "@@ end of block in ";

export function openShell(cwd: string, env: NodeJS.ProcessEnv): Shell {
  const child = spawn("bash", ["-e", "-o", "pipefail"], { cwd, env });
  const output = collect(child);
  let folder = cwd;
  return {
    async run(text) {
      const start = output.text().length;
      child.stdin.write(`${text.trimEnd()}\necho "${marker}$PWD"\n`);
      const printed = () => output.text().slice(start);
      await until(() => printed().includes(marker) || child.exitCode !== null, 600_000);
      const [before, after] = printed().split(marker);
      if (after === undefined) throw new Error(`This failed:\n${text}\n${before}`);
      folder = after.trim();
      return before!;
    },
    folder: () => folder,
    close: () => child.stdin.end(),
  };
}

/** A program in a terminal of its own, until Ctrl-C. */
export interface Running {
  output(): string;
  /** Waits until it has printed this. */
  says(text: string): Promise<void>;
  /** Presses Ctrl-C and gives the exit code. */
  end(): Promise<number | null>;
}

export function startInTerminal(text: string, cwd: string, env: NodeJS.ProcessEnv): Running {
  // Without `exec` the signal would end the shell and not the program.
  const child = spawn("bash", ["-c", `exec ${text}`], { cwd, env });
  const output = collect(child);
  return {
    output: output.text,
    async says(wanted) {
      await until(() => output.text().includes(wanted) || child.exitCode !== null, 120_000);
      if (!output.text().includes(wanted)) throw new Error(`${text} ended with ${child.exitCode}:\n${output.text()}`);
    },
    async end() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, "exit");
        child.kill("SIGINT");
        await ended;
      }
      return child.exitCode;
    },
  };
}

function collect(child: ChildProcessWithoutNullStreams) {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
  }
  return { text: () => text };
}
