import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { type BodyLimits, readAsItComes } from "./raw-body.ts";

const limits: BodyLimits = {
  pieceBytes: 100,
  pieceMs: 60_000,
  maxMs: 60_000,
  maxBytes: 1_000,
  tooLarge: () => new Error("too large"),
  tooSlow: () => new Error("too slow"),
};

async function readAll(chunks: AsyncIterable<Buffer>): Promise<string> {
  let text = "";
  for await (const chunk of chunks) text += chunk.toString();
  return text;
}

test("[BU7] a body is given as it comes, to its end", async () => {
  const stream = new PassThrough();
  const { chunks } = readAsItComes(stream, limits);
  stream.write("one ");
  setImmediate(() => stream.end("two"));
  expect(await readAll(chunks)).toBe("one two");
});

test("[BU7] more than the maximum is refused as soon as it comes", async () => {
  const stream = new PassThrough();
  const { chunks } = readAsItComes(stream, limits);
  stream.write(Buffer.alloc(1_001));
  await expect(readAll(chunks)).rejects.toThrow("too large");
});

test("[BU14] a client that sends less than a piece in the time of one is too slow, however many bytes it dribbles", async () => {
  const stream = new PassThrough();
  const { chunks } = readAsItComes(stream, { ...limits, pieceMs: 50 });
  const timer = setInterval(() => stream.write("x"), 5);
  await expect(readAll(chunks)).rejects.toThrow("too slow");
  clearInterval(timer);
});

test("[BU14] all of it has to come within the whole time, however fast", async () => {
  const stream = new PassThrough();
  const { chunks } = readAsItComes(stream, { ...limits, pieceBytes: 1, maxMs: 50, maxBytes: 1e9 });
  const timer = setInterval(() => stream.write("xx"), 1);
  await expect(readAll(chunks)).rejects.toThrow("too slow");
  clearInterval(timer);
});

test("[BU14] time in which nothing is asked for does not count against the client", async () => {
  const stream = new PassThrough();
  const { chunks } = readAsItComes(stream, { ...limits, pieceMs: 40 });
  const iterator = chunks[Symbol.asyncIterator]();
  stream.write("first");
  expect((await iterator.next()).value?.toString()).toBe("first");
  // Longer than the client would have.
  await new Promise((resolve) => setTimeout(resolve, 120));
  stream.end("second");
  expect((await iterator.next()).value?.toString()).toBe("second");
  expect((await iterator.next()).done).toBe(true);
});

test("[BU9] a client that disconnects ends the body with an error, and so does the service when it stops", async () => {
  const broken = new PassThrough();
  const first = readAsItComes(broken, limits);
  broken.write("half");
  setImmediate(() => broken.destroy());
  await expect(readAll(first.chunks)).rejects.toThrow("disconnected");

  const second = readAsItComes(new PassThrough(), limits);
  setImmediate(() => second.fail(new Error("stopping")));
  await expect(readAll(second.chunks)).rejects.toThrow("stopping");
});

test("[BU9] what comes after the answer is read and dropped", async () => {
  const stream = new PassThrough({ highWaterMark: 10 });
  const source = readAsItComes(stream, limits);
  source.drop();
  for (let index = 0; index < 100; index++) stream.write("x".repeat(10));
  stream.end();
  await new Promise((resolve) => stream.once("end", resolve));
  await expect(readAll(source.chunks)).rejects.toThrow("answered");
});
