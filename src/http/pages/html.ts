/** A page of one sentence, for what is not built. */
export function plainPage(title: string, content: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title} · Foyer</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"></head>
<body><main><h1>${title}</h1>${content}</main></body></html>`;
}
