import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { pump } from "./pump.ts";

const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});

/** Two ends of a connection. */
async function pair(): Promise<[Socket, Socket]> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const accepted = once(server, "connection");
  const near = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [far] = (await accepted) as [Socket];
  server.close();
  open.push(near, far);
  for (const socket of [near, far]) socket.on("error", () => undefined);
  return [near, far];
}

test("[GW21] of a reader that does not read at most 64 KiB are held, however much is sent", async () => {
  const [sender, from] = await pair();
  const [to, reader] = await pair();
  reader.pause();
  const { buffered } = pump(from, to);
  const total = 64 * 1024 * 1024;
  sender.write(Buffer.alloc(total));
  let most = 0;
  let before = -1;
  // Until the systems' buffers are full and nothing moves.
  while (from.bytesRead !== before || buffered() === 0) {
    before = from.bytesRead;
    for (let turn = 0; turn < 200; turn++) {
      most = Math.max(most, buffered());
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(64 * 1024);
  expect(from.bytesRead).toBeLessThan(total);

  let received = 0;
  reader.on("data", (piece: Buffer) => {
    received += piece.length;
  });
  reader.resume();
  await expect.poll(() => received, { timeout: 60_000 }).toBe(total);
});

test("[GW21] pieces arrive in order, and the end is passed on after them", async () => {
  const [sender, from] = await pair();
  const [to, reader] = await pair();
  pump(from, to);
  let text = "";
  reader.on("data", (piece: Buffer) => {
    text += piece.toString();
  });
  const expected = Array.from({ length: 2000 }, (_, index) => `${index};`).join("");
  for (let index = 0; index < 2000; index++) sender.write(`${index};`);
  sender.end();
  await once(reader, "end");
  expect(text).toBe(expected);
});
