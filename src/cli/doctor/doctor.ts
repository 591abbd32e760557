import { ConfigError, loadSettings } from "../../config/config.ts";
import { redact } from "../../ground/redact.ts";
import { exitCodes } from "../remote/exit-codes.ts";
import { bold, type Terminal } from "../terminal.ts";
import { checks, type Finding } from "./checks.ts";

/** `foyer doctor`: checks what Foyer needs here, without starting it. Exits with 1 when something keeps it from working. */
export async function doctor(argv: readonly string[], terminal: Terminal): Promise<number> {
  const show = (name: string, finding: Finding) => terminal.out(line(terminal, name, finding));
  const loaded = load(argv);
  if (loaded instanceof ConfigError) {
    for (const text of loaded.issues) show("settings", { kind: "problem", text });
    terminal.out(`\n${bold(terminal, "Correct the settings first; the rest cannot be checked without them.")}\n`);
    return exitCodes.failed;
  }
  const { config, warnings } = loaded;
  show("settings", { kind: "fine", text: "each has a valid value (foyer config lists them)" });
  for (const text of warnings) show("settings", { kind: "note", text });
  let problems = 0;
  for (const check of checks) {
    const found = await findAll(() => check.run(config, terminal.now));
    for (const finding of found) show(check.name, finding);
    problems += found.filter(({ kind }) => kind === "problem").length;
  }
  const toSolve = problems === 1 ? "1 problem to solve." : `${problems} problems to solve.`;
  const summary = problems === 0 ? "Nothing keeps Foyer from working here." : toSolve;
  terminal.out(`\n${bold(terminal, summary)}\n`);
  return problems === 0 ? 0 : 1;
}

function load(argv: readonly string[]): ReturnType<typeof loadSettings> | ConfigError {
  try {
    return loadSettings({ argv });
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

async function findAll(run: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await run();
  } catch (error) {
    return [{ kind: "problem", text: redact(error instanceof Error ? error.message : String(error)) }];
  }
}

const marks = { fine: ["ok", 32], note: ["note", 33], problem: ["problem", 31] } as const;

function line({ colours }: Terminal, name: string, { kind, text }: Finding): string {
  const [word, colour] = marks[kind];
  const mark = word.padEnd(8);
  return `${colours ? `\u001b[${colour}m${mark}\u001b[0m` : mark} ${name.padEnd(12)} ${redact(text)}\n`;
}
