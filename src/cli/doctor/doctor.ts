import { loadSettings } from "../../config/config.ts";
import { redact } from "../../ground/redact.ts";
import { bold, type Terminal } from "../terminal.ts";
import { checks, type Finding } from "./checks.ts";

/** `foyer doctor`: checks what Foyer needs here, without starting it. Exits with 1 when something keeps it from working. */
export async function doctor(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { config, warnings } = loadSettings({ argv });
  const show = (name: string, finding: Finding) => terminal.out(line(terminal, name, finding));
  show("settings", { kind: "fine", text: "each has a valid value (foyer config lists them)" });
  for (const text of warnings) show("settings", { kind: "note", text });
  let problems = 0;
  for (const check of checks) {
    const found = await findAll(() => check.run(config, terminal.now));
    for (const finding of found) show(check.name, finding);
    problems += found.filter(({ kind }) => kind === "problem").length;
  }
  const summary = problems === 0 ? "Nothing keeps Foyer from working here." : `${problems} to solve.`;
  terminal.out(`\n${bold(terminal, summary)}\n`);
  return problems === 0 ? 0 : 1;
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
