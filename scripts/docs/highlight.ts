import { createCssVariablesTheme, createHighlighter } from "shiki";
import { escapeHtml } from "./text.ts";

/** Code as HTML. Colours are classes, because the pages' policy forbids style attributes. */
export type Highlight = (code: string, language: string) => string;

const theme = createCssVariablesTheme({ name: "foyer", variablePrefix: "--code-" });

/** The name that a code block uses, and the grammar for it. */
const grammars: Readonly<Record<string, string>> = {
  sh: "shellscript",
  bash: "shellscript",
  console: "shellsession",
  js: "javascript",
  ts: "typescript",
  py: "python",
  json: "json",
  html: "html",
  css: "css",
  ini: "ini",
  toml: "toml",
  yaml: "yaml",
  dockerfile: "docker",
  nginx: "nginx",
  sql: "sql",
  diff: "diff",
  cs: "csharp",
  gdscript: "gdscript",
};

export async function createHighlight(): Promise<Highlight> {
  const highlighter = await createHighlighter({ themes: [theme], langs: [...new Set(Object.values(grammars))] });
  return (code, language) => {
    const lang = grammars[language];
    if (lang === undefined) return escapeHtml(code);
    const lines = highlighter.codeToTokensBase(code, { lang: lang as never, theme });
    return lines
      .map((tokens) =>
        tokens
          .map(({ content, color = "" }) => {
            const name = /--code-token-([\w-]+)/.exec(color)?.[1];
            return name === undefined ? escapeHtml(content) : `<span class="t-${name}">${escapeHtml(content)}</span>`;
          })
          .join(""),
      )
      .join("\n");
  };
}
