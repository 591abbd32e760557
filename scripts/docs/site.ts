import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ApiGroup, listGroups } from "./api-groups.ts";
import { apiIndexMarkdown, groupMarkdown, versionDocumentMarkdown } from "./api-markdown.ts";
import { renderApiIndex, renderGroup, renderVersionDocument } from "./api-page.ts";
import { type PlannedPage, readContents, root } from "./contents.ts";
import { generatedPages } from "./generated-pages.ts";
import type { Highlight } from "./highlight.ts";
import { type NavigationSection, renderPage } from "./layout.ts";
import { type Links, type Rendered, renderMarkdown, toSiteMarkdown } from "./markdown.ts";
import { escapeHtml, inline } from "./text.ts";

/** A page of the site. */
interface SitePage extends Rendered {
  readonly url: string;
  readonly about: string;
  /** In the navigation. */
  readonly label: string;
  readonly section: string;
  readonly markdown: string;
  readonly isListed: boolean;
  /** The page that the navigation shows as the current one. */
  readonly parent: string;
  /** Belongs to the page before it in the navigation. */
  readonly isChild: boolean;
}

interface Site {
  readonly pages: readonly SitePage[];
  readonly llms: string;
  render(page: SitePage, scriptHash: string): string;
}

/** Every page, from docs/contents.json and the contract. */
export function planSite(highlight: Highlight): Site {
  const planned = readContents();
  const links = createLinks(planned);
  const pages = planned.flatMap((page) => createPages(page, links, highlight));
  const navigation = listNavigation(pages);
  return {
    pages: pages.map((page) => (page.url === "/docs" ? { ...page, html: page.html + cards(pages) } : page)),
    llms: llmsText(pages),
    render: (page, scriptHash) => renderPage(page, page.parent, { navigation, scriptHash }),
  };
}

function createLinks(planned: readonly PlannedPage[]): Links {
  const urls = new Map(planned.flatMap(({ file, url }) => (file === null ? [] : [[file, url] as const])));
  return {
    find: (file) => urls.get(file) ?? (/^docs\/pictures\/[\w-]+\.svg$/.test(file) ? `/${file}` : null),
  };
}

function createPages(page: PlannedPage, links: Links, highlight: Highlight): SitePage[] {
  if (page.generated === "api") return apiPages(page, highlight);
  const file = page.file ?? `docs/${page.generated}.md`;
  const source = page.file === null ? generatedPages[page.generated!]?.() : readFileSync(join(root, page.file), "utf8");
  if (source === undefined)
    throw new Error(`docs/contents.json names a generated page ${page.generated}, which does not exist.`);
  const rendered = renderMarkdown(source, file, links, highlight);
  return [{ ...toPage(page, rendered, toSiteMarkdown(source, file, links)), isListed: page.isListed }];
}

function toPage({ url, about, label, section, isListed }: PlannedPage, rendered: Rendered, markdown: string): SitePage {
  const parent = isListed ? url : url.slice(0, url.lastIndexOf("/"));
  return {
    ...rendered,
    url,
    about,
    label: label ?? rendered.title,
    section,
    markdown,
    isListed,
    parent,
    isChild: false,
  };
}

function apiPages(page: PlannedPage, highlight: Highlight): SitePage[] {
  const groups = listGroups();
  const child = (group: ApiGroup) => ({
    ...toPage({ ...page, ...group, label: null }, renderGroup(group, highlight), groupMarkdown(group)),
    isChild: true,
  });
  const version = {
    ...page,
    label: null,
    url: `${page.url}/version-document`,
    about: "Every field of the document of a version.",
  };
  return [
    toPage(page, renderApiIndex(groups), apiIndexMarkdown(groups)),
    ...groups.map(child),
    { ...toPage(version, renderVersionDocument(), versionDocumentMarkdown()), isChild: true },
  ];
}

function listNavigation(pages: readonly SitePage[]): NavigationSection[] {
  const titles = [...new Set(pages.map(({ section }) => section))];
  return titles.map((title) => ({
    title,
    pages: pages.filter(({ section, isListed }) => section === title && isListed),
  }));
}

/** What the start page lists: every section with its pages. */
function cards(pages: readonly SitePage[]): string {
  const sections = listNavigation(pages).map(({ title, pages: listed }) => {
    const items = (listed as readonly SitePage[])
      .filter(({ url, isChild }) => url !== "/docs" && !isChild)
      .map(({ url, label, about }) => `<li><a href="${url}">${escapeHtml(label)}</a><p>${inline(about)}</p></li>`);
    return items.length === 0 ? "" : `<h2>${escapeHtml(title)}</h2><ul class="cards">${items.join("")}</ul>`;
  });
  return sections.join("");
}

/** The index for programs that read: every page with one line. */
function llmsText(pages: readonly SitePage[]): string {
  const sections = [...new Set(pages.map(({ section }) => section))].map((section) => {
    const lines = pages
      .filter((page) => page.section === section)
      .map(({ url, label, about }) => `- [${label}](${url}.md): ${about}`);
    return `## ${section}\n\n${lines.join("\n")}`;
  });
  return [
    "# Foyer",
    "> Foyer is a self-hosted matchmaker for multiplayer games: it gives each player a seat on one of your game servers.",
    "The whole API as OpenAPI 3.1: /openapi.json. Each page below is Markdown.",
    ...sections,
  ]
    .join("\n\n")
    .concat("\n");
}
