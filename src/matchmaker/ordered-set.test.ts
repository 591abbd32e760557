import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addOrdered,
  createOrderedSet,
  firstOrdered,
  itemAt,
  orderedBefore,
  orderedFrom,
  orderedItems,
  removeOrdered,
} from "./ordered-set.ts";

const byNumber = (a: number, b: number) => a - b;

function orderedSetOf(items: Iterable<number>) {
  const set = createOrderedSet(byNumber);
  for (const item of items) addOrdered(set, item);
  return set;
}

describe("ordered set", () => {
  test("adding and removing in any order leaves what a sorted array would hold", () => {
    const steps = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 400 })), { maxLength: 2000 });
    fc.assert(
      fc.property(steps, fc.integer({ min: -1, max: 401 }), (all, from) => {
        const set = createOrderedSet(byNumber);
        const model = new Set<number>();
        for (const [isAdd, value] of all) {
          if (isAdd && !model.has(value)) {
            addOrdered(set, value);
            model.add(value);
          } else if (!isAdd && model.has(value)) {
            removeOrdered(set, value);
            model.delete(value);
          }
        }
        const sorted = [...model].sort(byNumber);
        expect([...orderedItems(set)]).toEqual(sorted);
        expect(set.size).toBe(sorted.length);
        expect([...orderedBefore(set, (item) => item < from)]).toEqual(
          sorted.filter((item) => item < from).toReversed(),
        );
        expect(firstOrdered(set)).toBe(sorted[0]);
        expect(itemAt(set, 3)).toBe(sorted[3]);
        expect([...orderedFrom(set, (value) => value < from)]).toEqual(sorted.filter((value) => value >= from));
        expect(set.chunks.every((chunk) => chunk.length > 0 && chunk.length <= 64)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test("ten thousand items split and join chunks without losing one", () => {
    const values = Array.from({ length: 10_000 }, (_, i) => (i * 7919) % 10_000);
    const set = orderedSetOf(values);
    expect([...orderedItems(set)]).toEqual(values.slice().sort(byNumber));
    expect(itemAt(set, 9_999)).toBe(9_999);
    expect(itemAt(set, 10_000)).toBeUndefined();
    for (const value of values) if (value % 100 !== 0) removeOrdered(set, value);
    expect([...orderedItems(set)]).toEqual(Array.from({ length: 100 }, (_, i) => i * 100));
    // Any two neighbours hold more than half a chunk, 32, together.
    expect(set.chunks.length).toBeLessThanOrEqual(7);
  });

  test("a search looks at a logarithm of the items", () => {
    const set = orderedSetOf(Array.from({ length: 50_000 }, (_, i) => i));
    set.steps = 0;
    expect(orderedFrom(set, (value) => value < 31_415).next().value).toBe(31_415);
    expect(set.steps).toBeLessThan(20);
  });

  test("adding an item twice, or removing a missing one, throws", () => {
    const set = orderedSetOf([1, 2]);
    expect(() => addOrdered(set, 2)).toThrow("already has");
    expect(() => removeOrdered(set, 3)).toThrow("does not have");
    expect(() => removeOrdered(set, 0)).toThrow("does not have");
    expect([...orderedItems(set)]).toEqual([1, 2]);
  });
});
