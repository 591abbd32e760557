import { plainLines, shortLine } from "../ground/plain-line.ts";

const lastWordsMax = 400;
/** A program that writes more than this after a traceback went on. */
const linesAfterTracebackMax = 10;

/**
 * The line of a program's output that says why it ended, fit for a terminal: where a runtime reports an error, the error
 * and the first frame of the program's own code, else its last line. Empty: there is none.
 */
export function readLastWords(output: string): string {
  const lines = plainLines(output);
  const words = readFatal(lines) ?? readNodeError(lines) ?? readTraceback(lines) ?? lines.findLast(saysSomething);
  return shortLine(words ?? "", lastWordsMax);
}

/** V8 ends with native frames when it runs out of memory. */
function readFatal(lines: readonly string[]): string | undefined {
  return lines.findLast((line) => /^(?:FATAL ERROR|fatal error|panic): /.test(line));
}

/**
 * What Node writes about an uncaught error, or a program that prints the error itself: `Error: …`, its frames, and
 * sometimes more of its properties.
 */
function readNodeError(lines: readonly string[]): string | undefined {
  const banner = lines.findLastIndex((line) => nodeBanner.test(line));
  const end = banner < 0 ? lines.length : banner;
  const lastFrame = lines.findLastIndex((line, i) => i < end && stackFrame.test(line));
  const mark = lines.findLastIndex((line, i) => i < end && /^\s*[\^~]+\s*$/.test(line));
  if (lastFrame > mark) {
    // Without the banner, what the program wrote after the error is newer.
    if (banner < 0 && lines.slice(lastFrame + 1).some((line) => saysSomething(line) && /^\S/.test(line))) return;
    return describeError(lines, mark, lastFrame);
  }
  // Something without frames was thrown, such as a text.
  if (banner < 0 || mark < 0) return;
  return shortenRejection(lines.slice(mark + 1, end).find(saysSomething) ?? "");
}

/** Node explains at length what an unhandled rejection is, before the reason. */
function shortenRejection(error: string): string {
  const [, reason] = /The promise rejected with the reason "(.*)"\./.exec(error) ?? [];
  return reason === undefined ? error : `UnhandledPromiseRejection: ${reason}`;
}

function describeError(lines: readonly string[], mark: number, lastFrame: number): string | undefined {
  const isFrame = (line: string) => stackFrame.test(line);
  const before = lines.slice(mark + 1, lastFrame + 1);
  // An error may have a cause with frames of its own, further in; the outer one comes first.
  const start =
    mark < 0
      ? Math.max(
          0,
          before.findLastIndex((line) => /^\S/.test(line) && errorLine.test(line)),
        )
      : 0;
  const block = before.slice(start);
  const error = block.find((line) => errorLine.test(line)) ?? block.find((line) => saysSomething(line));
  const frame = block.filter(isFrame).find((line) => !/[( ](?:node:|native)|node_modules|\(<anonymous>\)/.test(line));
  const source = lines.slice(Math.max(0, mark - 4), Math.max(0, mark)).find((line) => sourceLine.test(line));
  const where = frame?.trim() ?? (source === undefined ? undefined : `at ${source.trim()}`);
  if (error === undefined) return where;
  return where === undefined
    ? shortenRejection(error)
    : `${shortLine(error, lastWordsMax / 2)} ${where.replace("file://", "")}`;
}

/** Python: the line after the frames, such as `ValueError: …`. */
function readTraceback(lines: readonly string[]): string | undefined {
  const start = lines.lastIndexOf("Traceback (most recent call last):");
  const error = lines.findIndex((line, i) => start >= 0 && i > start && /^\S/.test(line));
  return error < 0 || lines.length - error > linesAfterTracebackMax ? undefined : lines[error];
}

const nodeBanner = /^(?:Node\.js|Bun) v\d+\.\d+/;
const stackFrame = /^\s+at (?:.+:\d+:\d+\)?|.+ \(<anonymous>\)|.+ \(native\))(?: \{)?$/;
const errorLine = /^\s*(?:Uncaught )?[\w$.]*(?:Error|Exception|Rejection)\b/;
/** Where Node shows the line of the source that is wrong. */
const sourceLine = /^(?:file:\/\/)?\/[^ ]*:\d+$/;
const noise = [
  nodeBanner,
  stackFrame,
  /^\s*\d+: 0x[0-9a-f]+ /,
  /^-(?=.*-$).*stack ?trace/i,
  /^\s*[\^~{}\])]+[;,]?\s*$/,
  /^\(Use `node --trace/,
  /^npm (?:ERR!|error|warn|notice)/i,
];

function saysSomething(line: string): boolean {
  return line.trim() !== "" && !noise.some((pattern) => pattern.test(line));
}
