import { expect, test } from "vitest";
import { isRefusal } from "../operations/refusal.ts";
import type { LobbyRoute } from "../operations/routing/routes.ts";
import { createBounds } from "./bounds.ts";

// Only these fields of a route are counted with.
const route = (lobbyId: string) => ({ lobbyId, connectionsMax: 100, clientConnectionsMax: 100 }) as LobbyRoute;

test("[GW20] an IPv6 /48 has four times the connections of a client, and gets them back", () => {
  const bounds = createBounds({ all: 1000, perClient: 2 });
  const take = (client: string) => bounds.take(route("a"), { client, network: "2001:db8::/48", isCounted: true });
  const taken = ["1", "1", "2", "2", "3", "3", "4", "4"].map(take);
  expect(taken.filter(isRefusal)).toEqual([]);
  expect(take("5")).toMatchObject({ code: "API_RATE_LIMIT" });
  const other = { client: "6", network: "2001:db8:1::/48", isCounted: true };
  expect(isRefusal(bounds.take(route("a"), other))).toBe(false);
  const [first] = taken;
  if (typeof first !== "function") throw new Error("A place was refused.");
  first();
  first();
  expect(isRefusal(take("5"))).toBe(false);
  expect(take("5")).toMatchObject({ code: "API_RATE_LIMIT" });
});

test("[GW25] half of a lobby's connections are kept for clients with a seat in it", () => {
  const bounds = createBounds({ all: 1000, perClient: 1000 });
  const small = { ...route("a"), connectionsMax: 25 };
  const stranger = (index: number) => ({ client: `stranger ${index}`, network: null, isCounted: true });
  const player = (index: number) => ({ client: `player ${index}`, network: null, isCounted: true });
  const taken = Array.from({ length: 50 }, (_, index) => bounds.take(small, stranger(index)));
  expect(taken.filter((place) => !isRefusal(place))).toHaveLength(12);
  expect(taken[12]).toMatchObject({ code: "API_UNAVAILABLE" });
  expect(bounds.isForSeated(small, player(0))).toBe(true);
  const seated = Array.from({ length: 14 }, (_, index) => bounds.take(small, player(index), true));
  expect(seated.map(isRefusal)).toEqual([...Array(13).fill(false), true]);
  for (const leave of [...taken, ...seated]) if (!isRefusal(leave)) leave();
  expect(isRefusal(bounds.take(small, stranger(0)))).toBe(false);
});

test("[GW20] a lobby and the node are full for everyone, also for programs that are no client", () => {
  const bounds = createBounds({ all: 3, perClient: 100 });
  const holder = { client: "127.0.0.1", network: null, isCounted: false };
  const small = { ...route("a"), connectionsMax: 2 };
  expect([1, 2].map(() => isRefusal(bounds.take(small, holder)))).toEqual([false, false]);
  expect(bounds.take(small, holder)).toMatchObject({ code: "API_UNAVAILABLE" });
  expect(isRefusal(bounds.take(route("b"), holder))).toBe(false);
  expect(bounds.take(route("b"), holder)).toMatchObject({ code: "API_UNAVAILABLE" });
  expect(bounds.count()).toBe(3);
});
