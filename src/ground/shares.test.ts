import { describe, expect, test } from "vitest";
import { claimMs, createHoldings, createSharedPlaces, furtherPlaces, getsAnother, type TakenPlace } from "./shares.ts";

const start = 1_700_000_000_000;

/** Takes places for one until there is none left for it; gives them. */
function fill(places: ReturnType<typeof createSharedPlaces>, namespaceId: string, tokenId = namespaceId, now = start) {
  const taken: TakenPlace[] = [];
  for (let place = places.take({ namespaceId, tokenId }, now); place; ) {
    taken.push(place);
    place = places.take({ namespaceId, tokenId }, now);
  }
  return taken;
}

describe("a share of places", () => {
  test("[SH1] one alone gets all; of several each gets its share, and more while over a quarter is free", () => {
    const further = (places: number, free: number, held: number, claimants: number) =>
      furtherPlaces({ places, free, held, claimants: () => claimants });
    expect(further(8, 8, 0, 1)).toBe(8);
    expect(further(8, 1, 7, 1)).toBe(1);
    expect(further(8, 8, 0, 2)).toBe(6);
    expect(further(8, 3, 4, 2)).toBe(1);
    expect(further(8, 2, 6, 2)).toBe(0);
    expect(further(8, 2, 0, 2)).toBe(2);
    expect(further(8, 0, 0, 2)).toBe(0);
    expect(further(10, 4, 3, 3)).toBe(1);
    expect(further(10, 3, 4, 3)).toBe(0);
    expect(further(1, 1, 0, 50)).toBe(1);
    expect(further(0, 0, 0, 1)).toBe(0);
    expect(further(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 9, 3)).toBe(Number.POSITIVE_INFINITY);
  });

  test("[SH1] another slot is granted exactly when more slots exist", () => {
    for (let places = 0; places <= 9; places++) {
      for (let held = 0; held <= places; held++) {
        for (let others = 0; held + others <= places; others++) {
          for (let claimants = 1; claimants <= 4; claimants++) {
            const claim = { places, free: places - held - others, held, claimants: () => claimants };
            const isInShare = held < Math.ceil(places / claimants) || claim.free > Math.ceil(places / 4);
            expect(getsAnother(claim)).toBe(claim.free > 0 && isInShare);
            expect(furtherPlaces(claim) > 0).toBe(getsAnother(claim));
          }
        }
      }
    }
  });
});

describe("who wants places", () => {
  test("[SH2] who holds one counts, and for ten minutes who held or asked for one", () => {
    const holdings = createHoldings();
    const who = (now: number) => [...holdings.counts(now).keys()].toSorted();
    holdings.add("holds", start);
    holdings.add("held", start);
    holdings.note("asked", start);
    holdings.remove("held", start + 1_000);
    expect(who(start + claimMs - 1)).toEqual(["asked", "held", "holds"]);
    expect(who(start + claimMs)).toEqual(["held", "holds"]);
    holdings.note("held", start + claimMs + 500);
    expect(who(start + claimMs + 1_000)).toEqual(["held", "holds"]);
    expect(who(start + 2 * claimMs + 500)).toEqual(["holds"]);
    expect([holdings.total(), holdings.heldBy("holds"), holdings.heldBy("held")]).toEqual([1, 1, 0]);
  });

  test("[SH2] who asked and then got one is not forgotten while it has it", () => {
    const holdings = createHoldings();
    holdings.note("one", start);
    holdings.add("one", start);
    expect(holdings.counts(start + claimMs)).toEqual(new Map([["one", 1]]));
    expect(holdings.heldBy("one")).toBe(1);
  });

  test("[SH2] who asks while holding one is still forgotten ten minutes after the last one is gone", () => {
    const holdings = createHoldings();
    holdings.add("one", start);
    holdings.add("one", start);
    holdings.note("one", start + 5);
    holdings.remove("one", start + 10);
    expect(holdings.counts(start + 2 * claimMs).get("one")).toBe(1);
    holdings.remove("one", start + 2 * claimMs);
    holdings.remove("one", start + 2 * claimMs);
    expect(holdings.total()).toBe(0);
    expect(holdings.counts(start + 3 * claimMs - 1).size).toBe(1);
    expect(holdings.counts(start + 3 * claimMs).size).toBe(0);
  });
});

describe("shared places", () => {
  test("[SH3] a namespace that took all it could leaves the others their share, and does not get returned slots back", () => {
    const places = createSharedPlaces(8);
    const greedy = fill(places, "greedy");
    expect(greedy).toHaveLength(8);
    expect(places.take({ namespaceId: "small", tokenId: "small" }, start)).toBeNull();
    greedy[0]!.leave(start);
    expect(places.take({ namespaceId: "greedy", tokenId: "greedy" }, start)).toBeNull();
    const [small] = fill(places, "small");
    greedy[1]!.leave(start);
    greedy[1]!.leave(start);
    expect(fill(places, "greedy")).toEqual([]);
    small!.leave(start);
    expect(places.taken()).toBe(6);
    // Ten minutes later nobody else wants one.
    expect(fill(places, "greedy", "greedy", start + claimMs)).toHaveLength(2);
  });

  test("[SH4] a token has a share as a namespace has, also within one namespace", () => {
    const places = createSharedPlaces(8);
    places.take({ namespaceId: "one", tokenId: "second" }, start)?.leave(start);
    expect(fill(places, "one", "first")).toHaveLength(6);
    expect(fill(places, "one", "second")).toHaveLength(2);
    expect(places.taken()).toBe(8);
  });

  test("[GP1] many tokens of another namespace make no token's share smaller", () => {
    const places = createSharedPlaces(8);
    for (let index = 0; index < 20; index++) {
      const place = places.take({ namespaceId: "crowd", tokenId: `crowd-${index}` }, start)!;
      if (index < 16) place.leave(start);
    }
    expect(places.taken()).toBe(4);
    expect(fill(places, "one", "lone")).toHaveLength(4);
  });

  test("[GP1] the tokens of a namespace share what the namespace gets", () => {
    const places = createSharedPlaces(16);
    for (const tokenId of ["first", "second"]) places.take({ namespaceId: "one", tokenId }, start)?.leave(start);
    const others = fill(places, "other");
    expect(others).toHaveLength(12);
    for (const place of others.slice(0, 4)) place.leave(start);
    // Half of all is the namespace's, and half of that each token's.
    const first = fill(places, "one", "first");
    expect(first).toHaveLength(4);
    expect(fill(places, "one", "second")).toHaveLength(4);
    first[0]!.leave(start);
    expect(fill(places, "one", "second")).toEqual([]);
    expect(fill(places, "one", "first")).toHaveLength(1);
  });

  test("[SH4] a token does not get more by asking in many namespaces", () => {
    const places = createSharedPlaces(8);
    places.take({ namespaceId: "theirs", tokenId: "other" }, start)?.leave(start);
    const taken = Array.from({ length: 20 }, (_, index) =>
      places.take({ namespaceId: `own-${index}`, tokenId: "greedy" }, start),
    );
    expect(taken.filter((place) => place !== null)).toHaveLength(6);
    expect(places.take({ namespaceId: "theirs", tokenId: "other" }, start)).not.toBeNull();
  });
});
