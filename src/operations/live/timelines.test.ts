import { describe, expect, test } from "vitest";
import { anyLobby } from "../../../tests/support/any-lobby.ts";
import type { LobbyEvent, LobbyView, PlayerEvent } from "../../matchmaker/commands.ts";
import { createTimelines } from "./timelines.ts";

const namespaceId = "aaaaaaaa-0000-7000-8000-000000000001";

function lobby(changed: Partial<LobbyView> = {}): LobbyView {
  return {
    ...anyLobby,
    lobbyId: "lobby-1",
    versionId: "version",
    maxPlayers: 2,
    maxPlayersDirect: 2,
    readyMs: 1,
    reservationMs: 1,
    emptyMs: 1,
    status: "ready",
    isClosed: false,
    operatorClose: null,
    isSilent: false,
    isOutdated: false,
    reserved: 0,
    connected: 0,
    held: 0,
    state: null,
    waitsFor: null,
    createReason: "found",
    createdBy: null,
    createdAt: 1000,
    readyAt: 2000,
    lastHeartbeatAt: null,
    silentSince: null,
    emptySince: null,
    nodeId: null,
    peakSeats: 0,
    stoppedAt: null,
    stopReason: null,
    exit: null,
    code: null,
    ...changed,
  };
}

const lobbyEvent = (type: LobbyEvent["type"], at: number, of = lobby()): LobbyEvent => ({
  type,
  namespaceId,
  at,
  lobby: of,
});
const playerEvent = (at: number, lobbyId = "lobby-1"): PlayerEvent => ({
  type: "player.reserved",
  namespaceId,
  at,
  lobbyId,
  playerId: `player-${at}`,
  status: "reserved",
});

describe("timelines", () => {
  test("[TL1] events are listed in order, with their details", () => {
    const timelines = createTimelines();
    timelines.push(lobbyEvent("lobby.created", 1000));
    timelines.push(playerEvent(1000));
    timelines.push(lobbyEvent("lobby.changed", 1500, lobby({ ports: "{}" })));
    timelines.push(lobbyEvent("lobby.ready", 2000, lobby({ ports: "{}" })));
    timelines.push(lobbyEvent("lobby.changed", 3000, lobby({ ports: "{}", isSilent: true })));
    timelines.push(lobbyEvent("lobby.changed", 4000, lobby({ ports: "{}" })));
    timelines.push(lobbyEvent("lobby.changed", 5000, lobby({ ports: "{}", state: "1" })));
    const end = lobby({ status: "stopped", stoppedAt: 6000, stopReason: "empty" });
    timelines.push(lobbyEvent("lobby.stopped", 6000, end));
    expect(timelines.of(end)).toEqual([
      { at: 1000, event: "lobby.created", details: { reason: "found" } },
      { at: 1000, event: "player.reserved", details: { player_id: "player-1000", status: "reserved" } },
      { at: 1500, event: "lobby.changed", details: { change: "ports" } },
      { at: 2000, event: "lobby.ready", details: null },
      { at: 3000, event: "lobby.changed", details: { change: "fell_silent" } },
      { at: 4000, event: "lobby.changed", details: { change: "spoke_again" } },
      { at: 5000, event: "lobby.changed", details: { change: "state" } },
      { at: 6000, event: "lobby.stopped", details: { reason: "empty" } },
    ]);
  });

  test("[TL1] the last 50 are kept", () => {
    const timelines = createTimelines();
    for (let at = 3001; at <= 3120; at++) timelines.push(playerEvent(at));
    const told = timelines.of(lobby()).map(({ at }) => at);
    expect(told).toEqual(Array.from({ length: 50 }, (_, i) => 3071 + i));
    expect(timelines.size()).toBe(50);
  });

  test("[TL2] the times of the lobby's record are listed even when no event was received", () => {
    const timelines = createTimelines();
    timelines.push(playerEvent(2500));
    const over = lobby({ status: "stopped", stoppedAt: 3000, stopReason: "crashed" });
    expect(timelines.of(over).map(({ at, event }) => [at, event])).toEqual([
      [1000, "lobby.created"],
      [2000, "lobby.ready"],
      [2500, "player.reserved"],
      [3000, "lobby.stopped"],
    ]);
  });

  test("[TL3] all together are bounded, and the quietest lobby is forgotten first", () => {
    const timelines = createTimelines(100);
    for (let i = 0; i < 40; i++) timelines.push(playerEvent(3000 + i, "lobby-1"));
    for (let i = 0; i < 40; i++) timelines.push(playerEvent(4000 + i, "lobby-2"));
    timelines.push(playerEvent(5000, "lobby-1"));
    for (let i = 0; i < 40; i++) timelines.push(playerEvent(6000 + i, "lobby-3"));
    expect(timelines.size()).toBeLessThanOrEqual(100);
    expect(timelines.of(lobby({ lobbyId: "lobby-1" })).length).toBeGreaterThan(40);
    expect(timelines.of(lobby({ lobbyId: "lobby-2" }))).toHaveLength(2);
  });
});
