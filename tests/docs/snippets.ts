import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/repository.ts";

/** A code block of a page, or a comment that runs like one. CONTRIBUTING.md, "Snippets in the docs", describes them. */
export interface Snippet {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  /** What follows the language. */
  readonly info: string;
  readonly text: string;
}

/** Blocks that are no code, or code that another program reads. */
const plain = ["text", "ini", "yaml", "dockerfile", "nginx", "html", "css", "sql", "diff"];
const shells = ["sh", "js", "py"];

export function readSnippets(page: string): Snippet[] {
  const text = readFileSync(join(root, page), "utf8");
  const pattern = /^```(\S*)[ \t]*([^\n]*)\n(.*?)^```$|^<!-- (sh) (run)\n(.*?)^-->$/gms;
  return [...text.matchAll(pattern)].map((match) => ({
    page,
    line: text.slice(0, match.index).split("\n").length,
    language: match[1] ?? match[4]!,
    info: (match[2] ?? match[5]!).trim(),
    text: match[3] ?? match[6]!,
  }));
}

export type SnippetUse =
  | { readonly type: "run" }
  | { readonly type: "background"; readonly until: string }
  | { readonly type: "file"; readonly name: string }
  | { readonly type: "output" }
  | { readonly type: "json"; readonly schema: string | null }
  | { readonly type: "none" }
  | { readonly type: "unclear" };

/** What a test does with a block. */
export function useOf({ language, info }: Snippet): SnippetUse {
  if (language !== "" && /^not-run: \S.{5,}/.test(info)) return { type: "none" };
  const file = /^file=([\w][\w./-]*)$/.exec(info)?.[1];
  if (file !== undefined && language !== "" && !file.includes("..")) return { type: "file", name: file };
  const until = /^background until=(\S+)$/.exec(info)?.[1];
  if (until !== undefined && language === "sh") return { type: "background", until };
  if (info === "run" && [...shells, "console"].includes(language)) return { type: "run" };
  if (language === "json" && /^\w*$/.test(info)) return { type: "json", schema: info === "" ? null : info };
  if (info !== "") return { type: "unclear" };
  if (language === "output") return { type: "output" };
  return plain.includes(language) ? { type: "none" } : { type: "unclear" };
}

/** What a part of the script must print; `out` is the name of the file that has it. */
export interface Expected {
  readonly where: string;
  readonly out: string;
  readonly text: string;
}

/** The bash script that runs a page's blocks in their order. Its own last line is printed to `steps`. */
export function toScript(snippets: readonly Snippet[]): { script: string; expected: Expected[] } {
  // A page may change the folder; what its blocks print stays in the first one.
  const lines = ["set -e -o pipefail", 'FIRST_FOLDER="$PWD"'];
  const inFirst = (name: string) => `"$FIRST_FOLDER/${name}"`;
  const expected: Expected[] = [];
  let lastOut = "";
  for (const [index, snippet] of snippets.entries()) {
    const where = `${snippet.page}:${snippet.line}`;
    const out = `snippet-${index}.out`;
    const use = useOf(snippet);
    if (use.type === "output") expected.push({ where, out: lastOut, text: snippet.text });
    if (use.type === "none" || use.type === "unclear" || use.type === "output" || use.type === "json") continue;
    lines.push(`echo ${where} >>${inFirst("steps")}`);
    if (use.type === "file") {
      lines.push(...writeFile(use.name, snippet.text));
    } else if (use.type === "background") {
      lines.push(...startBackground(snippet.text, use.until, inFirst(out)));
    } else if (snippet.language === "console") {
      for (const [part, { command, printed }] of readConsole(snippet.text).entries()) {
        expected.push({ where, out: `${out}-${part}`, text: printed });
        // A command of a console block may fail: what it prints says so.
        lines.push(`exec >${inFirst(`${out}-${part}`)} 2>&1`, "set +e", command, "set -e");
      }
    } else {
      lines.push(`exec >${inFirst(out)} 2>&1`, ...runCode(snippet, index));
      lastOut = out;
    }
  }
  return { script: `${lines.join("\n")}\necho end >>${inFirst("steps")}\n`, expected };
}

function runCode({ language, text }: Snippet, index: number): string[] {
  if (language === "sh") return [text.trimEnd()];
  const name = `snippet-${index}.${language === "js" ? "mjs" : "py"}`;
  return [...writeFile(name, text), `${language === "js" ? "node" : "python3"} ${name}`];
}

function writeFile(name: string, text: string): string[] {
  return [
    `mkdir -p "$(dirname ${name})"`,
    `cat >${name} <<'END_OF_SNIPPET'`,
    text.replace(/\n$/, ""),
    "END_OF_SNIPPET",
  ];
}

function startBackground(text: string, until: string, out: string): string[] {
  return [
    `( ${text.trimEnd()}\n) >${out} 2>&1 &`,
    "BACKGROUND_PID=$!",
    "for _ in $(seq 600); do",
    `  grep -qF -- '${until}' ${out} && break`,
    "  kill -0 $BACKGROUND_PID",
    "  sleep 0.1",
    "done",
    `grep -qF -- '${until}' ${out}`,
  ];
}

/** The commands of a console block, and what the page says that they print. */
export function readConsole(text: string): { command: string; printed: string }[] {
  const parts: { command: string; printed: string }[] = [];
  let isCommand = false;
  for (const line of text.split("\n")) {
    const last = parts.at(-1);
    if (line.startsWith("$ ")) parts.push({ command: line.slice(2), printed: "" });
    else if (isCommand && last) last.command += `\n${line}`;
    else if (last) last.printed += `${line}\n`;
    isCommand = (line.startsWith("$ ") || isCommand) && line.endsWith("\\");
  }
  return parts;
}

/** Whether a text is what a page says; `…` there stands for any text, also for several lines. */
export function isAsPrinted(actual: string, page: string): boolean {
  const trim = (text: string) => text.replace(/\s+$/gm, "").trim();
  const pattern = trim(page)
    .split("…")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");
  return new RegExp(`^${pattern}$`, "s").test(trim(actual));
}
