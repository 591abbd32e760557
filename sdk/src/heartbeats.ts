import type { PlayerApi } from "./generated/api.ts";
import type { HeartbeatAnswer } from "./generated/types.ts";
import type { Roster } from "./roster.ts";

interface Heartbeats {
  readonly api: Pick<PlayerApi, "lobbies">;
  readonly roster: Roster;
  /** Fixed by the caller; null: chosen from the `heartbeat_s` that Foyer expects. */
  readonly everyMs: number | null;
  /** What Foyer expects before the first answer; null: unknown. */
  readonly expectedS: number | null;
  onAnswer(answer: HeartbeatAnswer): void;
  onFailure(error: unknown): void;
}

const usualMs = 10_000;
const answerWithinMs = 10_000;

/** Sends the lobby's players again and again, one heartbeat at a time. The result ends it. */
export function startHeartbeats(heartbeats: Heartbeats): () => void {
  const { api, roster, everyMs } = heartbeats;
  let expectedS = heartbeats.expectedS ?? 0;
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout>;

  async function beat() {
    const sent = roster.sent();
    const playerIds = [...sent.seats.values()].map(({ player }) => player.playerId);
    try {
      const signal = AbortSignal.timeout(answerWithinMs);
      const answer = await api.lobbies.heartbeat({ player_ids: playerIds }, { signal });
      if (isStopped) return;
      expectedS = answer.heartbeat_s;
      roster.removeMissing(sent, answer);
      heartbeats.onAnswer(answer);
    } catch (error) {
      if (!isStopped) heartbeats.onFailure(error);
    }
    if (!isStopped) schedule();
  }

  function schedule() {
    timer = setTimeout(() => void beat(), everyMs ?? chooseInterval(expectedS));
  }

  schedule();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** Three heartbeats fit into the time after which Foyer counts the lobby as silent. */
function chooseInterval(expectedS: number): number {
  return expectedS > 0 ? Math.min((expectedS * 1000) / 3, usualMs) : usualMs;
}
