import { describe, expect, test } from "vitest";
import { checkHistory, type Limits } from "./check-history.ts";
import { type Admission, mostAtOnce, type Operation } from "./history.ts";
import { checkStampede } from "./twins.ts";

const limits: Limits = { reservationMs: 1000, perClientMax: null, lobbyCountMax: null };
const rulesOf = (history: readonly Operation[], more: Partial<Limits> = {}) =>
  checkHistory(history, { ...limits, ...more }).map(({ rule }) => rule);

type During = readonly [start: number, end: number];
const call = ([start, end]: During) => ({ start, end, outcome: "ok" as const });
const make = (lobbyId: string, capacity: number, during: During = [0, 1], directCapacity = capacity): Operation => ({
  type: "make",
  lobbyId,
  pool: "duel",
  capacity,
  directCapacity,
  ...call(during),
});
const close = (lobbyId: string, during: During): Operation => ({ type: "close", lobbyId, ...call(during) });
const open = (lobbyId: string, during: During): Operation => ({ type: "open", lobbyId, ...call(during) });
const stop = (lobbyId: string, during: During): Operation => ({ type: "stop", lobbyId, ...call(during) });
const connect = (playerId: string, during: During, lobbyId = "a"): Operation => ({
  type: "connect",
  lobbyId,
  playerId,
  ...call(during),
});
const leave = (playerId: string, during: During, lobbyId = "a"): Operation => ({
  type: "disconnect",
  lobbyId,
  playerId,
  ...call(during),
});
const drop = (playerId: string, during: During, lobbyId = "a"): Operation => ({
  type: "drop",
  lobbyId,
  playerId,
  ...call(during),
});
const admit = (type: Admission["type"], playerIds: string[], during: During, more: Partial<Admission> = {}) =>
  ({
    type,
    clientId: playerIds[0] ?? "nobody",
    seats: playerIds.length,
    pool: "duel",
    lobbyId: "a",
    playerIds,
    ...call(during),
    ...more,
  }) satisfies Operation;
const find = (playerId: string, during: During, more: Partial<Admission> = {}) =>
  admit("find", [playerId], during, more);
const refused = (during: During): Operation =>
  admit("find", [], during, { seats: 1, lobbyId: null, outcome: "refused" });

test("[CB6] a seat that is held and given to another player is a violation, one whose hold is over is not", () => {
  const history = [make("a", 1), find("p", [1, 2]), connect("p", [2, 3]), drop("p", [3, 4]), find("q", [50, 60])];
  expect(rulesOf(history, { reconnectMs: 1000 })).toContain(1);
  expect(rulesOf(history, { reconnectMs: 40 })).toEqual([]);
  expect(rulesOf([...history, leave("p", [10, 20])], { reconnectMs: 1000 })).toEqual([]);
});

test("[I16] a player connects once more after each drop, not more often", () => {
  const history = [make("a", 1), find("p", [1, 2]), connect("p", [2, 3]), drop("p", [3, 4]), connect("p", [5, 6])];
  expect(rulesOf(history, { reconnectMs: 1000 })).toEqual([]);
  expect(rulesOf([...history, connect("p", [7, 8])], { reconnectMs: 1000 })).toEqual([16]);
});

test("the most at once: an interval that ends where another begins does not meet it", () => {
  const intervals = [
    { from: 0, until: 5 },
    { from: 5, until: 9 },
    { from: 4, until: 6 },
    { from: 7, until: 7 },
  ];
  expect(mostAtOnce(intervals)).toEqual({ most: 2, at: 4 });
});

describe("[I7] closing", () => {
  const room = make("a", 9);
  test("a find that began before the close was answered may have the lobby", () => {
    expect(rulesOf([room, close("a", [10, 20]), find("p", [19, 30])])).toEqual([]);
  });
  test("a find that began after it may not", () => {
    expect(rulesOf([room, close("a", [10, 20]), find("p", [21, 30])])).toEqual([7]);
  });
  test("an open that had begun explains it", () => {
    expect(rulesOf([room, close("a", [10, 20]), find("p", [21, 30]), open("a", [29, 40])])).toEqual([]);
    expect(rulesOf([room, close("a", [10, 20]), open("a", [15, 18]), find("p", [21, 30])])).toEqual([]);
  });
  test("an open before the close or after the find does not", () => {
    expect(rulesOf([room, open("a", [5, 9]), close("a", [10, 20]), find("p", [21, 30])])).toEqual([7]);
    expect(rulesOf([room, close("a", [10, 20]), find("p", [21, 30]), open("a", [31, 40])])).toEqual([7]);
  });
  test("a second close starts a new period", () => {
    const history = [room, close("a", [10, 11]), open("a", [12, 13]), close("a", [14, 15]), find("p", [16, 17])];
    expect(rulesOf(history)).toEqual([7]);
  });
  test("a join, a replay and a close without an answer prove nothing", () => {
    expect(rulesOf([room, close("a", [10, 20]), admit("join", ["p"], [21, 30])])).toEqual([]);
    expect(rulesOf([room, close("a", [10, 20]), find("p", [21, 30], { isReplay: true })])).toEqual([]);
    const lost = { ...close("a", [10, Infinity]), outcome: "lost" } as Operation;
    expect(rulesOf([room, lost, find("p", [21, 30])])).toEqual([]);
  });
});

describe("[I1] capacity", () => {
  test("as many as there are seats", () => {
    expect(rulesOf([make("a", 2), find("p", [2, 3]), find("q", [4, 5])])).toEqual([]);
  });
  test("one more, found after the others or at the same time", () => {
    expect(rulesOf([make("a", 2), find("p", [2, 3]), find("q", [4, 5]), find("r", [6, 7])])).toContain(1);
    expect(rulesOf([make("a", 2), find("p", [2, 9]), find("q", [2, 9]), find("r", [2, 9])])).toContain(1);
  });
  test("a seat that may have been left, expired or ended with its lobby does not count", () => {
    const full = [make("a", 1), find("p", [2, 3])];
    expect(rulesOf([...full, leave("p", [5, 9]), find("q", [6, 7])])).toEqual([]);
    expect(rulesOf([...full, find("q", [1002, 1003])])).toEqual([]);
    expect(rulesOf([...full, connect("p", [4, 5]), find("q", [1002, 1003])])).toContain(1);
    expect(rulesOf([...full, stop("a", [3, 4])])).toEqual([]);
  });
  test("joins may fill up to the direct capacity, finds may not", () => {
    const two = [make("a", 1, [0, 1], 2), find("p", [2, 3])];
    expect(rulesOf([...two, admit("join", ["q"], [4, 5])])).toEqual([]);
    expect(rulesOf([...two, find("q", [4, 5])])).toEqual([1]);
    expect(rulesOf([...two, admit("join", ["q"], [4, 5]), admit("join", ["r"], [6, 7])])).toContain(1);
  });
});

describe("[I4] parties", () => {
  test("all seats of the party or none, and no seats of others", () => {
    expect(rulesOf([make("a", 4), admit("find", ["p", "q"], [2, 3])])).toEqual([]);
    expect(rulesOf([make("a", 4), admit("find", ["p"], [2, 3], { seats: 2 })])).toEqual([4]);
    expect(rulesOf([make("a", 4), find("p", [2, 3]), find("p", [4, 5])])).toEqual([4]);
  });
});

describe("[I5] seats per client", () => {
  const of = (playerId: string, during: During) => find(playerId, during, { clientId: "c" });
  test("exactly as many as allowed", () => {
    expect(rulesOf([make("a", 9), of("p", [2, 3]), of("q", [2, 3])], { perClientMax: 2 })).toEqual([]);
    expect(rulesOf([make("a", 9), of("p", [2, 3]), of("q", [2, 3]), of("r", [2, 3])], { perClientMax: 2 })).toEqual([
      5,
    ]);
  });
  test("a seat given back makes room for another", () => {
    const history = [make("a", 9), of("p", [2, 3]), leave("p", [4, 5]), of("q", [4, 6])];
    expect(rulesOf(history, { perClientMax: 1 })).toEqual([]);
  });
});

describe("[I9] [I14] duplicate lobbies", () => {
  test("a refused find although a lobby surely had room", () => {
    expect(rulesOf([make("a", 1), refused([2, 3])])).toEqual([9]);
    expect(rulesOf([make("a", 1), close("a", [2, 3]), open("a", [4, 5]), refused([6, 7])])).toEqual([9]);
  });
  test("it was closed, full, gone or not there yet, or may have been", () => {
    expect(rulesOf([make("a", 1), close("a", [2, 9]), refused([4, 5])])).toEqual([]);
    expect(rulesOf([make("a", 1), find("p", [2, 9]), refused([4, 5])])).toEqual([]);
    expect(rulesOf([make("a", 1), stop("a", [2, 9]), refused([4, 5])])).toEqual([]);
    expect(rulesOf([make("a", 1, [2, 9]), refused([4, 5])])).toEqual([]);
    expect(rulesOf([make("a", 1), find("p", [2, 3]), leave("p", [4, 9]), refused([5, 6])])).toEqual([]);
    const lost = find("p", [2, Infinity], { outcome: "lost", lobbyId: null, playerIds: [] });
    expect(rulesOf([make("a", 1), lost, refused([4, 5])])).toEqual([]);
  });
  test("[I6] a seat that was left is there for the next find", () => {
    expect(rulesOf([make("a", 1), find("p", [2, 3]), leave("p", [4, 5]), refused([6, 7])])).toEqual([9]);
  });
  test("a lobby made although another one had room", () => {
    const twin = find("p", [4, 5], { lobbyId: "b" });
    const made = { ...make("b", 2, [4, 5]), madeBy: twin } as Operation;
    expect(rulesOf([make("a", 2), twin, made])).toEqual([14]);
    expect(rulesOf([make("a", 2, [3, 9]), twin, made])).toEqual([]);
  });
  test("a burst of finds creates exactly the lobbies it needs", () => {
    const finds = ["p", "q", "r"].map((playerId, i) => find(playerId, [0, 9], { lobbyId: i < 2 ? "a" : "b" }));
    expect(checkStampede(finds, 2)).toEqual([]);
    expect(checkStampede(finds, 3).map(({ rule }) => rule)).toEqual([14]);
  });
});

describe("[I15] lobbies at once", () => {
  test("as many as may live", () => {
    const two = [make("a", 1), make("b", 1)];
    expect(rulesOf(two, { lobbyCountMax: 2 })).toEqual([]);
    expect(rulesOf(two, { lobbyCountMax: 1 })).toEqual([15]);
    expect(rulesOf([make("a", 1), stop("a", [2, 5]), make("b", 1, [3, 4])], { lobbyCountMax: 1 })).toEqual([]);
  });
});

describe("[I16] connecting", () => {
  const seated = [make("a", 2), find("p", [2, 3])];
  test("once", () => {
    const second = { ...connect("p", [6, 7]), outcome: "refused" } as Operation;
    expect(rulesOf([...seated, connect("p", [4, 5]), second])).toEqual([]);
    expect(rulesOf([...seated, connect("p", [4, 9]), connect("p", [4, 9])])).toEqual([16]);
  });
  test("not elsewhere, and not after leaving", () => {
    expect(rulesOf([...seated, connect("p", [4, 5], "b")])).toEqual([16]);
    expect(rulesOf([...seated, leave("p", [4, 5]), connect("p", [6, 7])])).toEqual([16]);
    expect(rulesOf([...seated, leave("p", [4, 7]), connect("p", [5, 6])])).toEqual([]);
  });
});
