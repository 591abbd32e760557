import { timingSafeEqual } from "node:crypto";
import type { CallerKind } from "../../contract/define.ts";
import { createRecent } from "../../ground/bounded-cache.ts";
import { claimedKind, hashToken } from "../../ground/tokens.ts";
import { findNamespaceByDomain, listDomains } from "../../store/domains.ts";
import { findGame } from "../../store/games.ts";
import { findNamespaceById } from "../../store/namespaces.ts";
import { findTokenByHash, peekTokenByHash, type TokenRow } from "../../store/tokens.ts";
import type { Caller, DevelopmentServer } from "../callers.ts";
import { gameNotFound } from "../cloud/lookup.ts";
import type { Context } from "../context.ts";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";

interface Credentials {
  readonly authorization: string | undefined;
  readonly origin: string | undefined;
  /** The game that the path names, if it names one. */
  readonly gameReference: string | undefined;
  /** It came from this machine without a proxy, so that its sender may see what operators see. */
  readonly isLocal?: boolean;
}

export interface Authenticated {
  readonly caller: Caller;
  /** The key under which requests of this token are counted; null if the client's address is counted instead. */
  readonly rateKey: string | null;
}

interface Bearer {
  readonly token: string;
  readonly hash: string;
}

type Verdict = Authenticated | Refusal;

/**
 * Identifies the caller, or refuses with the 401, 403 or 404 of the contract. Synchronous if the store is not needed.
 */
export type Authenticate = (callers: readonly CallerKind[], credentials: Credentials) => Verdict | Promise<Verdict>;

/** Some hundred bytes each. This saves reading and hashing the same few headers in every request. */
const knownHeadersMax = 10_000;

export function createAuthenticate(context: Context, adminToken: string): Authenticate {
  const adminHash = Buffer.from(hashToken(adminToken));
  /** By the whole header. The rights of a token are looked up each time. */
  const knownBearers = createRecent<Bearer>(knownHeadersMax);

  function byOrigin(callers: readonly CallerKind[], origin: string | undefined): Verdict | Promise<Verdict> {
    const missing = () => refuse("TOKEN_MISSING", "Send a token: Authorization: Bearer <token>.");
    if (!callers.includes("origin")) return missing();
    return callerByOrigin(context, origin).then((caller) => (caller ? { caller, rateKey: null } : missing()));
  }

  // Not async: the rows of most tokens are in the cache, and a promise would cost every request.
  function byHash(
    bearer: Bearer,
    callers: readonly CallerKind[],
    credentials: Credentials,
  ): Verdict | Promise<Verdict> {
    const row = peekTokenByHash(context.db, bearer.hash);
    if (row !== undefined) return byRow(row, bearer, callers, credentials);
    return findTokenByHash(context.db, bearer.hash).then((found) => byRow(found, bearer, callers, credentials));
  }

  function byRow(
    row: TokenRow | null,
    bearer: Bearer,
    callers: readonly CallerKind[],
    credentials: Credentials,
  ): Verdict | Promise<Verdict> {
    if (!row) return invalid(bearer.token);
    if (row.revokeTs !== null) return refuse("TOKEN_REVOKED", "The token has been revoked.");
    const now = context.now();
    if (row.expiresTs !== null && row.expiresTs <= now) return refuse("TOKEN_EXPIRED", "The token has expired.");
    if (!callers.includes(row.kind)) return forbidden(row.kind, callers);
    if (row.kind === "server" && credentials.origin !== undefined) return serverTokenInPage();
    const accept = (): Verdict => {
      context.tokenUses.note(row.tokenId, now);
      // Only known tokens are cached. Otherwise a flood of invented tokens would push them out.
      if (credentials.authorization !== undefined) knownBearers.set(credentials.authorization, bearer);
      return { caller: toCaller(row, bearer.hash), rateKey: row.tokenId };
    };
    const reach = checkReach(context, row, credentials);
    return reach === null ? accept() : reach.then((outOfReach) => outOfReach ?? accept());
  }

  return (callers, credentials) => {
    const { authorization } = credentials;
    const known = authorization === undefined ? undefined : knownBearers.get(authorization);
    if (known !== undefined) return byHash(known, callers, credentials);

    const token = bearerToken(authorization);
    if (isRefusal(token)) return token;
    if (token === null) {
      if (callers.includes("none")) return { caller: { kind: "none" }, rateKey: null };
      return byOrigin(callers, credentials.origin);
    }

    const derived = context.tokens.read(token);
    if (derived) {
      if (derived.kind !== "lobby" || !callers.includes("lobby")) return forbidden(derived.kind, callers);
      return { caller: derived, rateKey: derived.lobbyId };
    }

    const hash = hashToken(token);
    if (timingSafeEqual(Buffer.from(hash), adminHash)) {
      if (!callers.includes("admin")) return forbidden("admin", callers);
      return { caller: { kind: "admin" }, rateKey: "admin" };
    }
    if (claimedKind(token) === "session") return bySession(context, hash, callers);
    return byHash({ token, hash }, callers, credentials);
  };
}

async function bySession({ sessions }: Context, hash: string, callers: readonly CallerKind[]): Promise<Verdict> {
  const session = await sessions.find(hash);
  if (session === null) {
    return refuse("TOKEN_INVALID", "The session has ended. Sign in again.");
  }
  if (!callers.includes("session")) return forbidden("session", callers);
  return {
    caller: { kind: "session", tokenId: session.tokenId, expiresTs: session.expiresTs },
    rateKey: session.tokenId,
  };
}

/** null: no bearer token was sent, or nothing follows the word. Any other text after the word is an invalid token. */
function bearerToken(authorization: string | undefined) {
  if (authorization === undefined) return null;
  const token = /^bearer +(.*)$/i.exec(authorization.trim())?.[1];
  if (token === undefined) return null;
  return /^[\x21-\x7e]{1,512}$/.test(token) ? token : invalid("");
}

/** null, directly or as a promise: the token may be used for this request. */
function checkReach(context: Context, row: TokenRow, credentials: Credentials): Promise<Refusal | null> | null {
  if (row.kind === "cloud" && credentials.gameReference !== undefined) {
    return checkGame(context, row.gameId, credentials.gameReference);
  }
  if (row.kind === "pub" && row.namespaceId !== null && credentials.origin !== undefined) {
    return checkOrigin(context, row.namespaceId, credentials.origin, credentials.isLocal ?? false);
  }
  return null;
}

/** Games and namespaces of others get the same answer as those that do not exist. */
async function checkGame({ db }: Context, gameId: string, reference: string): Promise<Refusal | null> {
  const game = await findGame(db, reference);
  return game?.gameId === gameId ? null : gameNotFound(reference);
}

/** Every player has the public token; a namespace with domains accepts it only from pages on them. */
export async function checkOrigin(
  context: Context,
  namespaceId: string,
  origin: string,
  isLocal: boolean,
): Promise<Refusal | null> {
  const found = await listDomains(context.db, namespaceId);
  const domains = found.map(({ domain }) => domain);
  if (isOriginAllowed(origin, { domains, allowsLocalhost: false })) return null;
  const namespace = await findNamespaceById(context.db, namespaceId);
  const allowsLocalhost = namespace?.domainPublicAuth.allowLocalhost ?? false;
  if (isOriginAllowed(origin, { domains, allowsLocalhost })) return null;
  return refuseOrigin(origin, isLocal ? { domains } : {});
}

/** The pages that may use a namespace's public token and reach its lobbies. */
export interface AllowedOrigins {
  /** None: pages of every origin. */
  readonly domains: readonly string[];
  readonly allowsLocalhost: boolean;
}

export function isOriginAllowed(origin: string, { domains, allowsLocalhost }: AllowedOrigins): boolean {
  if (domains.length === 0) return true;
  const host = secureHost(origin);
  return (host !== null && domains.includes(host)) || (allowsLocalhost && isLocalhost(origin));
}

export function refuseOrigin(origin: string, metadata: Record<string, unknown> = {}): Refusal<"TOKEN_FORBIDDEN"> {
  return refuse("TOKEN_FORBIDDEN", refusedOriginMessage(origin), { metadata });
}

const originMaxCharacters = 200;

/** Says which origin it was and how to allow it; it does not list the allowed ones. */
function refusedOriginMessage(origin: string): string {
  const isCut = origin.length > originMaxCharacters;
  const shown = JSON.stringify(isCut ? `${origin.slice(0, originMaxCharacters - 1)}…` : origin);
  const refused = `The namespace does not accept its public token from pages of ${shown}.`;
  if (isLocalhost(origin)) return `${refused} To allow it, turn on allow_localhost of domain-public-auth.`;
  return `${refused} To allow it, add its domain to the namespace; the page must be served over https on the default port.`;
}

/** Browsers send an Origin, and every player can read what a page contains. */
function serverTokenInPage(): Refusal<"TOKEN_FORBIDDEN"> {
  const message =
    "A server token is a secret of your backend and is not accepted from web pages (requests with an Origin). Use a public token there.";
  return refuse("TOKEN_FORBIDDEN", message);
}

async function callerByOrigin(context: Context, origin: string | undefined): Promise<Caller | null> {
  const host = origin === undefined ? null : secureHost(origin);
  if (host === null) return null;
  const namespace = await findNamespaceByDomain(context.db, host);
  return namespace?.domainPublicAuth.enabled ? { kind: "origin", namespaceId: namespace.namespaceId } : null;
}

/** The host of an origin that is https on the default port, else null. Browsers send exactly this form. */
function secureHost(origin: string): string | null {
  return /^https:\/\/([a-z0-9.-]+)$/.exec(origin)?.[1] ?? null;
}

function isLocalhost(origin: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/.test(origin);
}

function toCaller(row: TokenRow, tokenHash: string): Caller {
  const { kind, tokenId, gameId } = row;
  if (kind === "cloud") return { kind, tokenId, gameId, expiresTs: row.expiresTs };
  const namespaceId = row.namespaceId!;
  if (kind === "dev") {
    // The details were checked when the token was created.
    return { kind, tokenId, gameId, namespaceId, server: JSON.parse(row.details!) as DevelopmentServer };
  }
  return kind === "server" ? { kind, tokenId, namespaceId, tokenHash } : { kind, tokenId, namespaceId };
}

function invalid(token: string): Refusal<"TOKEN_INVALID"> {
  const isLobby = claimedKind(token) === "lobby";
  return refuse(
    "TOKEN_INVALID",
    isLobby ? "The lobby token is not valid, or its lobby has ended." : "The token is not valid.",
  );
}

function forbidden(kind: string, callers: readonly CallerKind[]): Refusal<"TOKEN_FORBIDDEN"> {
  if (callers.includes("none")) {
    return refuse("TOKEN_FORBIDDEN", "This operation takes no token. Send it without an Authorization header.");
  }
  const allowed = callers.filter((caller) => caller !== "origin").map(kindInWords);
  const what = kindInWords(kind);
  const article = /^[aeiou]/.test(what) ? "An" : "A";
  return refuse(
    "TOKEN_FORBIDDEN",
    `${article} ${what} token cannot call this operation. Allowed: ${allowed.join(", ")}.`,
  );
}

/** The prefixes of tokens are short; messages spell them out. */
function kindInWords(kind: string): string {
  return { pub: "public", dev: "development", devplayer: "development player" }[kind] ?? kind;
}
