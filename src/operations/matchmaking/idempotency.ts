import { createHash } from "node:crypto";
import { idempotencyKeyMaxCharacters } from "../../ground/limits.ts";
import type { Idempotency } from "../../matchmaker/commands.ts";
import { refuse } from "../refusal.ts";

/** The key that a call was sent with, within its operation; null: it was sent without. */
export function readIdempotency(operation: string, header: string | undefined, body: object) {
  if (header === undefined) return null;
  const refusal = checkKey(header);
  if (refusal) return refusal;
  const bodyHash = createHash("sha256")
    .update(canonical(given(body)))
    .digest("base64url");
  return { key: `${operation}:${header}`, bodyHash } satisfies Idempotency;
}

/** Null: there is no key, or it is valid. */
export function checkKey(header: string | undefined) {
  if (header === undefined) return null;
  if (header.length <= idempotencyKeyMaxCharacters && /^[\x21-\x7e]+$/.test(header)) return null;
  const message = `Idempotency-Key must be 1 to ${idempotencyKeyMaxCharacters} visible ASCII characters.`;
  return refuse("API_BAD_HEADER", message);
}

/** A field that is null says as much as one that is left out. */
function given(body: object): object {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

/** The same text for the same JSON, whatever the order of its fields. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (part === null || typeof part !== "object" || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
