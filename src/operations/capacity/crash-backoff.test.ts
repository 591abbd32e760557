import { describe, expect, test } from "vitest";
import { createStartGate, type StartedLobby } from "./crash-backoff.ts";

const lobby = (more: Partial<StartedLobby> = {}): StartedLobby => ({
  lobbyId: "lobby",
  versionId: "v1",
  gameMode: "duel",
  createdAt: 0,
  readyAt: null,
  ...more,
});

/** A gate after failures one after the other, the last at `at`. */
function failedGate(count: number, at = 0) {
  const gate = createStartGate();
  for (let index = 0; index < count; index++) gate.failed(lobby({ createdAt: at }), "it broke.", at);
  return gate;
}

describe("the start gate", () => {
  test("[RT11] a few failures hold nothing back; from the third on the pause doubles, up to a minute", () => {
    const pauses = Array.from({ length: 12 }, (_, index) => failedGate(index).heldBack("v1", "duel", 0));
    const seconds = pauses.map((held) => held?.retryAfterS ?? 0);
    expect(seconds).toEqual([0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  test("[RT11] other game modes and versions are not held back", () => {
    const gate = failedGate(5);
    expect(gate.heldBack("v1", "royale", 0)).toBe(null);
    expect(gate.heldBack("v2", "duel", 0)).toBe(null);
  });

  test("[RT11] when the one that is tried fails, another is tried after the longer pause", () => {
    const gate = failedGate(3);
    expect(gate.enter("v1", "duel", "trial", 1000)).toBe(null);
    expect(gate.failed(lobby({ lobbyId: "trial", createdAt: 1000 }), "it broke.", 1500)?.retryAfterS).toBe(2);
    expect(gate.heldBack("v1", "duel", 3499)?.message).toMatch(/Foyer tries again in 1 s/);
    expect(gate.enter("v1", "duel", "next", 3500)).toBe(null);
  });

  test("[RT11] while one is tried, another lobby that becomes ready does not open the gate", () => {
    const gate = failedGate(3);
    expect(gate.enter("v1", "duel", "trial", 1000)).toBe(null);
    gate.becameReady("v1", "duel", "from before");
    expect(gate.heldBack("v1", "duel", 1000)?.message).toMatch(/trial lobby is starting now/);
    gate.becameReady("v2", "duel", "trial");
    gate.becameReady("v1", "royale", "trial");
    expect(gate.enter("v1", "duel", "second", 1000)).not.toBe(null);
    gate.becameReady("v1", "duel", "trial");
    expect(gate.heldBack("v1", "duel", 1000)).toBe(null);
  });

  test("[RT11] when the pause is over one lobby is tried; others wait until it is ready", () => {
    const gate = failedGate(3);
    expect(gate.enter("v1", "duel", "early", 999)).not.toBe(null);
    expect(gate.enter("v1", "duel", "trial", 1000)).toBe(null);
    expect(gate.enter("v1", "duel", "second", 1000)?.message).toMatch(/trial lobby is starting now/);
    gate.becameReady("v1", "duel", "trial");
    expect(gate.enter("v1", "duel", "second", 1001)).toBe(null);
  });

  test("[RT11] a trial that fails, also shortly after it was ready, doubles the pause", () => {
    const gate = failedGate(3);
    gate.enter("v1", "duel", "trial", 1000);
    gate.becameReady("v1", "duel", "trial");
    const held = gate.failed(lobby({ lobbyId: "trial", createdAt: 1000, readyAt: 1500 }), "it broke.", 2000);
    expect(held).toMatchObject({ consecutiveFailures: 4, retryAfterS: 2 });
  });

  test("[RT11] a trial that is called off lets another one try", () => {
    const gate = failedGate(3);
    gate.enter("v1", "duel", "trial", 1000);
    gate.ended(lobby({ lobbyId: "trial" }));
    expect(gate.enter("v1", "duel", "next", 1000)).toBe(null);
  });

  test("[RT11] lobbies that failed side by side are one failure beyond the free ones", () => {
    const gate = createStartGate();
    for (let at = 1; at <= 20; at++) gate.failed(lobby({ createdAt: 0 }), "it broke.", at);
    expect(gate.heldBack("v1", "duel", 20)?.consecutiveFailures).toBe(3);
  });

  test("[RT11] a lobby that ended as it should, a long life and a long peace clear the record", () => {
    const ended = failedGate(5);
    ended.ended(lobby({ readyAt: 0 }));
    expect(ended.heldBack("v1", "duel", 0)).toBe(null);
    const lived = failedGate(5);
    expect(lived.failed(lobby({ createdAt: 0, readyAt: 0 }), "it broke.", 60_000)).toBe(null);
    const peaceful = failedGate(5);
    expect(peaceful.failed(lobby({ createdAt: 600_001 }), "it broke.", 600_001)).toBe(null);
  });
});
