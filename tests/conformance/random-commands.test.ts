import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { apply } from "../../src/matchmaker/apply.ts";
import { loadState } from "../../src/matchmaker/changes.ts";
import { createState } from "../../src/matchmaker/state.ts";
import { checkInvariants } from "../support/invariants.ts";
import { stateHash } from "../support/state-hash.ts";
import {
  createHistory,
  keepChanges,
  randomNamespaceId,
  runHistory,
  type StoredRecords,
  steps,
} from "./random-commands.ts";

describe("random commands", () => {
  test("[DU1] [S2] [F6] [I1] [I2] [I3] any history keeps every invariant, and its changes add up to its state", () => {
    fc.assert(
      fc.property(steps(200), (history) => {
        runHistory(history);
      }),
      { numRuns: 25 },
    );
  });

  test("the histories cover the important outcomes", () => {
    const histories = fc.sample(steps(200), { seed: 20, numRuns: 25 });
    const seen = new Set(histories.flatMap((history) => runHistory(history).outcomes));
    const wanted = [
      "connectPlayer PLAYER_IN_DIFFERENT_LOBBY",
      "connectPlayer ok",
      "createLobby CODES_TAKEN",
      "createLobby NOT_NEEDED",
      "createLobby ok",
      "disconnectPlayer ok",
      "find CODES_TAKEN",
      "find IDEMPOTENCY_KEY_REUSED",
      "find NO_AVAILABLE_LOBBIES",
      "find PLAYER_ALREADY_SEATED",
      "find TOO_MANY_PLAYERS_FROM_SOURCE",
      "find ok",
      "join KEY_NOT_VOUCHED",
      "join LOBBY_FULL",
      "join LOBBY_STOPPED",
      "join ok",
      "setReady LOBBY_STOPPED",
    ];
    expect(wanted.filter((outcome) => !seen.has(outcome))).toEqual([]);
  });

  test("[S4] expiring often or rarely makes no difference to the result of any history", () => {
    fc.assert(
      fc.property(steps(120), (history) => {
        const states = [0, 1].map((extra) => {
          const { commandOf, note } = createHistory();
          const state = createState(randomNamespaceId);
          for (const step of history) {
            const command = commandOf(step);
            for (let early = extra; early > 0 && command.type !== "restarted"; early -= 0.25) {
              apply(state, { type: "expire", namespaceId: randomNamespaceId, now: command.now - early * step.wait });
            }
            note(apply(state, command).outcome);
          }
          return stateHash(state);
        });
        expect(states[1]).toBe(states[0]);
      }),
      { numRuns: 30 },
    );
  });

  test("[DU2] [I23] a state that was stored and loaded answers like the one that lived on", () => {
    fc.assert(
      fc.property(steps(60), steps(60), (before, after) => {
        const { commandOf, note } = createHistory();
        const lived = createState(randomNamespaceId);
        const stored: StoredRecords = new Map();
        let now = 0;
        for (const step of before) {
          const command = commandOf(step);
          now = Math.max(now, command.now);
          const { outcome, changes } = apply(lived, command);
          note(outcome);
          keepChanges(stored, changes);
        }
        const loaded = loadState(randomNamespaceId, stored.values());
        const restart = { type: "restarted", namespaceId: randomNamespaceId, now } as const;
        for (const step of [null, ...after]) {
          const command = step === null ? restart : commandOf({ ...step, kind: Math.max(step.kind, 1) });
          const { outcome } = apply(lived, command);
          note(outcome);
          expect(withoutHeartbeats(apply(loaded, command).outcome)).toBe(withoutHeartbeats(outcome));
          expect(checkInvariants(loaded)).toEqual([]);
        }
        expect(stateHash(loaded)).toBe(stateHash(lived));
      }),
      { numRuns: 30 },
    );
  });
});

/**
 * The time of the last heartbeat is the one thing that is not stored. After a restart a timer may therefore ring early, each
 * in its own way: `nextDueAt` is never too late (the invariants check it), but it is not the same number in both.
 */
function withoutHeartbeats(outcome: object): string {
  const isLeftOut = (key: string) => key === "lastHeartbeatAt" || key === "nextDueAt";
  return JSON.stringify(outcome, (key, value) => (isLeftOut(key) ? undefined : value));
}
