import { type SettingKey, settings } from "../../config/settings.ts";
import { isSecret, settingKeys, toFlag } from "../../config/sources.ts";
import { type OperationId, operationList, operations } from "../../contract/index.ts";
import { type CommandName, commands } from "../commands.ts";
import { helpTopics } from "../help-topics.ts";
import { confirmFlags } from "../remote/call.ts";
import { connectionFlags, type Flags } from "../remote/flags.ts";
import { operationAliases } from "../remote/operation-aliases.ts";
import { operationFlags } from "../remote/operation-input.ts";
import { findOperation, operationsBelow } from "../remote/operation-names.ts";
import { shells } from "./scripts.ts";

/** A word that may come next, and what it means. */
type Choice = readonly [word: string, description: string];

/**
 * `foyer __complete WORDS…`: what may follow the words of a command line, the last of which is unfinished. Each line is a
 * choice and its description, or says that the shell itself knows: `:file`, `:folder` or `:command`.
 */
export function complete(given: readonly string[]): string[] {
  // bash makes a word of each equals sign.
  const words = given.map((word) => (word === "=" ? "" : word));
  const current = words.at(-1) ?? "";
  const line: string[] = [];
  let open: string | null = null;
  for (const [index, word] of words.slice(0, -1).entries()) {
    if (word === "") continue;
    if (open !== null) open = null;
    else if (word === "--") return [index === words.length - 2 ? ":command" : ":file"];
    else if (word.startsWith("-")) open = valueAfter(flagsAfter(line), word);
    else line.push(word);
  }
  if (open !== null) return describe(valuesOf(open), current);
  const [, flag] = /^(--[\w-]+)=/.exec(current) ?? [];
  if (flag !== undefined) {
    const values = valuesOf(valueAfter(flagsAfter(line), flag) ?? "");
    return typeof values === "string"
      ? []
      : describe(
          values.map(([word]) => [`${flag}=${word}`, ""]),
          current,
        );
  }
  if (current.startsWith("-")) return describe(toChoices(flagsAfter(line)), current);
  return describe(wordsAfter(line), current);
}

function describe(found: readonly Choice[] | string, current: string): string[] {
  if (typeof found === "string") return found === "" ? [] : [found];
  return found.filter(([word]) => word.startsWith(current)).map((choice) => choice.join("\t"));
}

/** What stands for the value of a flag; null: it takes none. */
function valueAfter(flags: Flags, given: string): string | null {
  const name = given.replace(/^--?/, "");
  const flag = given.startsWith("--") ? flags[name] : Object.values(flags).find(({ short }) => short === name);
  return flag?.value ?? null;
}

function valuesOf(placeholder: string): readonly Choice[] | string {
  if (placeholder === "FILE") return ":file";
  if (placeholder === "DIR") return ":folder";
  return /^[\w.-]+(?:\|[\w.-]+)+$/.test(placeholder) ? placeholder.split("|").map((word) => [word, ""]) : "";
}

const names = Object.keys(commands) as CommandName[];
const isCommand = (word: string): word is CommandName => Object.hasOwn(commands, word);

function wordsAfter(line: readonly string[]): readonly Choice[] | string {
  const [first, ...rest] = line;
  if (first === undefined) {
    return [
      ...names.map((name): Choice => [name, commands[name].summary]),
      ...operationAliases.map((name): Choice => [name, `Operations of ${name}: foyer call ${name} …`]),
    ];
  }
  if (operationAliases.includes(first)) return operationWords(line);
  if (["backup", "export", "import"].includes(first)) return ":file";
  return rest.length > 0 ? [] : (firstWords[first]?.() ?? []);
}

const firstWords: Readonly<Record<string, () => Choice[]>> = {
  help: () => [
    ...names.map((name): Choice => [name, commands[name].summary]),
    ...Object.entries(helpTopics).map(([name, { summary }]): Choice => [name, summary]),
  ],
  completion: () => shells.map((shell) => [shell, `The script for ${shell}.`]),
  lobbies: () => [
    ["list", "List the lobbies."],
    ["close", "Keep find away from a lobby."],
    ["open", "Undo close."],
    ["stop", "End a lobby."],
  ],
  call: () => operationList.map(([id, { summary }]) => [id, summary]),
};

/** `games.namespaces.lobbies.list` is `games namespaces lobbies list`. */
function operationWords(line: readonly string[]): Choice[] {
  const found = new Map<string, string>();
  for (const id of operationsBelow(line)) {
    const [word = "", ...more] = id.split(".").slice(line.length);
    found.set(word, more.length > 0 ? `Operations of ${word}.` : operations[id].summary);
  }
  return [...found];
}

function flagsAfter(line: readonly string[]): Flags {
  const [first = "serve", ...rest] = line;
  const words = first === "call" ? rest : operationAliases.includes(first) ? line : null;
  const id = words === null ? null : operationOf(words);
  if (id !== null) return { ...operationFlags(operations[id]), ...confirmFlags(operations[id]), ...connectionFlags };
  return isCommand(first) ? commandFlags(first) : {};
}

function operationOf(words: readonly string[]): OperationId | null {
  try {
    return findOperation(words).id;
  } catch {
    // It is not finished.
    return null;
  }
}

function commandFlags(name: CommandName): Flags {
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
  return Object.entries(flags).flatMap(([name, { description, short }]): Choice[] => [
    [`--${name}`, description],
    ...(short === undefined ? [] : [[`-${short}`, description] as const]),
  ]);
}
