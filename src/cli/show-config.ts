import { loadSettings } from "../config/config.ts";
import { bold, dim, type Terminal } from "./terminal.ts";

/** `foyer config`: one line per setting, with its value and where that came from. */
export function showConfig(argv: readonly string[], terminal: Terminal): number {
  const { shown, warnings } = loadSettings({ argv });
  const keyWidth = Math.max(...shown.map(({ key }) => key.length)) + 2;
  const originWidth = Math.max(...shown.map(({ origin }) => origin.length)) + 2;
  const line = (key: string, origin: string, value: string) =>
    `${key.padEnd(keyWidth)}${origin.padEnd(originWidth)}${value}`;

  terminal.out(`${bold(terminal, line("setting", "from", "value"))}\n`);
  for (const { key, value, origin } of shown) {
    const text = line(key, origin, value);
    terminal.out(`${origin === "default" ? dim(terminal, text) : text}\n`);
  }
  for (const warning of warnings) terminal.err(`foyer: ${warning}\n`);
  return 0;
}
