/**
 * Characters that can move a cursor, fake a line or reorder text on a terminal: C0 and C1 controls except tab, DEL, line
 * and paragraph separators, and those that change the direction of text.
 */
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for.
  /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** The text with those characters in JSON's form, so that a JSON text keeps its value. */
export function escapeUnprintable(text: string): string {
  return text.replace(unprintable, (character) => {
    const short = JSON.stringify(character).slice(1, -1);
    return short === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}` : short;
  });
}

/** Colours, cursor movements and titles that programs write to a terminal: CSI, OSC and the two-character sequences. */
const terminalSequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with a control character.
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]/g;

const lineMax = 200;

/** The last line of a program's output that says something, fit for a terminal and short. Empty: there is none. */
export function readLastLine(output: string): string {
  return shortLine(plainLines(output).findLast((line) => line.trim() !== "") ?? "", lineMax);
}

/** The lines of a program's output without what terminals act on; white space at their beginning stays. */
export function plainLines(output: string): string[] {
  const lines = output.split(/[\r\n\u2028\u2029]+/);
  return lines.map((line) => line.replace(terminalSequence, "").replace(unprintable, ""));
}

/** The line with single spaces, cut at the maximum. */
export function shortLine(line: string, max: number): string {
  const short = line.replace(/\s+/g, " ").trim();
  return short.length > max ? `${short.slice(0, max - 1).trimEnd()}…` : short;
}
