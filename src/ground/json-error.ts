/**
 * Where a text that JSON.parse refused stops being JSON. The platform's own message names the place only sometimes, and
 * may quote the text, which can hold a secret.
 */
export interface JsonError {
  readonly line: number;
  /** In characters, from 1. */
  readonly column: number;
  /** The text is correct as far as it goes, but something is missing. */
  readonly isCutOff: boolean;
}

export function findJsonError(text: string): JsonError {
  const at = findOffset(text);
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: [...(before.at(-1) ?? "")].length + 1, isCutOff: at >= text.length };
}

class Found extends Error {
  readonly at: number;

  constructor(at: number) {
    super();
    this.at = at;
  }
}

function findOffset(text: string): number {
  try {
    return skip(text, space, readValue(text, 0));
  } catch (error) {
    if (error instanceof Found) return error.at;
    // It nests so deep that the stack is full.
    if (error instanceof RangeError) return text.length;
    throw error;
  }
}

const space = /[ \t\r\n]*/y;
const plainCharacters =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they must be escaped in JSON.
  /[^"\\\u0000-\u001f]*/y;
const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Each of these returns the position after what it read, or throws the position of the first mistake. */
function readValue(text: string, start: number): number {
  const at = skip(text, space, start);
  if (text[at] === "{") return readMembers(text, at + 1, "}", readPair);
  if (text[at] === "[") return readMembers(text, at + 1, "]", readValue);
  return text[at] === '"' ? readString(text, at) : need(text, scalar, at);
}

function readMembers(text: string, start: number, end: string, read: typeof readValue): number {
  let at = skip(text, space, start);
  if (text[at] === end) return at + 1;
  for (;;) {
    at = skip(text, space, read(text, at));
    if (text[at] === end) return at + 1;
    at = skip(text, space, expectCharacter(text, at, ","));
  }
}

function readPair(text: string, start: number): number {
  const end = readString(text, skip(text, space, start));
  return readValue(text, expectCharacter(text, skip(text, space, end), ":"));
}

function readString(text: string, start: number): number {
  let at = skip(text, plainCharacters, expectCharacter(text, start, '"'));
  while (text[at] === "\\") at = skip(text, plainCharacters, need(text, escapeSequence, at));
  return expectCharacter(text, at, '"');
}

function expectCharacter(text: string, at: number, character: string): number {
  if (text[at] !== character) throw new Found(at);
  return at + 1;
}

function skip(text: string, pattern: RegExp, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function need(text: string, pattern: RegExp, at: number): number {
  const end = skip(text, pattern, at);
  if (end === at) throw new Found(at);
  return end;
}
