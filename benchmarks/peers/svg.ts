/** Bars beside one another, in panels below one another. All panels have one scale, so that their bars can be compared. */
export interface BarChart {
  readonly title: string;
  readonly panels: readonly { readonly title: string; readonly bars: readonly Bar[] }[];
}

export interface Bar {
  readonly label: string;
  /** Null: there is no figure, and `text` says why. */
  readonly value: number | null;
  /** Written at the end of the bar. */
  readonly text: string;
  readonly tone: "own" | "other" | "base";
}

export interface Theme {
  readonly text: string;
  readonly faint: string;
  readonly tones: Readonly<Record<Bar["tone"], string>>;
}

/** For a page that follows what the reader's system prefers. */
export const themes = {
  light: { text: "#1f2328", faint: "#59636e", tones: { own: "#0969da", other: "#818b98", base: "#c8d1da" } },
  dark: { text: "#f0f6fc", faint: "#9198a1", tones: { own: "#4493f8", other: "#656c76", base: "#3d444d" } },
} as const satisfies Record<string, Theme>;

const width = 860;
const labelWidth = 300;
const textWidth = 150;
const rowHeight = 22;
const barHeight = 14;
const panelHead = 34;
const top = 40;

export function barChartSvg(chart: BarChart, theme: Theme): string {
  const largest = Math.max(...chart.panels.flatMap((panel) => panel.bars.map((bar) => bar.value ?? 0)));
  const scale = largest > 0 ? (width - labelWidth - textWidth) / largest : 0;
  const parts: string[] = [textAt(0, 20, chart.title, theme.text, "start", 'font-weight="600" font-size="15"')];
  let y = top;
  for (const panel of chart.panels) {
    parts.push(textAt(labelWidth, y + 20, panel.title, theme.text, "start", 'font-weight="600"'));
    y += panelHead;
    for (const bar of panel.bars) {
      const length = Math.max(bar.value === null ? 0 : 1, (bar.value ?? 0) * scale);
      const color = theme.tones[bar.tone];
      parts.push(textAt(labelWidth - 8, y + 11, bar.label, bar.tone === "own" ? theme.text : theme.faint, "end"));
      parts.push(
        `<rect x="${labelWidth}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" rx="2" fill="${color}"/>`,
      );
      parts.push(textAt(labelWidth + length + 6, y + 11, bar.text, theme.text, "start"));
      y += rowHeight;
    }
  }
  const open = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + 8}" width="${width}" height="${y + 8}" role="img" aria-label="${escapeXml(chart.title)}" font-family="system-ui, sans-serif" font-size="12">`;
  return `${[open, ...parts, "</svg>"].join("\n")}\n`;
}

function textAt(x: number, y: number, text: string, fill: string, anchor: "start" | "end", more = ""): string {
  const attributes = `x="${x.toFixed(1)}" y="${y}" fill="${fill}" text-anchor="${anchor}"${more === "" ? "" : ` ${more}`}`;
  return `<text ${attributes}>${escapeXml(text)}</text>`;
}

function escapeXml(text: string): string {
  const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (character) => entities[character]!);
}
