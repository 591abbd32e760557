import type { RawAnswer } from "./connection.ts";
import { type Operation, operationAt } from "./document.ts";
import type { FuzzRequest } from "./requests.ts";

/** What is wrong with the answer, in a sentence; null: it is one that openapi.json declares for this operation. */
export function judge(operations: readonly Operation[], request: FuzzRequest, answer: RawAnswer): string | null {
  const { headers, status } = answer;
  if (status === 500) return "It is 500.";
  if (!/^[\w-]{8,64}$/.test(headers.get("x-request-id") ?? "")) return "It has no x-request-id.";
  if (headers.get("x-content-type-options") !== "nosniff") return "It has no x-content-type-options: nosniff.";
  const isOwnToken = request.token !== null && request.token.length > 20 && answer.body.includes(request.token);
  if (isOwnToken) return "It contains the token of the request.";
  if (request.method === "OPTIONS") return null;
  const isHead = request.method === "HEAD";
  const operation = operationAt(operations, isHead ? "GET" : request.method, request.target);
  // Text that no decoder takes may make the path one that does not exist.
  if (operation === null || request.isPathOdd) {
    const issue = judgeMissing(answer, isHead);
    if (issue === null || operation === null) return issue;
  }
  return judgeDeclared(operation, answer, isHead);
}

/** What a path or method that no operation has is answered, or a request that is refused before its path is looked at. */
function judgeMissing(answer: RawAnswer, isHead: boolean): string | null {
  const codes: Record<number, readonly string[]> = {
    400: ["API_BAD_HEADER"],
    404: ["API_NOT_FOUND"],
    405: ["API_METHOD_NOT_ALLOWED"],
    503: ["API_UNAVAILABLE"],
  };
  if (answer.status === 405 && !answer.headers.has("allow")) return "It has no allow header.";
  // The answer to HEAD has no body to look at.
  const isKnown = isHead ? answer.status in codes : codes[answer.status]?.includes(codeOf(answer));
  if (!isKnown) return `No operation has this path and method, and it is ${answer.status} ${codeOf(answer)}.`;
  return isHead ? null : judgeError(answer);
}

function headersMiss(answer: RawAnswer, name: string): string | null {
  return answer.headers.has(name) ? null : `It has no ${name} header.`;
}

function judgeDeclared(operation: Operation, answer: RawAnswer, isHead: boolean): string | null {
  const declared = operation.answers.get(answer.status);
  if (declared === undefined)
    return `The status ${answer.status} (${codeOf(answer)}) is not declared for ${operation.id}.`;
  const type = (answer.headers.get("content-type") ?? "").split(";", 1)[0]!;
  if (declared.bodies.size === 0) {
    if (type !== "" || answer.body.length > 0) return "It should be empty.";
    return null;
  }
  if (!declared.bodies.has(type)) return `The content type "${type}" is not declared for ${operation.id}.`;
  if (isHead || answer.stream !== null) return null;
  if (answer.status >= 300) {
    const code = codeOf(answer);
    if (!declared.codes.has(code)) return `The code ${code} is not declared for ${answer.status} of ${operation.id}.`;
    const isIssue = judgeError(answer);
    if (isIssue !== null) return isIssue;
  }
  const validate = declared.bodies.get(type);
  if (!validate || type !== "application/json") return null;
  const value = parse(answer.body);
  if (value === undefined) return "The body is not JSON.";
  return validate(value) ? null : `The body does not match its schema: ${JSON.stringify(validate.errors?.slice(0, 3))}`;
}

/** Every failure has the same shape and the right headers. */
function judgeError(answer: RawAnswer): string | null {
  const value = parse(answer.body) as Record<string, unknown> | undefined;
  if (answer.headers.get("content-type") !== "application/json; charset=utf-8") return "The failure is not JSON.";
  if (typeof value?.message !== "string" || value.message === "") return "The failure has no message.";
  if (value.request_id !== answer.headers.get("x-request-id")) return "The request_id is another than the header's.";
  if (value.documentation !== `/docs/errors#${value.code}`) return "The failure has no documentation.";
  const mustWait = answer.status === 429 || value.code === "API_UNAVAILABLE";
  return mustWait ? headersMiss(answer, "retry-after") : null;
}

/** The events of a stream match what the document says of them. */
export function judgeEvents(operation: Operation, events: readonly { name: string; data: string }[]): string | null {
  const validate = operation.answers.get(200)?.bodies.get("text/event-stream");
  if (!validate) return `${operation.id} declares no events.`;
  for (const { name, data } of events) {
    const value = parse(Buffer.from(data)) as { event?: unknown } | undefined;
    if (value?.event !== name) return `The event ${name} does not name itself in its data.`;
    if (!validate(value))
      return `The event ${name} does not match its schema: ${JSON.stringify(validate.errors?.slice(0, 3))}`;
  }
  return null;
}

export function codeOf(answer: RawAnswer): string {
  const value = parse(answer.body) as { code?: unknown } | null | undefined;
  return typeof value?.code === "string" ? value.code : "";
}

export function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    // The caller says that it is no JSON.
    return undefined;
  }
}
