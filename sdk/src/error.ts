import type { ErrorCode, OperationErrors } from "./generated/errors.ts";

export interface ErrorDetails {
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly errors?: readonly Issue[] | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** One problem of a request: the path to the field, and what is wrong with it. */
export interface Issue {
  readonly path: readonly string[];
  readonly message: string;
}

/** Foyer refused a call, or gave no answer (`NO_ANSWER`), or something else answered in its place (`UNKNOWN`). */
export class FoyerError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = "FoyerError";
  readonly code: Code;
  /** The HTTP status; 0: there was no answer. */
  readonly status: number;
  /** Names the request in Foyer's log; null: there was no answer. */
  readonly requestId: string | null;
  /** What is wrong with the body or the query, field by field. */
  readonly errors: readonly Issue[];
  readonly metadata: Readonly<Record<string, unknown>>;
  /** When to try again; null: Foyer did not say. */
  readonly retryAfterMs: number | null;

  constructor(code: Code, message: string, details: ErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status ?? 0;
    this.requestId = details.requestId ?? null;
    this.errors = details.errors ?? [];
    this.metadata = details.metadata ?? {};
    this.retryAfterMs = details.retryAfterMs ?? null;
  }
}

/** Whether an error is one of Foyer's; with an operation's id its `code` has the type of that operation's codes. */
export function isFoyerError<Id extends keyof OperationErrors>(
  error: unknown,
  _operation?: Id,
): error is FoyerError<OperationErrors[Id] | "UNKNOWN" | "NO_ANSWER"> {
  return error instanceof FoyerError;
}

/** The error of an answer that is not a success. */
export async function readRefusal(response: Response): Promise<FoyerError> {
  const retryAfterS = Number(response.headers.get("retry-after") ?? Number.NaN);
  const details = {
    status: response.status,
    requestId: response.headers.get("x-request-id") ?? undefined,
    retryAfterMs: Number.isFinite(retryAfterS) ? retryAfterS * 1000 : undefined,
  };
  const text = await response.text().catch(() => "");
  try {
    const { code, message, errors, metadata } = JSON.parse(text);
    if (typeof code === "string") return new FoyerError(code as ErrorCode, message, { ...details, errors, metadata });
  } catch {
    // A proxy answered in Foyer's place.
  }
  return new FoyerError("UNKNOWN", `The answer has status ${response.status} and did not come from Foyer.`, details);
}

/** Node's codes for certificates of an authority that it does not know. */
const unknownAuthority =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(?:GET_ISSUER_CERT|VERIFY_LEAF).*)$/;

/** The error of a request that got no answer, or lost it. An error of the caller's own signal stays what it is. */
export function noAnswer(endpoint: string, error: unknown): unknown {
  if (error instanceof FoyerError || (error instanceof Error && error.name === "AbortError")) return error;
  const { code, message } = ((error as { cause?: unknown } | null)?.cause ?? error ?? {}) as Record<string, unknown>;
  const reason = String(code ?? message ?? error);
  const text = unknownAuthority.test(reason)
    ? `The certificate of ${endpoint} is from an authority that this machine does not know (${reason}). If it is your own, give Node its file: NODE_EXTRA_CA_CERTS=ca.pem.`
    : `${endpoint} does not answer: ${reason}. Is Foyer running there, and is the endpoint right?`;
  return new FoyerError("NO_ANSWER", text, { cause: error });
}
