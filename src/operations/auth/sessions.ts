import { createHmac } from "node:crypto";
import { createRates } from "../../ground/rates.ts";
import { hashToken, newKeptToken, newSignInCode } from "../../ground/tokens.ts";
import type { Db, Page } from "../../store/db.ts";
import {
  deleteSession,
  findCode,
  findSessionByHash,
  insertCode,
  insertSession,
  listSessions,
  noteSessionUse,
  type SessionRow,
} from "../../store/sessions.ts";

/** An operator who signed in with a code. */
interface Session {
  readonly tokenId: string;
  readonly createTs: number;
  readonly lastUsedTs: number;
  readonly expiresTs: number;
}

/** Codes for signing in, and who signed in: rows of the store, so that every node knows them, also after a restart. */
export interface Sessions {
  createCode(db?: Db): Promise<{ readonly code: string; readonly expiresTs: number }>;
  /** Uses the code up. `retryAfterS`: the code is wrong, and there were too many wrong ones in this minute. */
  signIn(
    code: string,
    record: (sessionId: string) => Db,
  ): Promise<(Session & { readonly token: string }) | "wrong" | { readonly retryAfterS: number }>;
  /** By the hash of its token. Null: it has ended. */
  find(tokenHash: string): Promise<Session | null>;
  /** Newest first. */
  list(page: Page): Promise<readonly Session[]>;
  /** False: there is no such session. */
  end(tokenId: string, db?: Db): Promise<boolean>;
}

export const codeLifeMs = 5 * 60_000;
export const idleMs = 12 * 3_600_000;
export const sessionLifeMs = 30 * 24 * 3_600_000;
/** A use is noted if the last noted one is this long ago. */
export const noteUseMs = 60_000;
export const wrongCodesPerMinute = 10;

/** More of them end the oldest. Only the admin token makes codes, so these are limits for its mistakes. */
export const codesMax = 100;
export const sessionsMax = 1_000;

interface SessionsParts {
  readonly db: Db;
  /** Sessions end when another admin token is set. The store gets its keyed hash. */
  readonly adminToken: string;
  readonly secret: Buffer;
  now(): number;
  newId(): string;
  /** For the rate of wrong codes. */
  monotonic(): number;
  onError(error: unknown): void;
}

export function createSessions({ db, adminToken, secret, now, newId, monotonic, onError }: SessionsParts): Sessions {
  const admin = createHmac("sha256", secret).update(`sessions of ${adminToken}`).digest("base64url");
  const wrongCodes = createRates();
  /** When this node last tried to note the use of a session. */
  const noted = new Map<string, number>();

  function noteUse({ sessionId, lastUsedTs }: SessionRow): void {
    const at = now();
    if (at - Math.max(lastUsedTs, noted.get(sessionId) ?? 0) < noteUseMs) return;
    const [oldest] = noted.keys();
    if (noted.size >= sessionsMax && oldest !== undefined) noted.delete(oldest);
    noted.set(sessionId, at);
    noteSessionUse(db, sessionId, at).catch(onError);
  }

  function toSession({ sessionId, createTs, lastUsedTs }: SessionRow): Session {
    const expiresTs = Math.min(lastUsedTs + idleMs, createTs + sessionLifeMs);
    return { tokenId: sessionId, createTs, lastUsedTs, expiresTs };
  }

  const open = () => ({ admin, createdAfter: now() - sessionLifeMs, usedAfter: now() - idleMs });

  function wrong(): "wrong" | { readonly retryAfterS: number } {
    const rate = wrongCodes.take("sign-in", "", wrongCodesPerMinute, monotonic());
    return rate === null || rate.allowed ? "wrong" : { retryAfterS: rate.resetS };
  }

  return {
    async createCode(recorded = db) {
      const code = newSignInCode();
      const createTs = now();
      const bounds = { rowsMax: codesMax, createdAfter: createTs - codeLifeMs };
      await insertCode(recorded, { hash: hashToken(code), admin, createTs }, bounds);
      return { code, expiresTs: createTs + codeLifeMs };
    },
    async signIn(code, record) {
      const at = now();
      const known = await findCode(db, hashToken(code));
      if (known === null || known.admin !== admin || known.createTs <= at - codeLifeMs) return wrong();
      const token = newKeptToken("session");
      const session = { sessionId: newId(), hash: hashToken(token), admin, createTs: at, lastUsedTs: at };
      const bounds = { rowsMax: sessionsMax, open: open() };
      const isMade = await insertSession(record(session.sessionId), { code: known.hash, session }, bounds);
      return isMade ? { ...toSession(session), token } : wrong();
    },
    async find(tokenHash) {
      const row = await findSessionByHash(db, tokenHash);
      if (row === null || row.admin !== admin || toSession(row).expiresTs <= now()) return null;
      noteUse(row);
      return toSession(row);
    },
    async list(page) {
      return (await listSessions(db, page, open())).map(toSession);
    },
    end: (tokenId, recorded = db) => deleteSession(recorded, tokenId),
  };
}
