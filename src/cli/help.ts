import { settingGroups } from "../config/setting.ts";
import { type SettingKey, settings } from "../config/settings.ts";
import { defaultConfigFile, isSecret, mayBeInFile, settingKeys, toFlag, toVariable } from "../config/sources.ts";
import { type CommandName, commands } from "./commands.ts";
import { type HelpTopic, helpTopics } from "./help-topics.ts";
import type { Flags } from "./remote/flags.ts";
import { bold, dim, type Terminal } from "./terminal.ts";

type Page = Pick<Terminal, "columns" | "colours">;

/** `foyer help`. */
export function overview(page: Page): string {
  const names = Object.keys(commands) as CommandName[];
  return [
    `${bold(page, "Foyer")}: a self-hosted matchmaker for multiplayer games.`,
    section(page, "Usage", ["  foyer [COMMAND] [FLAGS]"]),
    section(
      page,
      "Commands",
      names.map((name) => columns(page, name, 10, commands[name].summary)),
    ),
    section(
      page,
      "More help",
      (Object.keys(helpTopics) as HelpTopic[]).map((topic) =>
        columns(page, `foyer help ${topic}`, 24, helpTopics[topic].summary),
      ),
    ),
    section(page, "Examples", [
      ...exampleLines(page, commands.serve.examples),
      ...exampleLines(page, commands.backup.examples.slice(0, 1)),
    ]),
    section(page, "Settings", [settingsNote(page)]),
    "",
  ].join("\n");
}

/** `foyer help TOPIC`. */
export function topicHelp(topic: HelpTopic, page: Page): string {
  const { summary, rows } = helpTopics[topic];
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, text]) => columns(page, name, width, text));
  return `${bold(page, summary)}\n\n${lines.join("\n")}\n`;
}

/** `foyer help COMMAND`. */
export function commandHelp(name: CommandName, page: Page): string {
  const { usage, details, examples, takesSettings, flags = {} } = { takesSettings: false, ...commands[name] } as Shown;
  const parts = [`${bold(page, "Usage:")} ${usage}\n`, wrap(details, page.columns).join("\n")];
  if (examples.length > 0) parts.push(section(page, "Examples", exampleLines(page, examples)));
  if (Object.keys(flags).length > 0) parts.push(section(page, "Flags", flagLines(page, flags)));
  if (takesSettings && name !== "serve") parts.push(section(page, "Settings", [settingsNote(page)]));
  if (name === "serve") parts.push(section(page, "Settings", [settingsNote(page, false)]), ...settingSections(page));
  return `${parts.join("\n")}\n`;
}

type Shown = (typeof commands)["serve"] & { readonly flags?: Flags };

/** One line for each flag, or more when its description is long. */
export function flagLines(page: Page, flags: Flags): string[] {
  return Object.entries(flags).map(([name, { value, description, short }]) => {
    const left = `${short === undefined ? "" : `-${short}, `}--${name}${value === null ? "" : ` ${value}`}`;
    return columns(page, left, 26, description);
  });
}

function settingsNote(page: Page, pointsToList = true): string {
  const key: SettingKey = "data_dir";
  const text = `Each setting is a flag, a variable or a key of ${defaultConfigFile}, in this order of strength: ${toFlag(key)} DIR, ${toVariable(key)}=DIR, { "${key}": "DIR" }. Another file: --config FILE or FOYER_CONFIG. ${pointsToList ? "All of them: foyer help serve. " : ""}The values in use: foyer config. Secrets cannot be flags; ${fileNames} may be in a file that FOYER_…_FILE names.`;
  return wrap(text, page.columns - 2)
    .map((line) => `  ${line}`)
    .join("\n");
}

const fileNames = settingKeys.filter(mayBeInFile).join(", ");

function settingSections(page: Page): string[] {
  return settingGroups.map((group) => {
    const keys = settingKeys.filter((key) => settings[key].group === group);
    return section(
      page,
      group,
      keys.map((key) => columns(page, flagUsage(key), 30, `${settings[key].description} ${describeDefault(key)}`)),
    );
  });
}

function flagUsage(key: SettingKey): string {
  const { placeholder } = settings[key].kind;
  if (isSecret(key)) return `${toVariable(key)}[_FILE]`;
  if (typeof settings[key].fallback === "boolean") return toFlag(key).replace("--", "--[no-]");
  // A long list of choices would leave no room for the description, which then names the choices.
  return `${toFlag(key)} ${placeholder.length > 20 ? "CHOICE" : placeholder}`;
}

function describeDefault(key: SettingKey): string {
  const { kind, fallback, absent } = { absent: undefined, ...settings[key] };
  const choices = kind.placeholder.length > 20 ? `${kind.allowed}; ` : "";
  if (fallback === null) return `(default: ${absent})`;
  return `(${choices}default: ${String(fallback) || "none"})`;
}

function exampleLines(page: Page, examples: readonly (readonly [string, string])[]): string[] {
  return examples.flatMap(([command, effect]) => [`  ${command}`, `      ${dim(page, effect)}`]);
}

function section(page: Page, title: string, lines: readonly string[]): string {
  return `\n${bold(page, `${title}:`)}\n${lines.join("\n")}`;
}

/** A left column of the given width, and wrapped text beside it; below it when the left side is too long. */
function columns(page: Page, left: string, width: number, text: string): string {
  const indent = " ".repeat(width + 4);
  const lines = wrap(text, page.columns - indent.length).map((line) => indent + line);
  if (left.length > width) return [`  ${left}`, ...lines].join("\n");
  return [`  ${left.padEnd(width + 2)}${lines[0]?.trimStart() ?? ""}`, ...lines.slice(1)].join("\n");
}

export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line ? `${line} ${word}` : word;
    }
  }
  return [...lines, line];
}
