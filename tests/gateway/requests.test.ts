import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectRefusal } from "../support/expectations.ts";
import { openRaw, sendRaw } from "../support/raw.ts";
import { answering, type GatewayWorld, openGatewayWorld, startRawLobby, startWebLobby } from "./world.ts";

let world: GatewayWorld;
beforeAll(async () => {
  world = await openGatewayWorld();
});
afterAll(() => world?.close());

const get = (path: string, headers: Record<string, string> = {}) => world.service.request("GET", path, { headers });

test("[GW10] a request below the lobby's path reaches the lobby with the rest of the path", async () => {
  const lobby = await startWebLobby();
  const { web, lobbyId } = await world.lobbyAt(lobby.port);
  for (const [sent, seen] of [
    ["", "/"],
    ["/", "/"],
    ["?a=1", "/?a=1"],
    ["/page/one?b=%2F&c", "/page/one?b=%2F&c"],
    ["//x/../y", "//x/../y"],
  ]) {
    const answer = await get(`${web}${sent}`);
    expect([answer.status, answer.text]).toEqual([200, "hello"]);
    expect(lobby.seen.at(-1)).toMatchObject({ method: "GET", url: seen });
  }
  expect((await get(`/lobby/${lobbyId.toUpperCase()}/web`)).status).toBe(200);
  lobby.close();
});

test("[GW10] methods, bodies, status and headers pass in both directions, preflights too", async () => {
  const lobby = await startWebLobby((request, response) => {
    response.writeHead(request.method === "DELETE" ? 204 : 207, {
      "x-lobby": "a",
      "access-control-allow-origin": "https://game.example",
    });
    response.end(request.method === "DELETE" ? undefined : `${request.method} done`);
  });
  const { web } = await world.lobbyAt(lobby.port);
  for (const method of ["POST", "PUT", "PATCH", "OPTIONS"]) {
    const answer = await world.service.request(method, `${web}/x`, {
      rawBody: "a body",
      headers: { "content-type": "text/plain", "x-own": "1" },
    });
    expect([answer.status, answer.text]).toEqual([207, `${method} done`]);
    expect(answer.headers).toMatchObject({ "x-lobby": "a", "access-control-allow-origin": "https://game.example" });
    const seen = lobby.seen.at(-1);
    expect(seen).toMatchObject({ method, body: "a body", headers: { "content-type": "text/plain", "x-own": "1" } });
  }
  expect((await world.service.request("DELETE", web)).status).toBe(204);
  expect((await world.service.request("POST", web)).status).toBe(207);
  expect(lobby.seen.at(-1)).toMatchObject({ method: "POST", body: "", headers: { "content-length": "0" } });
  const head = await world.service.request("HEAD", web);
  expect([head.status, head.bytes.length]).toEqual([207, 0]);
  lobby.close();
});

test("[GW11] the lobby sees who the client is, in headers that Foyer writes", async () => {
  const lobby = await startWebLobby();
  const { web } = await world.lobbyAt(lobby.port);
  await get(`${web}/x`, {
    "x-forwarded-for": "203.0.113.9, 198.51.100.7",
    "x-forwarded-proto": "https",
    "x-forwarded-prefix": "/mine",
    "x-forwarded-port": "1",
    "x-real-ip": "1.2.3.4",
    forwarded: "for=1.2.3.4",
    "x-foyer-node": "1 me abc",
    "x-foyer-coordinates": "1,2",
    cookie: "session=1",
    te: "trailers",
    authorization: "Bearer own",
  });
  const { headers } = lobby.seen[0]!;
  expect(headers).toEqual({
    host: `127.0.0.1:${world.service.port}`,
    connection: "close",
    authorization: "Bearer own",
    // The proxy on this machine is trusted, so the client is the last address that it names.
    "x-forwarded-for": "198.51.100.7",
    "x-forwarded-proto": "https",
    "x-forwarded-host": `127.0.0.1:${world.service.port}`,
    "x-forwarded-prefix": web,
  });
  lobby.close();
});

test("[GW12] answers lose headers that reach beyond the lobby's page, and pages are sandboxed", async () => {
  const lost = {
    "set-cookie": ["a=1", "b=2"],
    "service-worker-allowed": "/",
    "clear-site-data": '"*"',
    "strict-transport-security": "max-age=1",
    "alt-svc": 'h3=":443"',
    nel: "{}",
    "report-to": "{}",
    "reporting-endpoints": 'a="/b"',
    "referrer-policy": "unsafe-url",
    "x-content-type-options": "none",
    "proxy-authenticate": "Basic",
  };
  const lobby = await startWebLobby((_request, response) => {
    response.writeHead(200, {
      ...lost,
      "content-security-policy": "img-src *",
      "x-kept": "1",
      connection: "x-hop",
      "x-hop": "1",
    });
    response.end("<script>");
  });
  const { web } = await world.lobbyAt(lobby.port);
  const { headers } = await get(web);
  for (const name of Object.keys(lost)) {
    if (name !== "referrer-policy" && name !== "x-content-type-options") expect(headers).not.toHaveProperty(name);
  }
  expect(headers).toMatchObject({
    "x-kept": "1",
    "content-security-policy": "img-src *, sandbox allow-scripts allow-forms allow-modals allow-pointer-lock",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  });
  expect(headers).not.toHaveProperty("x-hop");
  lobby.close();
});

test("[GW12] a script for a service worker is refused", async () => {
  const lobby = await startWebLobby();
  const { web } = await world.lobbyAt(lobby.port);
  expectRefusal(await get(`${web}/worker.js`, { "service-worker": "script" }), "TOKEN_FORBIDDEN");
  expect(lobby.seen).toEqual([]);
  lobby.close();
});

describe("[GW13] what cannot be passed on gets the error body, which pages of any origin may read", () => {
  const refused = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await get(path, { origin: "https://elsewhere.example", ...headers });
    expect(answer.headers["access-control-allow-origin"]).toBe("*");
    return answer;
  };
  const nil = "00000000-0000-0000-0000-000000000000";

  test.each(["/lobby/", "/lobby/x", `/lobby/${nil}`, `/lobby/${nil}/`, `/lobby/${nil}/WEB`, `/lobby/${nil}%2Fweb`])(
    "%s is no path of a lobby: 404",
    async (path) => expectRefusal(await refused(path), "API_NOT_FOUND"),
  );

  test("unknown and registered lobbies are 404, and so are ports that are not behind the gateway", async () => {
    expectRefusal(await refused(`/lobby/${nil}/web`), "MATCHMAKER_LOBBY_NOT_FOUND");
    const own = { hostname: "own.example.com", port: 9000, is_tls: false };
    const registered = await world.arena.ready({ game_mode: "match", ports: { web: own, game: own, direct: own } });
    expectRefusal(await refused(`/lobby/${registered.lobbyId}/web`), "MATCHMAKER_LOBBY_NOT_FOUND");
    const { lobbyId } = await world.lobbyAt(9);
    expectRefusal(await refused(`/lobby/${lobbyId}/direct`), "API_NOT_FOUND");
    expectRefusal(await refused(`/lobby/${lobbyId}/other`), "API_NOT_FOUND");
  });

  test("a stopped lobby is 410, one that does not listen 502, TRACE 405", async () => {
    const lobby = await startWebLobby();
    const routed = await world.lobbyAt(lobby.port);
    expect((await get(routed.web)).status).toBe(200);
    expectRefusal(await world.service.request("TRACE", routed.web), "API_METHOD_NOT_ALLOWED");
    lobby.close();
    expectRefusal(await refused(routed.web), "API_LOBBY_UNREACHABLE");
    await routed.stop();
    expectRefusal(await refused(routed.web), "MATCHMAKER_LOBBY_STOPPED");
  });

  test("a request to a ws port that is no WebSocket is 426", async () => {
    const lobby = await startWebLobby();
    const { game } = await world.lobbyAt(lobby.port);
    const answer = await refused(game);
    expectRefusal(answer, "API_UPGRADE_REQUIRED");
    expect(answer.headers.upgrade).toBe("websocket");
    expectRefusal(await refused(game, { connection: "upgrade", upgrade: "h2c" }), "API_UPGRADE_REQUIRED");
    expect(lobby.seen).toEqual([]);
    lobby.close();
  });

  test.each([
    ["no HTTP", "SSH-2.0-x\r\n\r\n"],
    ["both framings", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"],
    ["a folded header", "HTTP/1.1 200 OK\r\nX-A: b\r\n c\r\nContent-Length: 0\r\n\r\n"],
    ["a space before a colon", "HTTP/1.1 200 OK\r\nX-A : b\r\nContent-Length: 0\r\n\r\n"],
    ["a head over 16 KiB", `HTTP/1.1 200 OK\r\nX-A: ${"a".repeat(17_000)}\r\n\r\n`],
    ["an upgrade nobody asked for", "HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"],
    ["nothing", ""],
  ])("a lobby that answers %s is 502", async (_name, text) => {
    const lobby = await startRawLobby((socket) => socket.once("data", () => socket.end(text)));
    const { web } = await world.lobbyAt(lobby.port);
    expectRefusal(await refused(web), "API_LOBBY_UNREACHABLE");
    lobby.close();
  });

  test("an answer that breaks off is never shown as whole", async () => {
    const text = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello";
    const lobby = await startRawLobby((socket) => socket.once("data", () => socket.end(text)));
    const { web } = await world.lobbyAt(lobby.port);
    await expect(get(web)).rejects.toThrow();
    lobby.close();
  });
});

test("[GW10] an answer without a length, and one in pieces, arrive whole", async () => {
  const whole = await startRawLobby((socket) =>
    socket.once("data", () => socket.end("HTTP/1.0 200 OK\r\n\r\nuntil the end")),
  );
  expect((await get((await world.lobbyAt(whole.port)).web)).text).toBe("until the end");
  whole.close();
  const chunked = await startRawLobby(
    answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"),
  );
  expect((await get((await world.lobbyAt(chunked.port)).web)).text).toBe("abcde");
  chunked.close();
});

describe("[GW14] requests are written from what was parsed", () => {
  const send = async (web: string, head: string, body = "") =>
    sendRaw(world.service.port, `POST ${web} HTTP/1.1\r\nHost: 127.0.0.1\r\n${head}\r\n\r\n${body}`);

  test.each([
    ["both framings", "Content-Length: 6\r\nTransfer-Encoding: chunked", "0\r\n\r\nX"],
    ["two lengths", "Content-Length: 1\r\nContent-Length: 2", "ab"],
    ["an unknown coding", "Transfer-Encoding: gzip, chunked", "0\r\n\r\n"],
    ["two codings", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "0\r\n\r\n"],
    ["a second host", "Host: other.example", ""],
    ["a folded header", "X-A: b\r\n c: d", ""],
    ["a space before a colon", "Content-Length : 3", "abc"],
    ["a bare line feed", "X-A: b\nX-B: c", ""],
    ["a NUL", "X-A: \0", ""],
  ])("%s is 400 and never reaches the lobby", async (_name, head, body) => {
    const lobby = await startWebLobby();
    const { web } = await world.lobbyAt(lobby.port);
    const answer = await send(web, head, body);
    expect(answer?.status).toBe(400);
    expect(lobby.seen).toEqual([]);
    lobby.close();
  });

  test("headers that Connection names are gone, and none of them can remove what Foyer writes", async () => {
    const lobby = await startWebLobby();
    const { web } = await world.lobbyAt(lobby.port);
    const named = "x-secret, x-forwarded-for, host, content-length, x-forwarded-prefix";
    await send(web, `Connection: close, ${named}\r\nX-Secret: 1\r\nContent-Length: 3`, "abc");
    const { headers, body } = lobby.seen[0]!;
    expect(headers).not.toHaveProperty("x-secret");
    expect(headers).toMatchObject({ host: "127.0.0.1", "content-length": "3", "x-forwarded-prefix": web });
    expect(headers["x-forwarded-for"]).toBe("127.0.0.1");
    expect(body).toBe("abc");
    lobby.close();
  });

  test("[T40] what follows a request in its packet is no part of it, and does not reach the lobby", async () => {
    const lobby = await startWebLobby();
    const { web } = await world.lobbyAt(lobby.port);
    const first = `POST ${web}/a HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`;
    const second = `GET ${web}/b HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`;
    const connection = await openRaw(world.service.port);
    connection.write(`${first}${second}`);
    expect([(await connection.answer())?.text, await connection.answer()]).toEqual(["hello", null]);
    await connection.closed;
    expect(lobby.seen.map(({ url, body }) => [url, body])).toEqual([["/a", "abc"]]);
    lobby.close();
  });
});
