import MiniSearch from "minisearch";
import type { SearchPart } from "./markdown.ts";
import { searchOptions } from "./search-options.ts";

export interface SearchedPage {
  readonly url: string;
  readonly title: string;
  readonly section: string;
  readonly parts: readonly SearchPart[];
}

/** The index that the pages' script loads, as JSON. */
export function buildSearchIndex(pages: readonly SearchedPage[]): string {
  const index = new MiniSearch(searchOptions);
  for (const { url, title, section, parts } of pages) {
    for (const part of parts) {
      const text = part.text.replace(/\s+/g, " ").trim();
      const target = part.id === "" ? url : `${url}#${part.id}`;
      if (index.has(target)) continue;
      index.add({ id: target, title: part.title, page: title, section, text, excerpt: text.slice(0, 140) });
    }
  }
  return JSON.stringify(index);
}
