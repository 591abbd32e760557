import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorBox } from "./error-box.tsx";
import { useTitle } from "./title.ts";
import { useToast } from "./toast.tsx";

interface PageHeadProperties {
  readonly title: string;
  /** A link to what the page is a part of. */
  readonly crumb?: ReactNode;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
}

/** The head of a page: what it is, and what can be done here. */
export function PageHead({ title, crumb, lead, actions }: PageHeadProperties) {
  useTitle(title);
  return (
    <div className="page-head">
      <div>
        {crumb && <p className="crumb">{crumb}</p>}
        <h1>{title}</h1>
        {lead && <div className="lead">{lead}</div>}
      </div>
      {actions && <div className="actions">{actions}</div>}
    </div>
  );
}

/** What a page shows where there is nothing: why, and what to do. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Shows what a query has read, and before that that it is being read, or why it could not be. */
export function Read<T>({ query, children }: { query: UseQueryResult<T>; children: (data: T) => ReactNode }) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <ErrorBox error={query.error} retry={() => void query.refetch()} />;
  return (
    <p className="waiting" role="status">
      Loading …
    </p>
  );
}

/** A word with a colour: the word carries the meaning. */
export function Badge({ tone = "plain", children }: { tone?: "plain" | "good" | "warn" | "bad"; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>;
}

/** Copies a text. `shown` is what the button says. */
export function Copy({ text, shown = "Copy", said = "Copied." }: { text: string; shown?: ReactNode; said?: string }) {
  const say = useToast();
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      say(said);
    } catch {
      say("The browser does not allow copying here. Select the text and copy it yourself.");
    }
  }
  return (
    <button type="button" className="quiet" onClick={() => void copy()}>
      {shown}
    </button>
  );
}

interface MeterProperties {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  /** A sentence below it. */
  readonly note?: ReactNode;
}

/** How much of a limit is used. */
export function Meter({ label, value, max, note }: MeterProperties) {
  const share = max === 0 ? 1 : Math.min(1, value / max);
  const tone = share >= 1 ? "bad" : share >= 0.8 ? "warn" : "good";
  const text = `${value.toLocaleString("en")} of ${max.toLocaleString("en")}`;
  return (
    <div className="meter">
      <div className="meter-head">
        <span>{label}</span>
        <span className="number">{text}</span>
      </div>
      <Bar label={label} value={value} max={max} tone={tone} />
      {note && <p className="hint">{note}</p>}
    </div>
  );
}

type BarProperties = { label: string; value: number; max: number; tone?: "good" | "warn" | "bad" | "plain" };

/** A bar that is as full as the value. */
export function Bar({ label, value, max, tone = "plain" }: BarProperties) {
  const share = max === 0 ? (value > 0 ? 1 : 0) : Math.min(1, value / max);
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers let pages style <meter> only in part.
    <div
      className={`bar ${tone}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(max, value)}
      aria-valuenow={value}
      aria-valuetext={`${value} of ${max}`}
    >
      <span style={{ transform: `scaleX(${share})` }} />
    </div>
  );
}

interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  readonly isNumber?: boolean;
}

interface TableProperties<Row> {
  /** What the rows are, for those who cannot see the page. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

/** A table of some hundred rows at most. On a narrow screen each row becomes a block with the names of the columns. */
export function Table<Row>({ caption, columns, rows, keyOf }: TableProperties<Row>) {
  return (
    <table className="table">
      <caption className="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ name, isNumber }) => (
            <th key={name} scope="col" className={isNumber ? "number" : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ name, cell, isNumber }) => (
              <td key={name} data-name={name} className={isNumber ? "number" : undefined}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
