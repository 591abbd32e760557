import type { IncomingMessage } from "node:http";

/** Headers as node has them: names and values, alternating. */
export type RawHeaders = string[];

/** What the gateway says about the client. */
export interface Forwarded {
  /** The address of the client. */
  readonly for: string;
  readonly proto: "http" | "https";
  readonly host: string;
  readonly prefix: string;
}

/** They are about one connection, and so never passed on. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
]);

/** Of requests: those that the gateway writes itself, and those that are meant for the service. */
const notForLobbies: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "expect",
  "cookie",
  "forwarded",
  "x-real-ip",
]);

/** Of answers: what would reach beyond the lobby's own page, on an origin that other pages share. */
const notForBrowsers: ReadonlySet<string> = new Set([
  "set-cookie",
  "set-cookie2",
  "service-worker-allowed",
  "clear-site-data",
  "strict-transport-security",
  "alt-svc",
  "nel",
  "report-to",
  "reporting-endpoints",
  "x-content-type-options",
  "referrer-policy",
  "content-length",
]);

/** A page of a lobby has no origin of its own: it cannot read or change what other pages of this origin keep. */
const pageHeaders = [
  "content-security-policy",
  "sandbox allow-scripts allow-forms allow-modals allow-pointer-lock",
  "x-content-type-options",
  "nosniff",
  "referrer-policy",
  "no-referrer",
];

/** The headers that the lobby gets, except those about framing and upgrades. */
export function toLobbyHeaders(request: IncomingMessage, forwarded: Forwarded): RawHeaders {
  const named = namedByConnection(request.headers.connection);
  const kept = keepHeaders(
    request.rawHeaders,
    (name) =>
      !notForLobbies.has(name) && !name.startsWith("x-foyer-") && !name.startsWith("x-forwarded-") && !named.has(name),
  );
  return ["host", request.headers.host ?? "", ...kept, ...forwardingHeaders(forwarded)];
}

/** The headers that the service gets from `foyer gateway`: the same but for those that are the service's own. */
export function toServiceHeaders(request: IncomingMessage, forwarded: Omit<Forwarded, "prefix">): RawHeaders {
  const named = namedByConnection(request.headers.connection);
  const kept = keepHeaders(
    request.rawHeaders,
    (name) =>
      (name === "cookie" || !notForLobbies.has(name)) &&
      !name.startsWith("x-foyer-") &&
      !name.startsWith("x-forwarded-") &&
      !named.has(name),
  );
  const written = ["x-forwarded-for", forwarded.for, "x-forwarded-proto", forwarded.proto];
  return ["host", request.headers.host ?? "", ...kept, ...written, "x-forwarded-host", forwarded.host];
}

/** The headers of the service's answer, which are passed on as they are. */
export function passedHeaders(answer: IncomingMessage): RawHeaders {
  const named = namedByConnection(answer.headers.connection);
  const isChunked = answer.headers["transfer-encoding"] !== undefined;
  return keepHeaders(answer.rawHeaders, (name) => !named.has(name) && !(isChunked && name === "content-length"));
}

function forwardingHeaders({ for: client, proto, host, prefix }: Forwarded): RawHeaders {
  return [
    ...["x-forwarded-for", client, "x-forwarded-proto", proto],
    ...["x-forwarded-host", host, "x-forwarded-prefix", prefix],
  ];
}

/** How the body of a request is framed for the lobby: as it came, but by one header only. */
export function framingHeaders({ headers, method }: IncomingMessage): RawHeaders {
  if (headers["transfer-encoding"] !== undefined) return ["transfer-encoding", "chunked"];
  if (headers["content-length"] !== undefined) return ["content-length", headers["content-length"]];
  return bodiless.has(method ?? "") ? [] : ["content-length", "0"];
}

const bodiless: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE", "OPTIONS"]);

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** The headers of an answer for the client. `isOfNode`: the node that runs the lobby has done the rest of this. */
export function toClientHeaders(answer: IncomingMessage, isOfNode: boolean): RawHeaders {
  const named = namedByConnection(answer.headers.connection);
  const kept = keepHeaders(answer.rawHeaders, (name) => {
    return (name !== "content-length" && isOfNode) || (!notForBrowsers.has(name) && !named.has(name));
  });
  const length = answer.headers["content-length"];
  const isCounted =
    length !== undefined && answer.headers["transfer-encoding"] === undefined && answer.statusCode !== 204;
  return [...kept, ...(isCounted ? ["content-length", length] : []), ...(isOfNode ? [] : pageHeaders)];
}

/** The headers of a lobby's handshake for its client. */
export function toHandshakeHeaders(answer: IncomingMessage): RawHeaders {
  const named = namedByConnection(answer.headers.connection);
  const kept = keepHeaders(answer.rawHeaders, (name) => !notForBrowsers.has(name) && !named.has(name));
  return [...kept, "connection", "Upgrade", "upgrade", "websocket"];
}

/** Header names in a Connection header: they are about the connection too. */
function namedByConnection(connection: string | undefined): ReadonlySet<string> {
  if (connection === undefined) return none;
  return new Set(connection.split(",").map((name) => name.trim().toLowerCase()));
}

const none: ReadonlySet<string> = new Set();

function keepHeaders(raw: readonly string[], isKept: (name: string) => boolean): RawHeaders {
  const kept: RawHeaders = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    if (!hopByHop.has(name) && isKept(name)) kept.push(raw[i]!, raw[i + 1]!);
  }
  return kept;
}
