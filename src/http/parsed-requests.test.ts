import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { Arrived } from "./exchange.ts";
import { takeParsedRequests } from "./parsed-requests.ts";

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** A server whose connection is busy from its first request on, and a client that has sent this. */
async function serve(sent: string, handle: (response: ServerResponse) => void = () => {}) {
  const handled: string[] = [];
  const waiting: Arrived[] = [];
  const server = createServer((request, response) => {
    handled.push(request.url!);
    handle(response);
  });
  server.on("upgrade", ({ url }) => void handled.push(`upgrade ${url}`));
  server.on("connection", (socket) =>
    takeParsedRequests(socket, {
      isBusy: () => handled.length > 0,
      isUpgrade: ({ url }) => url === "/socket",
      wait: (arrived) => void waiting.push(arrived),
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client: Socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => {});
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  client.write(sent);
  await once(server, "request");
  return { client, handled, waiting };
}

test("[T40] what comes on a busy connection waits, and is answered in order when it begins", async () => {
  const { client, handled, waiting } = await serve(get("/1") + get("/2") + get("/3"), (response) => response.end("."));
  await expect.poll(() => waiting.length).toBe(2);
  expect(handled).toEqual(["/1"]);
  for (const { begin } of waiting) begin();
  expect(handled).toEqual(["/1", "/2", "/3"]);
  let answers = "";
  client.on("data", (bytes) => {
    answers += bytes;
  });
  await expect.poll(() => answers.match(/HTTP\/1\.1 200/g)?.length).toBe(3);
});

test("[T40] a body that comes while its request waits is there when the request begins", async () => {
  const body = "x".repeat(1000);
  const post = `POST /2 HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const { waiting } = await serve(get("/1") + post);
  await expect.poll(() => waiting.length).toBe(1);
  const [{ raw, begin }] = waiting as [Arrived];
  begin();
  let read = "";
  for await (const piece of raw) read += piece;
  expect(read).toBe(body);
});

test("[FG3] what a client has sent on a connection that Foyer closes is not handled", async () => {
  const { client, waiting } = await serve(get("/").repeat(500), ({ socket }) => socket?.destroy());
  await once(client.resume(), "close");
  expect(waiting).toEqual([]);
});

test("[T40] a client that does not read is not read either, until it does", async () => {
  const { client, waiting } = await serve(get("/1") + get("/2"), (response) => response.end("x".repeat(20 * 2 ** 20)));
  await expect.poll(() => waiting.length).toBe(1);
  client.write(get("/3"));
  await sleep(50);
  expect(waiting.length).toBe(1);
  client.resume();
  await expect.poll(() => waiting.length).toBe(2);
});

const offer = (path: string, protocol: string) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`;

test("[T40] a request that offers another protocol waits as every other", async () => {
  const { handled, waiting } = await serve(get("/1") + get("/2") + offer("/3", "h2c"));
  await expect.poll(() => waiting.map(({ raw }) => raw.url)).toEqual(["/2", "/3"]);
  expect(handled).toEqual(["/1"]);
});

test("[T40] an upgrade does not wait: it ends the requests of its connection", async () => {
  const { handled, waiting } = await serve(get("/1") + get("/2") + offer("/socket", "websocket"));
  await expect.poll(() => handled).toEqual(["/1", "upgrade /socket"]);
  expect(waiting.map(({ raw }) => raw.url)).toEqual(["/2"]);
});
