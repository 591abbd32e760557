import { dirname, normalize } from "node:path/posix";
import { Marked, type Tokens } from "marked";
import type { Highlight } from "./highlight.ts";
import { escapeHtml, slugOf } from "./text.ts";

export interface Heading {
  readonly depth: number;
  readonly id: string;
  readonly text: string;
}

/** A part of a page that search finds by itself. */
export interface SearchPart {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

export interface Rendered {
  readonly title: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly parts: readonly SearchPart[];
}

export interface Links {
  /** The address of a file of the repository on the site; null: the site does not have it. */
  find(file: string): string | null;
}

/** Renders a page. `file` is where relative links start. */
export function renderMarkdown(markdown: string, file: string, links: Links, highlight: Highlight): Rendered {
  const text = withoutComments(markdown);
  const title = /^# (.+)$/m.exec(text)?.[1];
  if (title === undefined) throw new Error(`${file} has no title: its first line must be "# Title".`);
  const headings: Heading[] = [];
  const parts: { id: string; title: string; text: string }[] = [{ id: "", title: plainText(title), text: "" }];
  const used = new Map<string, number>();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: source }: Tokens.Heading) {
        const plain = plainText(source);
        if (depth === 1) return `<h1>${this.parser.parseInline(tokens)}</h1>\n`;
        const id = countSlug(used, slugOf(plain));
        headings.push({ depth, id, text: plain });
        const label = escapeHtml(`Link to ${plain}`);
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)} <a class="anchor" href="#${id}" aria-label="${label}">#</a></h${depth}>\n`;
      },
      code({ text: code, lang = "" }: Tokens.Code) {
        return codeBlock(code, lang, highlight);
      },
      link({ href, tokens, title: hint }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens);
        const target = resolveLink(href, file, links);
        if (target === null) return inner;
        const rel = /^https?:/.test(target) ? ' rel="noopener noreferrer"' : "";
        return `<a href="${escapeHtml(target)}"${rel}${hint ? ` title="${escapeHtml(hint)}"` : ""}>${inner}</a>`;
      },
      image({ href, text: alt }: Tokens.Image) {
        const target = resolveLink(href, file, links);
        if (target === null) throw new Error(`${file}: the picture ${href} is not an SVG file in docs/pictures.`);
        return `<img src="${escapeHtml(target)}" alt="${escapeHtml(alt)}">`;
      },
    },
  });
  const html = (marked.parse(text) as string)
    .replaceAll("<table>", '<div class="table"><table>')
    .replaceAll("</table>", "</table></div>")
    // A column without a name has no header.
    .replaceAll("<th></th>", "<td></td>");
  collectParts(text, parts);
  return { title: plainText(title), html, headings, parts };
}

/** Markdown with the links of the site: every page as its own Markdown. */
export function toSiteMarkdown(markdown: string, file: string, links: Links): string {
  return withoutComments(markdown).replace(/\]\(([^)\s]+)\)/g, (whole, href: string) => {
    if (/^(?:[a-z][a-z0-9+.-]*:|#|\/)/i.test(href)) return whole;
    const target = resolveLink(href, file, links);
    if (target === null) return `](${normalize(`${dirname(file)}/${href}`)})`;
    return `](${target.replace(/^(\/docs(?:\/(?!pictures\/)[^#]*)?)(#.*)?$/, "$1.md$2")})`;
  });
}

function resolveLink(href: string, file: string, links: Links): string | null {
  if (/^(?:[a-z][a-z0-9+.-]*:|#|\/)/i.test(href)) return href;
  const [path = "", anchor] = href.split("#");
  const url = links.find(normalize(`${dirname(file)}/${decodeURIComponent(path)}`));
  return url === null ? null : url + (anchor === undefined ? "" : `#${anchor}`);
}

/** What only the tests of snippets read, and other comments. Code keeps its own. */
function withoutComments(markdown: string): string {
  const pattern = /(^```.*?^```$)|^<!--.*?-->\n*/gms;
  return markdown.replace(pattern, (_whole, code: string | undefined) => code ?? "");
}

export function codeBlock(code: string, info: string, highlight: Highlight): string {
  const [language = "", ...rest] = info.split(" ");
  const file = /^(?:file=)?(\S+\.\w+)$/.exec(rest.join(" "))?.[1];
  const label = file ?? (language === "output" ? "Output" : null);
  const caption = label === null ? "" : `<figcaption>${escapeHtml(label)}</figcaption>`;
  const kind = language === "output" ? " output" : "";
  return `<figure class="code${kind}" data-language="${escapeHtml(language)}">${caption}<pre><code>${highlight(code, language)}</code></pre></figure>\n`;
}

function countSlug(used: Map<string, number>, slug: string): string {
  const count = used.get(slug);
  used.set(slug, (count ?? -1) + 1);
  return count === undefined ? slug : `${slug}-${count + 1}`;
}

/** Text without the marks of Markdown. */
function plainText(markdown: string): string {
  return markdown.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[*`]|<[^>]+>/g, "");
}

/** The text below each heading, and each row of a table that has an anchor. */
function collectParts(markdown: string, parts: { id: string; title: string; text: string }[]): void {
  const used = new Map<string, number>();
  const rows: SearchPart[] = [];
  let isCode = false;
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const heading = isCode ? null : /^(#{2,4}) (.+)$/.exec(line);
    const row = isCode ? null : /^\| <a id="([^"]+)"[^>]*>(.*?)<\/a>([^|]*)\|(.*)$/.exec(line);
    if (heading) {
      const title = plainText(heading[2]!);
      parts.push({ id: countSlug(used, slugOf(title)), title, text: "" });
    } else if (row) {
      const title = plainText(`${row[2]}${row[3]}`).trim();
      rows.push({ id: row[1]!, title, text: plainText(row[4]!).replaceAll("|", " ") });
    } else if (!line.startsWith("```") && !line.startsWith("# ")) {
      parts.at(-1)!.text += `${plainText(line).replaceAll("|", " ")}\n`;
    }
  }
  parts.push(...rows);
}
