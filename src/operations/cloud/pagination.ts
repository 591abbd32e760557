import { pageMaxBytes, pageSizeDefault } from "../../ground/limits.ts";
import type { Page } from "../../store/db.ts";
import { refuse } from "../refusal.ts";

/** RFC 3339, UTC, milliseconds. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}

export interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

/** One extra row shows whether there is another page. */
export function parsePage(query: PageQuery) {
  return parsePageByText(query, isUuid);
}

/** The same for lists whose rows are in another order than that of ids. */
export function parsePageByText(query: PageQuery, mayBeLast: (text: string) => boolean) {
  const limit = query.limit ?? pageSizeDefault;
  if (query.cursor === undefined) return { after: null, limit: limit + 1 } satisfies Page;

  const after = Buffer.from(query.cursor, "base64url").toString("utf8");
  return mayBeLast(after) ? ({ after, limit: limit + 1 } satisfies Page) : badCursor();
}

export function badCursor() {
  const message = "is not a cursor of this list: use the cursor of the previous page, or omit it";
  return refuse("API_BAD_QUERY", "The query is invalid; see `errors`.", { errors: [{ path: ["cursor"], message }] });
}

/** Removes the extra row and creates the cursor of the next page. */
export function cutPage<Row>(rows: readonly Row[], page: Page, idOf: (row: Row) => string) {
  if (rows.length < page.limit) return { rows, more: {} };
  const shown = rows.slice(0, page.limit - 1);
  return { rows: shown, more: { cursor: writeCursor(idOf(shown.at(-1)!)) } };
}

/** The cursor of the page after the entry with this id. */
export function writeCursor(id: string): string {
  return Buffer.from(id).toString("base64url");
}

/** How many of them, from the first on, fit into one page. */
export function fittingCount(answers: readonly object[]): number {
  let bytes = 0;
  const end = answers.findIndex((answer, index) => {
    bytes += Buffer.byteLength(JSON.stringify(answer));
    return index > 0 && bytes > pageMaxBytes;
  });
  return end === -1 ? answers.length : end;
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}
