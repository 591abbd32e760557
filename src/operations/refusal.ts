import type { ErrorCode } from "../contract/errors.ts";

/** One issue in a request: `path` is the path of the value followed by the reason, `message` describes it. */
export interface Issue {
  readonly path: string[];
  readonly message: string;
}

const refusal = Symbol("refusal");

/** A "no" that is part of the contract. Handlers return it; only codes that the operation declares compile. */
export interface Refusal<C extends ErrorCode = ErrorCode> {
  readonly [refusal]: true;
  readonly code: C;
  readonly message: string;
  readonly errors: readonly Issue[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly retryAfterS: number | null;
}

export function refuse<C extends ErrorCode>(
  code: C,
  message: string,
  more: { errors?: readonly Issue[]; metadata?: Record<string, unknown>; retryAfterS?: number } = {},
): Refusal<C> {
  return {
    [refusal]: true,
    code,
    message,
    errors: more.errors ?? [],
    metadata: more.metadata ?? {},
    retryAfterS: more.retryAfterS ?? null,
  };
}

export function isRefusal(value: unknown): value is Refusal {
  // Not `in`, which costs several times as much: every step of every request asks this.
  return typeof value === "object" && value !== null && (value as Partial<Refusal>)[refusal] === true;
}

/** The error body, as text. */
export function errorText(refusal: Refusal, requestId: string): string {
  const { code, message, errors, metadata } = refusal;
  return JSON.stringify({
    code,
    message,
    request_id: requestId,
    documentation: `/docs/errors#${code}`,
    ...(errors.length > 0 && { errors }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  });
}
