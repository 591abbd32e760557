import { type SettingKey, settings } from "../../config/settings.ts";
import { isSecret, settingKeys, toFlag } from "../../config/sources.ts";
import { operationList } from "../../contract/index.ts";
import { type CommandName, commands } from "../commands.ts";
import { helpTopics } from "../help-topics.ts";
import { confirmFlags } from "../remote/call.ts";
import { connectionFlags, type Flags } from "../remote/flags.ts";
import { operationAliases } from "../remote/operation-aliases.ts";
import { operationFlags } from "../remote/operation-input.ts";

/** A word that may come next, and what it means. */
export interface Choice {
  readonly word: string;
  readonly description: string;
}

/** What follows a flag: a file, a folder, one of some words, or anything. */
export type Value = "file" | "folder" | "anything" | readonly string[];

/** What may come next, by the words before it. All shells complete from this. */
export interface CompletionModel {
  /** `""`: the commands; `games namespaces`: what follows those two words. */
  readonly words: ReadonlyMap<string, readonly Choice[]>;
  /** The flags after these words, and after more words than these. */
  readonly flags: ReadonlyMap<string, readonly Choice[]>;
  /** Flags without a value; the word after them is not theirs. */
  readonly switches: readonly string[];
  /** Flags whose values are not just anything. */
  readonly values: ReadonlyMap<string, Value>;
  /** Commands whose words are files. */
  readonly fileCommands: readonly string[];
}

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

export function createModel(): CompletionModel {
  const names = Object.keys(commands) as CommandName[];
  const words = new Map<string, Choice[]>();
  words.set("", [
    ...names.map((name) => ({ word: name, description: commands[name].summary })),
    ...operationAliases.map((name) => ({ word: name, description: `Operations of ${name}: foyer call ${name} …` })),
  ]);
  words.set("help", [
    ...names.map((name) => ({ word: name, description: commands[name].summary })),
    ...Object.entries(helpTopics).map(([word, { summary }]) => ({ word, description: summary })),
  ]);
  words.set(
    "completion",
    shells.map((shell) => ({ word: shell, description: `The script for ${shell}.` })),
  );
  words.set("lobbies", [
    { word: "list", description: "List the lobbies." },
    { word: "close", description: "Keep find away from a lobby." },
    { word: "open", description: "Undo close." },
    { word: "stop", description: "End a lobby." },
  ]);
  words.set(
    "call",
    operationList.map(([id, { summary }]) => ({ word: id, description: summary })),
  );
  for (const [id, { summary }] of operationList) addAliasWords(words, id, summary);

  const sets = new Map<string, Flags>(names.map((name) => [name, flagsOf(name)]));
  for (const [id, operation] of operationList) {
    const flags = { ...operationFlags(operation), ...confirmFlags(operation), ...connectionFlags };
    sets.set(`call ${id}`, flags);
    if (operationAliases.includes(id.split(".")[0]!)) sets.set(id.replaceAll(".", " "), flags);
  }
  return {
    words,
    flags: new Map([...sets].map(([line, flags]) => [line, toChoices(flags)])),
    ...describeValues([...sets.values()]),
    fileCommands: ["backup", "export", "import"],
  };
}

/** `games.namespaces.lobbies.list` is `games namespaces lobbies list`. */
function addAliasWords(words: Map<string, Choice[]>, id: string, summary: string): void {
  const parts = id.split(".");
  if (!operationAliases.includes(parts[0]!)) return;
  for (let count = 1; count < parts.length; count++) {
    const line = parts.slice(0, count).join(" ");
    const word = parts[count]!;
    const known = words.get(line) ?? [];
    const isLast = count === parts.length - 1;
    if (known.some((choice) => choice.word === word)) continue;
    words.set(line, [...known, { word, description: isLast ? summary : `Operations of ${word}.` }]);
  }
}

function flagsOf(name: CommandName): Flags {
  const command: { readonly takesSettings?: boolean; readonly flags?: Flags } = commands[name];
  const help = { help: { value: null, description: "Describe the command." } };
  if (!command.takesSettings) return { ...command.flags, ...help };
  const entries = settingKeys.filter((key) => !isSecret(key)).flatMap(settingFlags);
  const config = { value: "FILE", description: "Read settings from this file." };
  return { ...command.flags, ...Object.fromEntries(entries), config, ...help };
}

/** A flag, or two for what is on or off. */
function settingFlags(key: SettingKey): [string, Flags[string]][] {
  const { kind, fallback, description } = settings[key];
  const name = toFlag(key).slice(2);
  if (typeof fallback !== "boolean") return [[name, { value: kind.placeholder, description }]];
  return [name, `no-${name}`].map((each) => [each, { value: null, description }]);
}

function toChoices(flags: Flags): Choice[] {
  return Object.entries(flags).flatMap(([name, { description, short }]) => [
    { word: `--${name}`, description },
    ...(short === undefined ? [] : [{ word: `-${short}`, description }]),
  ]);
}

function describeValues(sets: readonly Flags[]): Pick<CompletionModel, "switches" | "values"> {
  const switches = new Set<string>();
  const values = new Map<string, Value>();
  for (const [name, { value, short }] of sets.flatMap((flags) => Object.entries(flags))) {
    const forms = [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
    const kind = value === null ? null : readPlaceholder(value);
    for (const form of forms) {
      if (kind === null) switches.add(form);
      else if (kind !== "anything") values.set(form, kind);
    }
  }
  return { switches: [...switches].sort(), values };
}

function readPlaceholder(placeholder: string): Value {
  if (placeholder === "FILE") return "file";
  if (placeholder === "DIR") return "folder";
  return /^[\w.-]+(?:\|[\w.-]+)+$/.test(placeholder) ? placeholder.split("|") : "anything";
}
