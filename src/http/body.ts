import { isUtf8 } from "node:buffer";
import { findJsonError } from "../ground/json-error.ts";
import { jsonDepthMax } from "../ground/limits.ts";

/**
 * A strict JSON.parse (docs/decisions/0004). JSON.parse itself takes the last of two equal keys, accepts lone
 * surrogates and NUL, and turns 1e999 into Infinity. The issue is a sentence for the developer who sent the body.
 */
export function parseJson(body: Buffer, valuesMax: number): { value: unknown } | { issue: string } {
  if (body.length === 0) return { issue: "The body is empty; the operation needs JSON." };
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) {
    return { issue: "The body begins with a byte order mark. Send plain UTF-8 without one." };
  }
  if (!isUtf8(body)) return { issue: "The body is not valid UTF-8." };
  const text = body.toString("utf8");

  const scanned = scan(text, valuesMax);
  if (scanned.isTooDeep) return { issue: `The body nests arrays and objects deeper than ${jsonDepthMax} levels.` };
  if (scanned.isTooMuch) return { issue: `The body has too many values; this operation accepts ${valuesMax}.` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { issue: describeSyntaxError(text) };
  }
  return scanned.issue === null ? { value } : { issue: scanned.issue };
}

type Scanned = { isTooDeep: boolean; isTooMuch: boolean; issue: string | null };

/**
 * Scans the text once and finds the first issue. It does not know the whole grammar: JSON.parse refuses malformed texts
 * that it misreads. It runs first, so that depth and number of values are known before anything is built: a megabyte of
 * `[],[],` costs JSON.parse more than all the rest of a request.
 */
function scan(text: string, valuesMax: number): Scanned {
  // The keys seen in each container that is open here; null for arrays.
  const open: (Set<string> | null)[] = [];
  let issue: string | null = null;
  let nextBackslash = text.indexOf("\\");
  // Each value except the first follows a comma or the start of its container.
  let values = 1;

  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfString(text, at);
      if (end === -1) break;
      if (nextBackslash !== -1 && nextBackslash < at) nextBackslash = text.indexOf("\\", at);
      const hasEscapes = nextBackslash !== -1 && nextBackslash < end;
      const content = hasEscapes ? unescaped(text.slice(at, end + 1)) : text.slice(at + 1, end);
      if (hasEscapes) issue ??= checkContent(content);
      const keys = open.at(-1);
      if (keys && text.charCodeAt(skipSpace(text, end + 1)) === colon) {
        issue ??= checkKey(content, keys);
        keys.add(content);
      }
      at = end;
    } else if (code === brace || code === bracket) {
      if (open.length === jsonDepthMax) return { isTooDeep: true, isTooMuch: false, issue };
      open.push(code === brace ? new Set() : null);
      if (++values > valuesMax) break;
    } else if (code === comma) {
      if (++values > valuesMax) break;
    } else if (code === closingBrace || code === closingBracket) {
      open.pop();
    } else if (code === minus || isDigit(code)) {
      const end = endOfNumber(text, at);
      // The shortest number that is too large is 1e309.
      if (end - at > 4) issue ??= checkNumber(text.slice(at, end));
      at = end - 1;
    }
  }
  return { isTooDeep: false, isTooMuch: values > valuesMax, issue };
}

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const colon = 0x3a;
const bracket = 0x5b;
const backslash = 0x5c;
const closingBracket = 0x5d;
const brace = 0x7b;
const closingBrace = 0x7d;

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** The position of the closing quote: the first one after an even number of backslashes. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let before = end;
    while (text.charCodeAt(before - 1) === backslash) before--;
    if ((end - before) % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (isOfNumber(text.charCodeAt(end))) end++;
  return end;
}

/** A digit, or one of `.eE+-`. After the end of the text there is NaN, which is none of them. */
const isOfNumber = (code: number) =>
  isDigit(code) || code === 0x2e || code === 0x65 || code === 0x45 || code === 0x2b || code === minus;

function unescaped(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    // Not a string of JSON, so the text as a whole is not JSON either, and is refused as such.
    return literal;
  }
}

function checkContent(content: string): string | null {
  if (content.includes("\0")) return "The body contains the character NUL (\\u0000) in a string.";
  if (/[\uD800-\uDFFF]/u.test(content)) return "The body contains half of a surrogate pair (\\ud800 to \\udfff alone).";
  return null;
}

function checkKey(key: string, seen: Set<string>): string | null {
  if (key === "__proto__") return 'The body contains the key "__proto__".';
  if (seen.has(key)) return `The body contains the key ${shown(key)} twice in one object.`;
  return null;
}

function shown(key: string): string {
  return JSON.stringify(key.length > 64 ? `${key.slice(0, 64)}…` : key);
}

function checkNumber(number: string): string | null {
  if (number.length < 300 && !/e/i.test(number)) return null;
  if (Number.isFinite(Number(number)) || Number.isNaN(Number(number))) return null;
  return `The body contains the number ${number.slice(0, 32)}, which is too large.`;
}

/** The platform's own message may quote the body, which can hold a token, so only the place is named. */
function describeSyntaxError(text: string): string {
  const { line, column, isCutOff } = findJsonError(text);
  if (isCutOff) return "The body is not valid JSON; it ends too early.";
  return `The body is not valid JSON; the first error is in line ${line}, column ${column}.`;
}
