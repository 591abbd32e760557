/** What an error of Redis or of the way to it means for the command that met it. */
export interface RedisFault {
  /** Completes the sentence "Redis is not available: …". */
  readonly reason: string;
  /** Trying again within the same request may help. Scripts recognise a resend, so it is always allowed. */
  readonly isPassing: boolean;
  /** The server is the wrong one by now; another connection may lead to the right one. */
  readonly isWrongServer: boolean;
  /** Somebody has to look at it: our own mistake, or a set-up that cannot work. */
  readonly isAlarming: boolean;
  /** The script itself failed, on what its own keys hold. */
  readonly isOfScript: boolean;
}

/** Null: no word of Redis and no fault of the network, but a mistake in this process, to be thrown as it is. */
export function faultOf(error: unknown): RedisFault | null {
  if (!(error instanceof Error) || mistakes.has(error.name)) return null;
  if (error.name !== "ReplyError") return fault(inWords(error), "passing");
  const word = /^[A-Z]+/.exec(error.message)?.[0] ?? "";
  if (isScriptMistake(error.message, word)) return fault(`a script failed (${error.message})`, "script");
  if (/max number of clients reached/i.test(error.message)) return fault("it has too many clients", "passing");
  const known = replies[word];
  return known === undefined ? fault(`it said "${error.message}"`, "alarming") : fault(known.reason, known.kind);
}

export function isNoScript(error: unknown): boolean {
  return error instanceof Error && error.name === "ReplyError" && error.message.startsWith("NOSCRIPT");
}

/** The password or the rights are wrong: waiting does not help. */
export function isLoginFault(error: unknown): boolean {
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
  // The command was refused before it did anything, and time alone does not change that.
  OOM: { reason: "its memory is full (maxmemory)", kind: "lasting" },
  MISCONF: { reason: "it cannot write to its disk", kind: "lasting" },
  NOREPLICAS: { reason: "too few replicas follow (min-replicas-to-write)", kind: "lasting" },
  NOAUTH: { reason: "it wants a password", kind: "alarming" },
  WRONGPASS: { reason: "the password is wrong", kind: "alarming" },
  NOPERM: { reason: "the user may not do this", kind: "alarming" },
};

function fault(reason: string, kind: Kind): RedisFault {
  return {
    reason,
    isPassing: kind === "passing" || kind === "wrong server",
    isWrongServer: kind === "wrong server",
    isAlarming: kind === "alarming" || kind === "script",
    isOfScript: kind === "script",
  };
}

/** Errors of the language are never told by Redis or by the network. */
const mistakes = new Set(["TypeError", "RangeError", "ReferenceError", "SyntaxError", "AssertionError"]);

/** Redis adds the script and the line to whatever ended one; a word of its own in front means that Redis refused. */
function isScriptMistake(message: string, word: string): boolean {
  return /script: [0-9a-f]{40}/.test(message) && !(word in replies);
}

function inWords(error: Error): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  if (code !== null) return code;
  if (/timed out|timeout/i.test(error.message)) return "it does not answer";
  if (/redirections/.test(error.message)) return `the cluster sends from one server to another (${error.message})`;
  return "there is no connection to it";
}
