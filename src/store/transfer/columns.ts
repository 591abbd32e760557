/** The allowed values of a column of an exported row: the type in TypeScript, `holds` in JSON. */
export interface Column<T> {
  /** Completes the sentence "must be …". */
  readonly allowed: string;
  readonly isNumber: boolean;
  /** Earlier versions of Foyer did not have the column: a missing value is null. */
  readonly mayBeAbsent?: boolean;
  holds(value: unknown): value is T;
}

export const id: Column<string> = textLike("a UUID in lower case", (value) =>
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
);

export const nameId: Column<string> = textLike(
  "1 to 32 characters of a-z, 0-9 and single hyphens between them",
  (value) => value.length <= 32 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(value),
);

export const domainName: Column<string> = textLike(
  "a domain in lower case, in its ASCII form",
  (value) => value.length <= 253 && /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/.test(value),
);

/** Names that people choose, reasons and messages. */
export const text: Column<string> = textLike("text without NUL characters and lone surrogates", () => true);

export const jsonObject: Column<string> = textLike("text that contains a JSON object", (value) => {
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  } catch {
    return false;
  }
});

export const sha256Hex: Column<string> = textLike("a SHA-256 in lower-case hex", (value) =>
  /^[0-9a-f]{64}$/.test(value),
);

export const tokenHash: Column<string> = textLike("the SHA-256 of a token, in base64url", (value) =>
  /^[A-Za-z0-9_-]{43}$/.test(value),
);

export const tokenKind: Column<string> = textLike("one of cloud, pub, dev, server", (value) =>
  ["cloud", "pub", "dev", "server"].includes(value),
);

export const time: Column<number> = wholeNumber("a time in milliseconds since 1970", 0, Number.MAX_SAFE_INTEGER);

export const revision: Column<number> = wholeNumber("a whole number from 0", 0, Number.MAX_SAFE_INTEGER);

export const limit: Column<number> = wholeNumber("a whole number from 0 to 4294967295", 0, 4_294_967_295);

export const exitCode: Column<number> = wholeNumber("an exit code", -2_147_483_648, 4_294_967_295);

export const flag: Column<number> = wholeNumber("0 or 1", 0, 1);

export function orNull<T>(column: Column<T>): Column<T | null> {
  return {
    allowed: `${column.allowed}, or null`,
    isNumber: column.isNumber,
    holds: (value): value is T | null => value === null || column.holds(value),
  };
}

export function orAbsent<T>(column: Column<T>): Column<T | null> {
  return { ...orNull(column), mayBeAbsent: true };
}

/** PostgreSQL accepts neither NUL nor lone surrogates, and both stores have to accept the same values. */
function textLike(allowed: string, fits: (value: string) => boolean): Column<string> {
  return {
    allowed,
    isNumber: false,
    holds: (value): value is string =>
      typeof value === "string" && !value.includes("\0") && !/\p{Surrogate}/u.test(value) && fits(value),
  };
}

function wholeNumber(allowed: string, min: number, max: number): Column<number> {
  return {
    allowed,
    isNumber: true,
    holds: (value): value is number => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max,
  };
}
