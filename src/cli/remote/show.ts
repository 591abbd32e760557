import { bold, dim, type Terminal } from "../terminal.ts";

type Page = Pick<Terminal, "colours">;

/** A column: its title and what it shows of a row. */
export type Column<Row> = readonly [title: string, show: (row: Row) => unknown];

/** Rows as a table with a title line, or a sentence when there are none. Terminal codes in values are made harmless. */
export function table<Row>(page: Page, rows: readonly Row[], columns: readonly Column<Row>[], none: string): string {
  if (rows.length === 0) return `${dim(page, none)}\n`;
  const cells = rows.map((row) => columns.map(([, show]) => cell(show(row))));
  const widths = columns.map(([title], index) => Math.max(width(title), ...cells.map((line) => width(line[index]!))));
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) => text + " ".repeat(widths[index]! - width(text)))
      .join("  ")
      .trimEnd();
  return `${[bold(page, line(columns.map(([title]) => title))), ...cells.map(line)].join("\n")}\n`;
}

/** Any answer of the service: the list in it as a table, other fields as lines. */
export function showAnswer(page: Page, answer: unknown): string {
  if (answer === undefined) return `${dim(page, "Done.")}\n`;
  const fields = Object.entries(answer as Fields);
  const lists = fields.filter(([, value]) => Array.isArray(value) && value.some(isObject));
  const rest = fields.filter((field) => !lists.includes(field));
  const [only] = rest;
  // An answer such as {game: {…}} is shown as what is in it.
  const shown =
    rest.length === 1 && lists.length === 0 && isObject(only![1]) ? Object.entries(only![1] as Fields) : rest;
  const titleWidth = Math.max(0, ...shown.map(([name]) => name.length));
  const lines = shown.map(([name, value]) => `${bold(page, name.padEnd(titleWidth))}  ${cell(value)}`);
  const tables = lists.map(([name, rows]) => {
    const names = [...new Set((rows as Fields[]).flatMap((row) => Object.keys(row)))].filter((key) =>
      (rows as Fields[]).some((row) => !isObject(row[key]) && row[key] !== null),
    );
    const columns = names.map((key) => [key, (row: Fields) => row[key]] as const);
    return table(page, rows as Fields[], columns, `No ${name}.`);
  });
  return [...(lines.length > 0 ? [`${lines.join("\n")}\n`] : []), ...tables].join("\n");
}

/** Any JSON object: this shows answers of every operation. */
type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

function cell(value: unknown): string {
  if (value === null || value === undefined || value === "") return "-";
  if (value === true) return "yes";
  if (value === false) return "no";
  if (typeof value === "object") return clean(JSON.stringify(value));
  return clean(String(value));
}

/** Players, lobbies and versions choose some of these texts; a terminal would obey codes in them. */
export function clean(text: string): string {
  return text.replace(/[\t\n]/g, " ").replace(/[\p{Cc}\u2028\u2029]/gu, "\ufffd");
}

const width = (text: string) => [...text].length;

/** How long ago, for people. */
export function age(timestamp: string | null, now: number): string {
  if (timestamp === null) return "-";
  const seconds = Math.max(0, Math.round((now - Date.parse(timestamp)) / 1000));
  if (seconds < 100) return `${seconds} s`;
  if (seconds < 6_000) return `${Math.round(seconds / 60)} min`;
  return seconds < 360_000 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}
