import { expect, test } from "vitest";
import { freePort } from "../../tests/support/services/programs.ts";
import { createPorts } from "./process-ports.ts";

const port = await freePort();

test("[GW26] a port behind the gateway rests after its lobby has ended, a direct one does not", async () => {
  let now = 0;
  const ports = createPorts({ min: port, max: port }, 0, "127.0.0.1", () => now);
  const take = () => ports.take({ game: { protocol: "ws" } });
  const had = { hostname: "localhost", port, isTls: false, protocol: "ws" };
  expect(await take()).toEqual({ game: port });
  ports.retire({ game: had });
  expect(await take()).toEqual({ game: port });
  ports.retire({ game: { ...had, routing: "gateway" } });
  expect(ports.taken()).toBe(0);
  now = 19_999;
  await expect(take()).rejects.toMatchObject({ isShortage: true });
  now = 20_000;
  expect(await take()).toEqual({ game: port });
});
