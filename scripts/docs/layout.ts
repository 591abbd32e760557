import type { Heading } from "./markdown.ts";
import { escapeHtml } from "./text.ts";

/** A page with what its frame needs to know. */
export interface FramedPage {
  readonly url: string;
  readonly title: string;
  readonly about: string;
  readonly html: string;
  readonly headings: readonly Heading[];
}

export interface NavigationSection {
  readonly title: string;
  readonly pages: readonly { readonly url: string; readonly label: string; readonly isChild?: boolean }[];
}

export interface Frame {
  readonly navigation: readonly NavigationSection[];
  /** The value of the integrity attribute, which the pages' policy repeats. */
  readonly scriptHash: string;
}

/** A whole page. `parent` is the page that the navigation shows as the current one. */
export function renderPage(page: FramedPage, parent: string, { navigation, scriptHash }: Frame): string {
  const title = page.url === "/docs" ? "Foyer documentation" : `${page.title} · Foyer`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${escapeHtml(page.about)}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/docs/logo.svg" type="image/svg+xml">
<link rel="alternate" href="${page.url}.md" type="text/markdown">
<link rel="stylesheet" href="/docs/site.css">
<script src="/docs/site.js" integrity="${scriptHash}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="menu-link" href="#pages">Menu</a>
<a class="brand" href="/docs">${logo}<span>Foyer</span></a>
<button class="search-open" type="button" aria-label="Search" aria-haspopup="dialog" hidden>${magnifier}<span>Search</span><kbd>/</kbd></button>
<nav class="links" aria-label="Service"><a href="/docs/api">API</a><a href="/">Dashboard</a></nav>
</header>
<div class="frame">
<nav class="pages" id="pages" aria-label="Pages">${navigation.map((section) => navigationList(section, parent)).join("")}</nav>
<main id="content" tabindex="-1"><article>${page.html}</article>
${neighbours(parent, navigation)}
<footer><a href="${page.url}.md">This page as Markdown</a></footer></main>
${contents(page.headings)}
</div>
</body>
</html>
`;
}

function navigationList({ title, pages }: NavigationSection, current: string): string {
  const items = pages.map(({ url, label, isChild }) => {
    const mark = url === current ? ' aria-current="page"' : "";
    return `<li${isChild ? ' class="child"' : ""}><a href="${url}"${mark}>${escapeHtml(label)}</a></li>`;
  });
  return `<h2>${escapeHtml(title)}</h2><ul>${items.join("")}</ul>`;
}

function contents(headings: readonly Heading[]): string {
  const shown = headings.filter(({ depth }) => depth <= 3);
  if (shown.length < 2) return "";
  const items = shown.map(
    ({ depth, id, text }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${items.join("")}</ul></nav>`;
}

function neighbours(url: string, navigation: readonly NavigationSection[]): string {
  const all = navigation.flatMap(({ pages }) => pages);
  const index = all.findIndex((page) => page.url === url);
  const link = (page: { url: string; label: string } | undefined, rel: string, label: string) =>
    page === undefined
      ? ""
      : `<a class="${rel}" rel="${rel}" href="${page.url}"><span>${label}</span> ${escapeHtml(page.label)}</a>`;
  const previous = index > 0 ? all[index - 1] : undefined;
  return `<nav class="neighbours" aria-label="Previous and next page">${link(previous, "prev", "Previous")}${link(all[index + 1], "next", "Next")}</nav>`;
}

const logo = `<img class="logo" src="/docs/logo.svg" width="24" height="24" alt="">`;
const magnifier = `<svg viewBox="0 0 16 16" width="15" height="15" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" aria-hidden="true"><circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 3.5 3.5"/></svg>`;
