/** Whether the client prefers CSV to JSON: it names text/csv and no JSON before it. */
export function prefersCsv(accept: string | undefined): boolean {
  const wanted = (accept ?? "").split(",").map((part) => part.split(";", 1)[0]!.trim().toLowerCase());
  const csv = wanted.indexOf("text/csv");
  const json = wanted.indexOf("application/json");
  return csv !== -1 && (json === -1 || csv < json);
}

/** Flat rows as RFC 4180, with the names of the columns first. */
export function toCsv(columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  return lines.map((cells) => `${cells.map(cell).join(",")}\r\n`).join("");
}

/** A text that a spreadsheet would read as a formula gets an apostrophe in front. */
function cell(value: unknown): string {
  const text = value === null || value === undefined ? "" : String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
