import { run } from "../../src/cli/run.ts";

/** Runs a command in this process, without a terminal. */
export async function runFoyer(argv: readonly string[], onErr: (text: string) => void = () => {}) {
  const written = { out: "", err: "" };
  const code = await run(argv, {
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
      onErr(text);
    },
    isInteractive: false,
    colours: false,
    columns: 80,
    now: Date.now,
  });
  return { code, ...written };
}
