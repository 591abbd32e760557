/** What an error of Redis or of its connection means for the command (docs/decisions/0013). */
export interface RedisErrorInfo {
  /** Completes the sentence "Redis is unavailable: …". */
  readonly reason: string;
  /** Retrying within the same request may help. Scripts recognise a resend, so it is always allowed. */
  readonly isPassing: boolean;
  /** The server is no longer the primary; a new connection may reach the right one. */
  readonly isWrongServer: boolean;
  /** The operator has to act: a bug of Foyer, or a configuration that cannot work. */
  readonly isAlarming: boolean;
  /** The script itself failed, on the content of its keys. */
  readonly isOfScript: boolean;
}

/** The caller's time ended before Redis answered or a connection was there. */
export class TimeIsOver extends Error {
  override readonly name = "TimeIsOver";
}

/** False: the try was cut short by the end of its time or by a change of the connection, so an error before it says more. */
export function saysWhy(error: unknown): boolean {
  return !(error instanceof TimeIsOver) && classifyError(error)?.reason !== noConnection;
}

/** Null: neither an error of Redis nor of the network, but a bug in this process, to be thrown unchanged. */
export function classifyError(error: unknown): RedisErrorInfo | null {
  if (!(error instanceof Error) || mistakes.has(error.name)) return null;
  if (error.name !== "ReplyError") return describe(inWords(error), "passing");
  const word = /^[A-Z]+/.exec(error.message)?.[0] ?? "";
  if (isScriptMistake(error.message, word)) return describe(`a script failed (${error.message})`, "script");
  if (/max number of clients reached/i.test(error.message)) return describe("it has too many clients", "passing");
  const known = replies[word];
  return known === undefined
    ? describe(`it answered "${error.message}"`, "alarming")
    : describe(known.reason, known.kind);
}

export function isNoScript(error: unknown): boolean {
  return error instanceof Error && error.name === "ReplyError" && error.message.startsWith("NOSCRIPT");
}

/** The password or the permissions are wrong: waiting does not help. */
export function isLoginError(error: unknown): boolean {
  return error instanceof Error && error.name === "ReplyError" && /^(?:NOAUTH|WRONGPASS|NOPERM)/.test(error.message);
}

type Kind = "passing" | "lasting" | "wrong server" | "alarming" | "script";

const replies: Readonly<Record<string, { readonly reason: string; readonly kind: Kind }>> = {
  MOVED: { reason: "its slots are moving", kind: "passing" },
  ASK: { reason: "its slots are moving", kind: "passing" },
  TRYAGAIN: { reason: "its slots are moving", kind: "passing" },
  CLUSTERDOWN: { reason: "the cluster is down", kind: "passing" },
  LOADING: { reason: "it is loading its data", kind: "passing" },
  BUSY: { reason: "it is busy with a script", kind: "passing" },
  NOSCRIPT: { reason: "its script cache was emptied", kind: "passing" },
  MASTERDOWN: { reason: "a replica has lost its primary", kind: "wrong server" },
  READONLY: { reason: "the server is a replica", kind: "wrong server" },
  // The command was refused before it did anything, and waiting does not help.
  OOM: { reason: "its memory is full (maxmemory)", kind: "lasting" },
  MISCONF: { reason: "it cannot write to its disk", kind: "lasting" },
  NOREPLICAS: { reason: "too few replicas follow (min-replicas-to-write)", kind: "lasting" },
  NOAUTH: { reason: "it requires a password", kind: "alarming" },
  WRONGPASS: { reason: "the password is wrong", kind: "alarming" },
  NOPERM: { reason: "the user may not do this", kind: "alarming" },
};

function describe(reason: string, kind: Kind): RedisErrorInfo {
  return {
    reason,
    isPassing: kind === "passing" || kind === "wrong server",
    isWrongServer: kind === "wrong server",
    isAlarming: kind === "alarming" || kind === "script",
    isOfScript: kind === "script",
  };
}

/** Errors of the JavaScript language never come from Redis or the network. */
const mistakes = new Set(["TypeError", "RangeError", "ReferenceError", "SyntaxError", "AssertionError"]);

/**
 * Redis adds the script and the line to an error that ended a script; an error name of Redis in front means that Redis
 * refused.
 */
function isScriptMistake(message: string, word: string): boolean {
  return /script: [0-9a-f]{40}/.test(message) && !(word in replies);
}

function inWords(error: Error): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  if (code !== null) return code;
  if (/timed out|timeout/i.test(error.message)) return "it does not answer";
  if (/redirections/.test(error.message)) return `the cluster redirects in a circle (${error.message})`;
  return noConnection;
}

const noConnection = "Foyer has no connection to it";
