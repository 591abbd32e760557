import { useEffect, useRef, useState } from "react";
import UPlot from "uplot";

export interface Line {
  readonly name: string;
  /** One per moment; null: there is no figure. */
  readonly values: readonly (number | null)[];
  /** The name of a colour of the style sheet. */
  readonly colour: "line-1" | "line-2" | "line-3" | "line-4" | "line-5";
}

interface Properties {
  readonly title: string;
  /** Seconds since 1970. */
  readonly moments: readonly number[];
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
  /** The figures are counts: the scale has no parts of one. */
  readonly isWhole?: boolean;
}

const heightPx = 150;
const wholeSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 50_000, 100_000, 1_000_000];

/** Lines over time. Below the title: the figures where the pointer is, otherwise the newest ones. */
export function Plot({ title, moments, lines, format, isWhole = false }: Properties) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot | null>(null);
  const [index, setIndex] = useState<number | null>(null);
  const scheme = useScheme();
  const names = lines.map(({ name }) => name).join("|");

  // biome-ignore lint/correctness/useExhaustiveDependencies: new data goes into the same chart; other lines or colours need a new one.
  useEffect(() => {
    const element = place.current!;
    const made = new UPlot(
      { ...optionsOf(element, lines, { format, isWhole }, setIndex), width: element.clientWidth, height: heightPx },
      [[], ...lines.map(() => [])],
      element,
    );
    chart.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: heightPx }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [names, scheme]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new chart needs the data too.
  useEffect(() => {
    chart.current?.setData([[...moments], ...lines.map(({ values }) => [...values])]);
  }, [moments, lines, names, scheme]);

  const shown = lines.map((line) => ({
    ...line,
    value: index === null ? newestOf(line) : (line.values[index] ?? null),
  }));
  const spoken = shown.map(({ name, value }) => `${name}: ${value === null ? "no figure" : format(value)}`).join(", ");
  return (
    <figure className="plot">
      <figcaption>
        <h2>{title}</h2>
        <ul className="legend">
          {shown.map(({ name, colour, value }) => (
            <li key={name}>
              <span className={`swatch ${colour}`} aria-hidden="true" />
              {name} <b>{value === null ? "–" : format(value)}</b>
            </li>
          ))}
        </ul>
      </figcaption>
      <div ref={place} className="plot-place" role="img" aria-label={`${title}. ${spoken}`} />
    </figure>
  );
}

function newestOf({ values }: Line): number | null {
  return values.findLast((value) => value !== null) ?? null;
}

/** Changes when the browser changes between light and dark. */
function useScheme(): string {
  const [scheme, setScheme] = useState("");
  useEffect(() => {
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const note = () => setScheme(dark.matches ? "dark" : "light");
    dark.addEventListener("change", note);
    return () => dark.removeEventListener("change", note);
  }, []);
  return scheme;
}

function optionsOf(
  element: HTMLElement,
  lines: readonly Line[],
  { format, isWhole }: { format: (value: number) => string; isWhole: boolean },
  setIndex: (index: number | null) => void,
): Omit<UPlot.Options, "width" | "height"> {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const font = `11px ${style.fontFamily}`;
  const axis = { stroke: colour("muted"), font, ticks: { show: false }, grid: { stroke: colour("rule"), width: 1 } };
  return {
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, sync: { key: "foyer" } },
    padding: [8, 18, 0, 0],
    scales: { y: { range: (_, __, max) => [0, Math.max(max * 1.15, 1)] } },
    axes: [
      { ...axis, grid: { show: false }, size: 26, space: 70, values: clockTimes },
      {
        ...axis,
        size: 48,
        space: 32,
        ...(isWhole && { incrs: wholeSteps }),
        values: (_, splits) => splits.map((value) => format(value)),
      },
    ],
    series: [
      {},
      ...lines.map(({ name, colour: line }) => ({
        label: name,
        stroke: colour(line),
        width: 1.75,
        ...(lines.length === 1 && { fill: `${colour(line)}1f` }),
        points: { show: false },
      })),
    ],
    hooks: { setCursor: [(plot) => setIndex(plot.cursor.idx ?? null)] },
  };
}

function clockTimes(_: UPlot, splits: number[]): string[] {
  return splits.map((at) =>
    new Date(at * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false }),
  );
}
