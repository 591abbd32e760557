import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectRefusal } from "../support/expectations.ts";
import { readGauge } from "../support/gauge.ts";
import { type Service, startService, until } from "../support/harness.ts";
import { openRaw } from "../support/raw.ts";
import { freePort } from "../support/services/programs.ts";

let service: Service;
let metricsPort: number;

beforeAll(async () => {
  metricsPort = await freePort();
  service = await startService("sqlite", { metricsPort });
});
afterAll(() => service?.close());

const host = "Host: 127.0.0.1\r\n";
const json = '{"display_name":"A","name_id":"a-b"}';
const post = () =>
  `POST /cloud/games/validate HTTP/1.1\r\n${host}Authorization: Bearer ${service.adminToken}\r\nContent-Type: application/json\r\n`;
const inChunks = (coding = "Transfer-Encoding: chunked") => `${post()}${coding}\r\n\r\n`;
const next = `GET /healthz HTTP/1.1\r\n${host}\r\n`;

const gauge = (name: string) => readGauge(metricsPort, name);

describe("a request that two servers could read in different ways", () => {
  test.each([
    ["a length with a sign", () => `${post()}Content-Length: +36\r\n\r\n${json}`],
    ["a length with a space in it", () => `${post()}Content-Length: 3 6\r\n\r\n${json}`],
    ["a length in hexadecimal", () => `${post()}Content-Length: 0x24\r\n\r\n${json}`],
    ["an empty length", () => `${post()}Content-Length: \r\n\r\n${json}`],
    ["a list of lengths", () => `${post()}Content-Length: 36, 36\r\n\r\n${json}`],
    ["the same length twice", () => `${post()}Content-Length: 36\r\nContent-Length: 36\r\n\r\n${json}`],
    ["a length beyond every number", () => `${post()}Content-Length: ${"9".repeat(30)}\r\n\r\n${json}`],
    ["a header in two lines", () => `GET /healthz HTTP/1.1\r\n${host}X-A: b\r\n c: d\r\n\r\n`],
    ["an encoding in two lines", () => `${inChunks("Transfer-Encoding:\r\n chunked")}24\r\n${json}\r\n0\r\n\r\n`],
    ["a space before the colon", () => `${inChunks("Transfer-Encoding : chunked")}24\r\n${json}\r\n0\r\n\r\n`],
    ["a control character before it", () => `${inChunks("Transfer-Encoding: \x0bchunked")}24\r\n${json}\r\n0\r\n\r\n`],
    ["line feeds alone", () => "GET /healthz HTTP/1.1\nHost: 127.0.0.1\n\n"],
    ["a carriage return in a value", () => `GET /healthz HTTP/1.1\r\n${host}X: a\rb\r\n\r\n`],
    ["a NUL in a value", () => `GET /healthz HTTP/1.1\r\n${host}X: a\0b\r\n\r\n`],
    ["a host and port as its target", () => `GET evil.example:80 HTTP/1.1\r\n${host}\r\n`],
    ["a chunk's size and a line feed alone", () => `${inChunks()}24\n${json}\r\n0\r\n\r\n`],
    ["a chunk's size with a sign", () => `${inChunks()}+24\r\n${json}\r\n0\r\n\r\n`],
    ["a chunk's size with 0x", () => `${inChunks()}0x24\r\n${json}\r\n0\r\n\r\n`],
    ["a chunk's size beyond every number", () => `${inChunks()}${"f".repeat(17)}\r\n${json}\r\n0\r\n\r\n`],
    ["a chunk that is longer than it says", () => `${inChunks()}24\r\n${json}0\r\n\r\n`],
    ["a chunk with an extension of 20 KiB", () => `${inChunks()}24;a=${"b".repeat(20_000)}\r\n${json}\r\n0\r\n\r\n`],
  ])("[AB1] %s: 400, and nothing after it is read", async (_title, write) => {
    const connection = await openRaw(service.port);
    connection.write(write() + next);
    expectRefusal((await connection.answer())!, "API_BAD_HEADER");
    expect(await connection.answer()).toBeNull();
    connection.destroy();
  });

  test.each([
    ["a short extension of a chunk", () => `${inChunks()}24;a=b\r\n${json}\r\n0\r\n\r\n`],
    ["headers after the body", () => `${inChunks()}24\r\n${json}\r\n0\r\nX-T: a\r\nAuthorization: b\r\n\r\n`],
  ])("[AB1] %s has no effect, and the next request is answered", async (_title, write) => {
    const connection = await openRaw(service.port);
    connection.write(write());
    expect((await connection.answer())?.status).toBe(200);
    connection.write(next);
    expect((await connection.answer())?.status).toBe(200);
    connection.destroy();
  });
});

test("[AB2] a body without an end is 413 at its limit, and the connection ends however much more is sent", async () => {
  const piece = `4000\r\n${" ".repeat(0x4000)}\r\n`;
  const before = await gauge("foyer_http_connections");
  const socket = connect(service.port, "127.0.0.1");
  // The service closes while this side still writes.
  socket.on("error", () => {});
  let received = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
  });
  let isClosed = false;
  socket.on("close", () => {
    isClosed = true;
  });
  socket.write(inChunks());
  let written = 0;
  while (!isClosed && written < 64 * 1024 * 1024) {
    written += piece.length;
    if (!socket.write(piece)) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(received).toMatch(/^HTTP\/1\.1 413 .*API_BODY_TOO_LARGE/s);
  await until(async () => (await gauge("foyer_http_connections")) <= before);
  expect(await gauge("foyer_http_in_flight")).toBe(0);
});

test("[AB3] 5,000 connections that send nothing take no request's place, and Foyer closes them", async () => {
  const idle = await Promise.all(Array.from({ length: 50 }, () => openMany(100)));
  const sockets = idle.flat();
  await until(async () => (await gauge("foyer_http_connections")) >= 5_000);
  for (let call = 0; call < 50; call++)
    expect((await service.request("GET", "/cloud/games", { token: service.adminToken })).status).toBe(200);
  await until(() => sockets.every((socket) => socket.destroyed || socket.readableEnded), 90_000);
  for (const socket of sockets) socket.destroy();
  await until(async () => (await gauge("foyer_http_connections")) < 100, 30_000);
});

/** One after the other, so that the system's queue of new connections is never full. */
async function openMany(count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const socket = connect(service.port, "127.0.0.1");
    socket.on("error", () => {});
    await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    socket.resume();
    sockets.push(socket);
  }
  return sockets;
}
