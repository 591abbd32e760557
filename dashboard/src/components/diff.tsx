import { type DiffLine, diffLines } from "./line-diff.ts";

const around = 3;
const signs = { same: " ", removed: "−", added: "+" } as const;
const words = { same: "", removed: "removed: ", added: "added: " } as const;

/** What differs between two documents, with some lines around it. */
export function Diff({ before, after }: { before: unknown; after: unknown }) {
  const lines = diffLines(toText(before), toText(after));
  if (lines.every(({ kind }) => kind === "same")) return <p className="hint">The documents are the same.</p>;
  return (
    <pre className="shell diff">
      {nearChanges(lines).map(({ line, index, isAfterGap }) => (
        <span key={index} className={line.kind}>
          {isAfterGap && "⋯\n"}
          <span aria-hidden="true">{signs[line.kind]} </span>
          <span className="unseen">{words[line.kind]}</span>
          {`${line.text}\n`}
        </span>
      ))}
    </pre>
  );
}

const toText = (value: unknown) => JSON.stringify(value, null, 2);

function nearChanges(lines: readonly DiffLine[]) {
  const isNear = (index: number) =>
    lines.slice(Math.max(0, index - around), index + around + 1).some(({ kind }) => kind !== "same");
  const kept = lines.map((line, index) => ({ line, index })).filter(({ index }) => isNear(index));
  return kept.map((each, place) => ({
    ...each,
    isAfterGap: each.index !== (place === 0 ? 0 : kept[place - 1]!.index + 1),
  }));
}
