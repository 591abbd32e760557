/** One page of the service's own, without scripts. */
export function layout(title: string, content: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)} · Foyer</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="/docs/style.css"></head>
<body><header><a href="/">Foyer</a> <nav><a href="/docs">API reference</a> <a href="/docs/errors">Errors</a></nav></header>
<main><h1>${escapeHtml(title)}</h1>${content}</main></body></html>`;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Text with `code` in backquotes. */
export function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

export const stylesheet = `
:root { color-scheme: light dark; --ink: #1c2430; --paper: #fff; --soft: #5b6675; --line: #e0e4ea; --tint: #f4f6f9; --accent: #2f5fd0; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaf0; --paper: #14181f; --soft: #9aa5b4; --line: #2b323d; --tint: #1d232c; --accent: #8fb0ff; }
}
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 16px/1.55 system-ui, sans-serif; }
header { display: flex; gap: 1.5rem; align-items: baseline; padding: 0.8rem 1.5rem; border-bottom: 1px solid var(--line); }
header > a { font-weight: 700; color: var(--ink); }
nav { display: flex; gap: 1rem; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
h1 { font-size: 1.9rem; margin: 0.5rem 0 1rem; }
h2 { margin: 3rem 0 0.5rem; padding-top: 0.5rem; border-top: 2px solid var(--line); }
h3 { margin: 2rem 0 0.3rem; font-size: 1.1rem; }
h4 { margin: 1rem 0 0.3rem; font-size: 0.9rem; color: var(--soft); }
code, pre, .call { font: 0.86em/1.5 ui-monospace, monospace; }
pre { padding: 0.8rem 1rem; background: var(--tint); border: 1px solid var(--line); border-radius: 6px; overflow-x: auto; }
.call { padding: 0.1rem 0.45rem; background: var(--tint); border: 1px solid var(--line); border-radius: 4px; overflow-wrap: anywhere; }
.contents { list-style: none; padding: 0; }
.contents li { display: grid; grid-template-columns: minmax(0, 30rem) minmax(0, 1fr); gap: 1rem; padding: 0.15rem 0; justify-items: start; }
@media (max-width: 50rem) { .contents li { grid-template-columns: minmax(0, 1fr); gap: 0; } }
.codes code { margin-right: 0.4rem; }
table { width: 100%; border-collapse: collapse; font-size: 0.92rem; }
th, td { padding: 0.4rem 0.6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; }
td:first-child code { overflow-wrap: anywhere; }
tr[id] > td:first-child { white-space: nowrap; }
tr:target { background: var(--tint); }
em { color: var(--soft); font-size: 0.85em; }
`;
