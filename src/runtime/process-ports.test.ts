import { expect, test } from "vitest";
import { freePort } from "../../tests/support/services/programs.ts";
import { createPorts } from "./process-ports.ts";

const port = await freePort();

test("[GW26] a port behind the gateway rests after its lobby has ended, a direct one does not", async () => {
  let now = 0;
  const waits: number[] = [];
  const wait = async (ms: number) => {
    now += ms;
    waits.push(ms);
  };
  const ports = createPorts({ min: port, max: port }, 0, "127.0.0.1", { now: () => now, wait });
  const take = () => ports.take({ game: { protocol: "ws" } });
  const had = { hostname: "localhost", port, isTls: false, protocol: "ws" };
  expect(await take()).toEqual({ game: port });
  ports.retire({ game: had });
  expect(await take()).toEqual({ game: port });
  ports.retire({ game: { ...had, routing: "gateway" } });
  expect(ports.taken()).toBe(0);
  now = 12_000;
  // No other is free, so the start waits for it.
  expect(await take()).toEqual({ game: port });
  expect(waits).toEqual([8_000]);
  await expect(take()).rejects.toMatchObject({ isShortage: true });
});

test("[GW26] with as many ports as lobbies every start gets one, each after its rest", async () => {
  let now = 0;
  const count = 3;
  const wait = async (ms: number) => {
    now += ms;
  };
  const ports = createPorts({ min: port, max: port + count - 1 }, 0, "127.0.0.1", { now: () => now, wait });
  const endedAt = new Map<number, number>();
  for (let start = 0; start < 4 * count; start++) {
    const { game = 0 } = await ports.take({ game: { protocol: "ws" } });
    expect(now - (endedAt.get(game) ?? -20_000)).toBeGreaterThanOrEqual(20_000);
    now += 1_000;
    ports.retire({ game: { hostname: "localhost", port: game, isTls: false, protocol: "ws", routing: "gateway" } });
    endedAt.set(game, now);
  }
});
