import { secretPrefixes } from "./tokens.ts";

/** Removes tokens, sign-in codes, and passwords inside URLs, from a text, so that it may be logged or shown. */
export function redact(text: string): string {
  return text
    .replace(tokenPattern, "$1_[redacted]")
    .replace(urlPasswordPattern, "$1:[redacted]@")
    .replace(queryPasswordPattern, "$1[redacted]");
}

// No word boundary in front: a token directly after other text is still a token.
const tokenPattern = new RegExp(`(${secretPrefixes.join("|")})_[A-Za-z0-9_-]{20,}(?:\\.[A-Za-z0-9_-]{20,})*`, "g");

// Up to the last @ before the path, since a password may hold an @ that was not encoded. The length of the scheme is
// limited. Otherwise every letter of a long word would start a scheme that is scanned to the end of the word.
const urlPasswordPattern = /([a-z][a-z0-9+.-]{0,30}:\/\/[^\s:@/?#"']*):[^\s/?#"']*@/gi;

const queryPasswordPattern = /([?&](?:ssl)?password=)[^&\s"'#]+/gi;
