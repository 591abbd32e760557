import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** An entry of docs/contents.json: a file, or a page that is generated under this name. */
interface Entry {
  readonly file?: string;
  readonly generated?: string;
  readonly about: string;
  /** In the navigation, instead of the title of the page. */
  readonly title?: string;
  /** For files outside docs/. */
  readonly url?: string;
  /** A folder whose other files are pages too, reached from this one. */
  readonly children?: string;
}

/** A page of the site before it is rendered. */
export interface PlannedPage {
  readonly url: string;
  readonly about: string;
  /** In the navigation; null: the title of the page. */
  readonly label: string | null;
  readonly section: string;
  readonly file: string | null;
  readonly generated: string | null;
  /** Whether the navigation has it. */
  readonly isListed: boolean;
}

/** Every page of the table, in its order. */
export function readContents(): PlannedPage[] {
  const sections = JSON.parse(readFileSync(join(root, "docs/contents.json"), "utf8")) as {
    section: string;
    pages: Entry[];
  }[];
  return sections.flatMap(({ section, pages }) => pages.flatMap((entry) => plan(section, entry)));
}

function plan(section: string, { file, generated, about, title, url, children }: Entry): PlannedPage[] {
  const own = url ?? (file === undefined ? `/docs/${generated}` : urlOf(file));
  const names = { url: own, about, label: title ?? null, section };
  const page = { ...names, file: file ?? null, generated: generated ?? null, isListed: true };
  if (children === undefined) return [page];
  const others = readdirSync(join(root, children))
    .filter((name) => name.endsWith(".md") && `${children}/${name}` !== file)
    .map((name) => `${children}/${name}`);
  return [page, ...others.sort().map((child) => toChild(section, child))];
}

function toChild(section: string, file: string): PlannedPage {
  const title = /^# (.+)$/m.exec(readFileSync(join(root, file), "utf8"))?.[1] ?? file;
  return { url: urlOf(file), about: title, label: null, section, file, generated: null, isListed: false };
}

/** `docs/guides/x.md` is served at `/docs/guides/x`, `docs/index.md` at `/docs`. */
function urlOf(file: string): string {
  if (!file.startsWith("docs/")) throw new Error(`${file} is outside docs/ and needs a url in docs/contents.json.`);
  return `/${file.replace(/(?:\/(?:README|index))?\.md$/, "")}`;
}
