import { createRates } from "../../ground/rates.ts";
import { hashToken, newKeptToken, newSignInCode } from "../../ground/tokens.ts";

/** An operator who signed in with a code. */
interface Session {
  readonly tokenId: string;
  readonly expiresTs: number;
}

/** Codes for signing in, and who signed in: in the memory of this process only, so a restart ends them all. */
export interface Sessions {
  createCode(): { readonly code: string; readonly expiresTs: number };
  /** Uses the code up. `retryAfterS`: the code is wrong, and there were too many wrong ones in this minute. */
  signIn(code: string): (Session & { readonly token: string }) | "wrong" | { readonly retryAfterS: number };
  /** By the hash of its token. Null: it has ended, or this process does not know it. */
  find(tokenHash: string): Session | null;
  end(tokenId: string): void;
}

export const codeLifeMs = 5 * 60_000;
export const sessionLifeMs = 12 * 3_600_000;
export const wrongCodesPerMinute = 10;

/** More of them end the oldest. Only the admin token makes codes, so these are limits for its mistakes. */
export const codesMax = 100;
export const sessionsMax = 1_000;

interface SessionsParts {
  now(): number;
  newId(): string;
  /** For the rate of wrong codes. */
  monotonic(): number;
}

export function createSessions({ now, newId, monotonic }: SessionsParts): Sessions {
  // By hash, so that comparing says nothing about how much of a guess was right. In the order in which they end.
  const codes = new Map<string, { readonly expiresTs: number }>();
  const sessions = new Map<string, Session>();
  const wrongCodes = createRates();

  return {
    createCode() {
      const code = newSignInCode();
      const expiresTs = now() + codeLifeMs;
      add(codes, hashToken(code), { expiresTs }, codesMax);
      return { code, expiresTs };
    },
    signIn(code) {
      const hash = hashToken(code);
      const known = codes.get(hash);
      codes.delete(hash);
      if (known === undefined || known.expiresTs <= now()) {
        const rate = wrongCodes.take("sign-in", "", wrongCodesPerMinute, monotonic());
        return rate === null || rate.allowed ? "wrong" : { retryAfterS: rate.resetS };
      }
      const token = newKeptToken("session");
      const session = { tokenId: newId(), expiresTs: now() + sessionLifeMs };
      add(sessions, hashToken(token), session, sessionsMax);
      return { ...session, token };
    },
    find(tokenHash) {
      const session = sessions.get(tokenHash);
      if (session === undefined) return null;
      if (session.expiresTs > now()) return session;
      sessions.delete(tokenHash);
      return null;
    },
    end(tokenId) {
      for (const [hash, session] of sessions) if (session.tokenId === tokenId) sessions.delete(hash);
    },
  };
}

/** Makes room by dropping the oldest. */
function add<T>(map: Map<string, T>, key: string, value: T, max: number): void {
  for (const oldest of map.keys()) {
    if (map.size < max) break;
    map.delete(oldest);
  }
  map.set(key, value);
}
