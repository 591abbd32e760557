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

/**
 * Of requests: those that the gateway writes itself, those that are meant for the service, and those in which proxies name
 * the client, which a player must not choose.
 */
const notForLobbies: ReadonlySet<string> = new Set([
  ...["host", "content-length", "expect", "cookie"],
  ...["forwarded", "x-forwarded", "x-real-ip", "true-client-ip", "cf-connecting-ip", "cf-connecting-ipv6"],
  ...["x-client-ip", "x-cluster-client-ip", "fastly-client-ip", "x-original-forwarded-for"],
]);
const requestPrefixes = ["x-forwarded-", "x-foyer-"];

/**
 * Of answers: what would reach beyond the lobby's own page, on an origin that other pages share; with `www-authenticate`
 * a browser asks for a password in the name of that origin.
 */
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
  "www-authenticate",
]);
/** With these a lobby would command the proxy in front of Foyer, for example to send one of its files. */
const proxyPrefixes = ["x-accel-", "x-sendfile", "x-lighttpd-", "x-litespeed-", "x-reproxy-"];

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
  const kept = keepHeaders(request.rawHeaders, (name) => isForLobbies(name) && !named.has(name));
  return ["host", request.headers.host ?? "", ...kept, ...forwardingHeaders(forwarded)];
}

/** The headers that the service gets from `foyer gateway`: the same but for those that are the service's own. */
export function toServiceHeaders(request: IncomingMessage, forwarded: Omit<Forwarded, "prefix">): RawHeaders {
  const named = namedByConnection(request.headers.connection);
  const isKept = (name: string) => (name === "cookie" || isForLobbies(name)) && !named.has(name);
  const kept = keepHeaders(request.rawHeaders, isKept);
  const written = ["x-forwarded-for", forwarded.for, "x-forwarded-proto", forwarded.proto];
  return ["host", request.headers.host ?? "", ...kept, ...written, "x-forwarded-host", forwarded.host];
}

function isForLobbies(name: string): boolean {
  return !notForLobbies.has(name) && !requestPrefixes.some((prefix) => name.startsWith(prefix));
}

function isForBrowsers(name: string): boolean {
  return !notForBrowsers.has(name) && !proxyPrefixes.some((prefix) => name.startsWith(prefix));
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
    return (name !== "content-length" && isOfNode) || (isForBrowsers(name) && !named.has(name));
  });
  const codings = codingsOf(answer);
  const length = answer.headers["content-length"];
  const isCounted =
    length !== undefined && answer.headers["transfer-encoding"] === undefined && answer.statusCode !== 204;
  return [
    ...kept,
    ...(isCounted ? ["content-length", length] : []),
    ...(codings.length > 0 ? ["transfer-encoding", [...codings, "chunked"].join(", ")] : []),
    ...(isOfNode ? [] : pageHeaders),
  ];
}

/** How the body is encoded besides being sent in chunks: Node undoes only that, so the client must know of the rest. */
export function codingsOf({ headers, statusCode }: IncomingMessage): string[] {
  if (statusCode === 204 || statusCode === 304) return [];
  const codings = (headers["transfer-encoding"] ?? "").split(",").map((coding) => coding.trim().toLowerCase());
  return codings.filter((coding) => coding !== "" && coding !== "chunked" && coding !== "identity");
}

/** The headers of a lobby's handshake for its client. */
export function toHandshakeHeaders(answer: IncomingMessage): RawHeaders {
  const named = namedByConnection(answer.headers.connection);
  const kept = keepHeaders(answer.rawHeaders, (name) => isForBrowsers(name) && !named.has(name));
  return [...kept, "connection", "Upgrade", "upgrade", "websocket"];
}

/** Header names in a Connection header: they are about the connection too. */
function namedByConnection(connection: string | undefined): ReadonlySet<string> {
  if (connection === undefined) return none;
  return new Set(connection.split(",").map((name) => comparable(name.trim())));
}

const none: ReadonlySet<string> = new Set();

function keepHeaders(raw: readonly string[], isKept: (name: string) => boolean): RawHeaders {
  const kept: RawHeaders = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = comparable(raw[i]!);
    if (!hopByHop.has(name) && isKept(name)) kept.push(raw[i]!, raw[i + 1]!);
  }
  return kept;
}

/** Many programs behind a proxy read `X_Forwarded_For` as `X-Forwarded-For`. */
function comparable(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}
