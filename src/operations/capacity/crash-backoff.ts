/** Why no lobby of a game mode may be started now. */
interface HeldBack {
  /** For the operator. */
  readonly message: string;
  readonly consecutiveFailures: number;
  readonly retryAfterS: number;
}

interface HeldBackMode extends HeldBack {
  readonly versionId: string;
  readonly gameMode: string;
  readonly nextTryAt: number;
}

/**
 * Delays game modes whose lobbies keep failing, so that a broken version does not start processes endlessly. After some
 * failures in a row it waits, each time twice as long, then allows one trial lobby. Others may start once that one is
 * ready; a failure shortly after being ready still counts.
 */
export interface StartGate {
  /** Null: a lobby may be started. Reserves nothing. */
  heldBack(versionId: string, gameMode: string, now: number): HeldBack | null;
  /** The same check for a lobby that is about to be started: during a trial, only one lobby is allowed. */
  enter(versionId: string, gameMode: string, lobbyId: string, now: number): HeldBack | null;
  becameReady(versionId: string, gameMode: string, lobbyId: string): void;
  /** A lobby failed. Returns the resulting delay; null: others may still be started. */
  failed(lobby: StartedLobby, why: string, now: number): HeldBack | null;
  /** A lobby ended normally, or before it could show whether it works. */
  ended(lobby: StartedLobby): void;
  all(now: number): HeldBackMode[];
}

/** What the gate needs to know about a lobby. */
export interface StartedLobby {
  readonly lobbyId: string;
  readonly versionId: string;
  readonly gameMode: string;
  readonly createdAt: number;
  readonly readyAt: number | null;
}

interface Failures {
  readonly versionId: string;
  readonly gameMode: string;
  count: number;
  nextTryAt: number;
  lastAt: number;
  why: string;
  /** The trial lobby; null: there is none, or the last one became ready. */
  trial: string | null;
  isOpen: boolean;
}

const failuresFree = 3;
const firstDelayMs = 1_000;
const longestDelayMs = 60_000;
const stableMs = 60_000;
const forgottenMs = 10 * 60_000;

export function createStartGate(): StartGate {
  const failing = new Map<string, Failures>();

  function lookUp(versionId: string, gameMode: string, now: number): Failures | undefined {
    const key = `${versionId} ${gameMode}`;
    const found = failing.get(key);
    if (found && now - found.lastAt > forgottenMs) failing.delete(key);
    return failing.get(key);
  }

  function look(failures: Failures | undefined, now: number): HeldBackMode | null {
    if (!failures || failures.count < failuresFree || failures.isOpen) return null;
    const { versionId, gameMode, count, nextTryAt, why, trial } = failures;
    if (trial === null && now >= nextTryAt) return null;
    const retryAfterS = Math.max(1, Math.ceil((nextTryAt - now) / 1000));
    const when = trial === null ? `Foyer tries again in ${retryAfterS} s.` : "A trial lobby is starting now.";
    const message = `Lobbies of the game mode ${gameMode} keep failing, ${count} in a row. The last one: ${why} ${when}`;
    return { versionId, gameMode, nextTryAt, message, consecutiveFailures: count, retryAfterS };
  }

  return {
    heldBack: (versionId, gameMode, now) => look(lookUp(versionId, gameMode, now), now),
    enter(versionId, gameMode, lobbyId, now) {
      const failures = lookUp(versionId, gameMode, now);
      const held = look(failures, now);
      if (held === null && failures && failures.count >= failuresFree && !failures.isOpen) failures.trial = lobbyId;
      return held;
    },
    becameReady(versionId, gameMode, lobbyId) {
      const failures = failing.get(`${versionId} ${gameMode}`);
      if (!failures || (failures.trial !== null && failures.trial !== lobbyId)) return;
      failures.trial = null;
      failures.isOpen = true;
    },
    failed(lobby, why, now) {
      const { versionId, gameMode, createdAt, readyAt } = lobby;
      const before = lookUp(versionId, gameMode, now);
      const wasStable = readyAt !== null && now - readyAt >= stableMs;
      const count = wasStable || !before ? 1 : countAfter(before, createdAt);
      const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.max(0, count - failuresFree));
      const nextTryAt = now + delayMs;
      const failures = { versionId, gameMode, count, nextTryAt, lastAt: now, why, trial: null, isOpen: false };
      failing.set(`${versionId} ${gameMode}`, failures);
      return look(failures, now);
    },
    ended({ lobbyId, versionId, gameMode, readyAt }) {
      const failures = failing.get(`${versionId} ${gameMode}`);
      if (readyAt !== null) failing.delete(`${versionId} ${gameMode}`);
      else if (failures?.trial === lobbyId) failures.trial = null;
    },
    all(now) {
      return [...failing.values()].map((failures) => look(failures, now)).filter((held) => held !== null);
    },
  };
}

/** Lobbies that start together fail together: above the allowed number they count as one failure. */
function countAfter(before: Failures, createdAt: number): number {
  return before.count < failuresFree || createdAt >= before.lastAt ? before.count + 1 : before.count;
}
