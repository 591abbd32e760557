import { randomFillSync } from "node:crypto";

/** Without vowels and without what looks alike, so that a code spells no word and can be read out. */
export const codeSymbols = "BCDFGHJKMNPQRSTVWXYZ23456789";

/** How many a lobby may choose from. */
export const codeCandidates = 8;

/** Bytes from here on are skipped: the others are as likely to give one symbol as any other. */
const firstUnevenByte = 256 - (256 % codeSymbols.length);

/**
 * Makes candidates for join codes from the system's random numbers. A code cannot be guessed from another one or from
 * an id.
 */
export function createCodes(): (length: number) => string[] {
  const pool = Buffer.alloc(1024);
  let used = pool.length;

  function nextSymbol(): string {
    for (;;) {
      if (used === pool.length) {
        randomFillSync(pool);
        used = 0;
      }
      const byte = pool[used]!;
      used += 1;
      if (byte < firstUnevenByte) return codeSymbols[byte % codeSymbols.length]!;
    }
  }

  function newCode(length: number): string {
    let code = "";
    while (code.length < length) code += nextSymbol();
    return code;
  }

  return (length) => Array.from({ length: codeCandidates }, () => newCode(length));
}
