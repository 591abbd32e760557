import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll } from "vitest";
import { until } from "./harness.ts";
import { root } from "./repository.ts";

interface Surroundings {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The built command on a terminal, with a person's hands. */
export interface AtTerminal {
  /** What the terminal got, with colours and cursor moves. */
  output(): string;
  /** What a person reads. */
  plain(): string;
  type(text: string): void;
  shows(text: string | RegExp): Promise<void>;
  /** Ctrl-C, and the exit code. */
  interrupt(): Promise<number | null>;
  readonly ended: Promise<number | null>;
}

const ctrlC = "\u0003";
const foyer = join(root, "dist/cli/foyer.js");
const running = new Set<ChildProcess>();

afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
});

/** `script` gives the command a terminal of 100 columns. */
export function atTerminal(args: readonly string[], { cwd, env = {} }: Surroundings): AtTerminal {
  const command = [process.execPath, foyer, ...args].map((part) => `'${part.replaceAll("'", "'\\''")}'`).join(" ");
  const child = spawn("script", ["-qfec", `stty cols 100 rows 40; exec ${command}`, "/dev/null"], {
    cwd,
    env: { PATH: process.env.PATH, TERM: "xterm", SHELL: "/bin/sh", XDG_CONFIG_HOME: cwd, HOME: cwd, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  running.add(child);
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const ended = once(child, "close").then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  const plain = () => stripCodes(output);
  const type = (text: string) => void child.stdin.write(text);
  return {
    output: () => output,
    plain,
    type,
    shows: (text) =>
      until(() => (typeof text === "string" ? plain().includes(text) : text.test(plain()))).catch(() => {
        throw new Error(`The terminal does not show ${text}, but:\n${plain()}`);
      }),
    interrupt() {
      type(ctrlC);
      return ended;
    },
    ended,
  };
}

/** The built command without a terminal. */
export async function withoutTerminal(
  args: readonly string[],
  { cwd, env = {}, input = "" }: Surroundings & { readonly input?: string },
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [foyer, ...args], {
    cwd,
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: cwd, HOME: cwd, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  running.add(child);
  const written = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    written.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    written.err += text;
  });
  child.stdin.end(input);
  const [code] = await once(child, "close");
  running.delete(child);
  return { code: code as number | null, ...written };
}

function stripCodes(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours and cursor moves are what this removes.
  return text.replace(/\u001b\[[0-9;?]*[a-zA-Z]/g, "");
}
