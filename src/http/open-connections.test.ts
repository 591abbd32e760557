import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { createConnection } from "./exchange.ts";
import { createOpenConnections } from "./open-connections.ts";

// Cast: the list does not use the socket.
const make = () => createConnection({} as Socket, null);

test("[T42] every connection that was added and not deleted is open, in whatever order they come and go", () => {
  const open = createOpenConnections();
  const expected = new Set<ReturnType<typeof make>>();
  let chance = 7;
  for (let step = 0; step < 2000; step++) {
    chance = (chance * 16_807) % 2_147_483_647;
    if (chance % 5 < 3 || expected.size === 0) {
      const connection = make();
      open.add(connection);
      expected.add(connection);
    } else {
      const gone = [...expected][chance % expected.size]!;
      open.delete(gone);
      expected.delete(gone);
    }
    expect(open.all().length).toBe(expected.size);
  }
  expect(open.all().every((connection) => expected.has(connection))).toBe(true);
  for (const connection of expected) open.delete(connection);
  expect(open.all()).toEqual([]);
});

test("[T42] the last connection is deleted like any other", () => {
  const open = createOpenConnections();
  const [first, second] = [make(), make()];
  open.add(first);
  open.add(second);
  open.delete(second);
  expect(open.all()).toEqual([first]);
  open.delete(first);
  expect(open.all()).toEqual([]);
});
