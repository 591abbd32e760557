import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { createServer as createNetServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../support/harness.ts";
import { openRaw } from "../support/raw.ts";
import { openThrough, type Through } from "./through.ts";
import { type GatewayWorld, listenOn, openGatewayWorld, startRawLobby, startWebLobby } from "./world.ts";

let world: GatewayWorld;
let standalone: Through;
beforeAll(async () => {
  world = await openGatewayWorld("sqlite", {}, {}, { clock: { now: Date.now, advance() {} } });
  standalone = await openThrough(world.service.url);
});
afterAll(async () => {
  await standalone?.close();
  await world?.close();
});

const portOf = { service: () => world.service.port, "foyer gateway": () => standalone.port };
type Way = keyof typeof portOf;
const ways = Object.keys(portOf) as Way[];

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request or a handshake. */
async function send(port: number, path: string, isUpgrade = false): Promise<Answer> {
  const upgrade = { connection: "Upgrade", upgrade: "websocket" };
  const sent = request({ port, path, host: "127.0.0.1", agent: false, headers: isUpgrade ? upgrade : {} });
  const upgraded = once(sent, "upgrade").then(([answer, socket]) => {
    (socket as Socket).destroy();
    return [answer];
  });
  upgraded.catch(() => undefined);
  sent.end();
  const [answer] = (await Promise.race([once(sent, "response"), upgraded])) as [IncomingMessage];
  let text = "";
  // Of an answer that breaks off, what came.
  try {
    if (answer.statusCode !== 101) for await (const piece of answer.setEncoding("utf8")) text += piece;
  } catch {}
  return { status: answer.statusCode ?? 0, headers: answer.headers, text };
}

/** A lobby that answers `/<index>` with that text, and ends the connection. */
async function startTextLobby(texts: readonly (string | Buffer)[]) {
  const lobby = await startRawLobby((socket) =>
    socket.once("data", (head) => socket.end(texts[Number(/^GET \/(\d+)/.exec(head.toString("latin1"))?.[1])] ?? "")),
  );
  return { ...(await world.lobbyAt(lobby.port)), close: lobby.close };
}

/** Sends one request for each index, some at a time. */
async function sendAll(count: number, path: (index: number) => string, port: number, isUpgrade: boolean) {
  const answers: Answer[] = [];
  for (let from = 0; from < count; from += 10) {
    const indexes = Array.from({ length: Math.min(10, count - from) }, (_, index) => from + index);
    answers.push(...(await Promise.all(indexes.map((index) => send(port, path(index), isUpgrade)))));
  }
  return answers;
}

const kinds = ways.flatMap((way) => [
  { way, kind: "a request", isUpgrade: false },
  { way, kind: "a handshake", isUpgrade: true },
]);

describe("[GW23] an answer that cannot be passed on is 502 for that exchange alone", () => {
  test.each(kinds)(
    "of all statuses 200 to 599 pass: $kind through $way",
    async ({ way, isUpgrade }) => {
      const statuses = Array.from({ length: 1000 }, (_, status) => String(status).padStart(3, "0"));
      const lobby = await startTextLobby(statuses.map((status) => `HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`));
      const port = portOf[way]();
      const answers = await sendAll(1000, (index) => `${lobby.web}/${index}`, port, isUpgrade);
      const expected = statuses.map((_, status) => (status >= 200 && status <= 599 ? status : 502));
      expect(answers.map(({ status }) => status)).toEqual(expected);
      expect(answers[99]?.text).toContain("API_LOBBY_UNREACHABLE");
      expect((await send(port, "/healthz")).status).toBe(200);
      lobby.close();
    },
    240_000,
  );

  const ok = "HTTP/1.1 200 OK\r\n";
  const odd: [string, string | Buffer, number][] = [
    ["no reason phrase", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200],
    ["a reason in other bytes", Buffer.from("HTTP/1.1 200 \xff\xfe\tOK\r\nContent-Length: 0\r\n\r\n", "latin1"), 200],
    ["a reason of 10,000 bytes", `HTTP/1.1 200 ${"r".repeat(10_000)}\r\nContent-Length: 0\r\n\r\n`, 200],
    ["a NUL in the reason", "HTTP/1.1 200 \0\r\nContent-Length: 0\r\n\r\n", 200],
    ["a control character in a value", `${ok}X-A: \x01\r\nContent-Length: 0\r\n\r\n`, 502],
    ["a NUL in a value", `${ok}X-A: a\0b\r\nContent-Length: 0\r\n\r\n`, 502],
    ["a delete character in a value", `${ok}X-A: \x7f\r\nContent-Length: 0\r\n\r\n`, 502],
    ["high bytes in a value", Buffer.from(`${ok}X-A: \xe9\xff\r\nContent-Length: 0\r\n\r\n`, "latin1"), 200],
    ["high bytes in a name", Buffer.from(`${ok}X-\xe9: a\r\nContent-Length: 0\r\n\r\n`, "latin1"), 502],
    ["a name with a bracket", `${ok}X(A: a\r\nContent-Length: 0\r\n\r\n`, 502],
    ["no name", `${ok}: a\r\nContent-Length: 0\r\n\r\n`, 502],
    ["a negative length", `${ok}Content-Length: -1\r\n\r\n`, 502],
    ["a length beyond all numbers", `${ok}Content-Length: 99999999999999999999999\r\n\r\n`, 502],
    ["trailers", `${ok}Transfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n1\r\na\r\n0\r\nX-T: 1\r\n\r\n`, 200],
    ["bad trailers", `${ok}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX(T: \x01\r\n\r\n`, 200],
    ["a bad chunk", `${ok}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 200],
    ["interim answers before its own", `HTTP/1.1 103 E\r\nLink: a\r\n\r\n${ok}Content-Length: 0\r\n\r\n`, 200],
    ["interim answers alone", "HTTP/1.1 100 C\r\n\r\nHTTP/1.1 102 P\r\n\r\n".repeat(50), 502],
    ["a second answer", `${ok}Content-Length: 0\r\n\r\n${ok}Content-Length: 0\r\n\r\n`, 200],
    ["another version", "HTTP/3.7 200 OK\r\nContent-Length: 0\r\n\r\n", 502],
    ["an upgrade to another protocol", "HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", 502],
    ["an upgrade without its header", "HTTP/1.1 101 S\r\n\r\n", 502],
    ["random bytes", Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256)), 502],
  ];

  test.each(kinds)("garbage: $kind through $way", async ({ way, isUpgrade }) => {
    const lobby = await startTextLobby(odd.map(([, text]) => text));
    const port = portOf[way]();
    const answers = await sendAll(odd.length, (index) => `${lobby.web}/${index}`, port, isUpgrade);
    expect(answers.map(({ status }, index) => [odd[index]?.[0], status])).toEqual(
      odd.map(([name, , status]) => [name, status]),
    );
    expect((await send(port, "/healthz")).status).toBe(200);
    lobby.close();
  });

  test.each(ways)("an upgrade that no one asked for is 502 through %s", async (way) => {
    const text = "HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    const lobby = await startTextLobby([text]);
    expect((await send(portOf[way](), `${lobby.web}/0`)).status).toBe(502);
    expect((await send(portOf[way](), `${lobby.web}/0`, true)).status).toBe(101);
    lobby.close();
  });
});

test("[GW23] a handshake's answer keeps bytes above 127", async () => {
  const head = "HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-A: \xe9\r\n\r\n";
  const lobby = await startTextLobby([Buffer.from(head, "latin1")]);
  expect((await send(world.service.port, `${lobby.web}/0`, true)).headers["x-a"]).toBe("\xe9");
  lobby.close();
});

describe("[GW10] a body that is encoded besides its chunks keeps its meaning", () => {
  const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";

  test.each(ways)("through %s", async (way) => {
    const lobby = await startTextLobby([head]);
    const { headers, text } = await send(portOf[way](), `${lobby.web}/0`);
    expect([headers["transfer-encoding"], text]).toEqual(["gzip, chunked", "abc"]);
    lobby.close();
  });

  test("and is 502 for a client that knows no chunks", async () => {
    const lobby = await startTextLobby([head]);
    const client = await openRaw(world.service.port);
    client.write(`GET ${lobby.web}/0 HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n`);
    expect((await client.answer())?.status).toBe(502);
    client.destroy();
    lobby.close();
  });
});

test("[GW12] answers lose what commands a proxy, and what asks for a password", async () => {
  const lost = {
    "x-accel-redirect": "/secret",
    "x-accel-buffering": "no",
    "X-Accel-Expires": "60",
    X_Accel_Redirect: "/secret",
    "x-sendfile": "/etc/passwd",
    "x-lighttpd-send-file": "/etc/passwd",
    "x-litespeed-location": "/secret",
    "x-reproxy-url": "http://127.0.0.1/",
    "www-authenticate": "Basic",
  };
  const lobby = await startWebLobby((_request, response) => response.writeHead(401, { ...lost, "x-kept": "1" }).end());
  const { web } = await world.lobbyAt(lobby.port);
  for (const way of ways) {
    const { status, headers } = await send(portOf[way](), web);
    expect([status, headers["x-kept"]]).toEqual([401, "1"]);
    for (const name of Object.keys(lost)) expect(headers).not.toHaveProperty(name.toLowerCase());
  }
  lobby.close();
});

test("[GW16] the lobby's connection ends with the player's, also where the lobby keeps its own side open", async () => {
  const sockets: Socket[] = [];
  const server = createNetServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket.on("error", () => undefined).resume());
    socket.write("HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  });
  const { game } = await world.lobbyAt(await listenOn(server));
  const client = await openRaw(world.service.port);
  client.write(`GET ${game} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
  expect((await client.answer())?.status).toBe(101);
  client.destroy();
  await until(() => {
    sockets[0]!.write("x");
    return sockets[0]!.destroyed;
  });
  server.close();
});

test("[GW11] [GW40] headers in which proxies name the client, and those of Foyer, come from no player", async () => {
  const lost = {
    x_forwarded_for: "1.2.3.4",
    "X_Forwarded-Host": "evil.example",
    "x-forwarded": "for=1.2.3.4",
    forwarded: "for=1.2.3.4",
    "true-client-ip": "1.2.3.4",
    True_Client_IP: "1.2.3.4",
    "cf-connecting-ip": "1.2.3.4",
    "x-real-ip": "1.2.3.4",
    "x-client-ip": "1.2.3.4",
    "x-foyer-node": "1 me abc",
    X_Foyer_Node: "1 me abc",
    Content_Length: "5",
  };
  const lobby = await startWebLobby();
  const { web } = await world.lobbyAt(lobby.port);
  // What is not for a lobby goes to the service, which this server is for once.
  const other = await openThrough(`http://127.0.0.1:${lobby.port}`);
  for (const [port, path] of [
    [world.service.port, web],
    [standalone.port, web],
    [other.port, "/any"],
  ] as const) {
    const sent = request({ port, path, host: "127.0.0.1", agent: false, headers: { ...lost, "x-kept": "1" } }).end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    answer.resume();
    const { headers } = lobby.seen.at(-1)!;
    expect([answer.statusCode, headers["x-kept"], headers["x-forwarded-for"]]).toEqual([200, "1", "127.0.0.1"]);
    for (const name of Object.keys(lost)) expect(headers).not.toHaveProperty(name.toLowerCase());
  }
  await other.close();
  lobby.close();
});
