import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { install } from "../nodes/installation.ts";
import { listenTo } from "../support/event-streams.ts";
import { type Service, startService, until } from "../support/harness.ts";
import { freePort } from "../support/services/programs.ts";
import { startNginx } from "../support/services/proxies.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const template = readFileSync(fileURLToPath(new URL("../../deploy/nginx.conf", import.meta.url)), "utf8");
const closing: (() => Promise<unknown>)[] = [];
let service: Service;
let port: number;

/** nginx itself, with our file in front of one node that is there and one that is not. */
beforeAll(async () => {
  port = await freePort();
  service = await startService("sqlite", { publicUrl: `http://127.0.0.1:${port}`, trustedProxies: ["127.0.0.1"] });
  closing.push(() => service.close());
  await openNginx(port, await freePort(), service.port);
}, 120_000);

/** nginx on that port, with our file in front of nodes on the two others. */
async function openNginx(port: number, first: number, second: number): Promise<void> {
  const text = configuration({
    "listen 8080;": `listen 127.0.0.1:${port};`,
    "foyer-1:7100": `127.0.0.1:${first}`,
    "foyer-2:7100": `127.0.0.1:${second}`,
  });
  const nginx = await startNginx(temporaryFolder(), text);
  closing.push(() => nginx.stop());
  await until(() =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
}

afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

/** Our file with other addresses. */
function configuration(addresses: Record<string, string>): string {
  let text = template;
  for (const [name, address] of Object.entries(addresses)) {
    expect(text).toContain(name);
    text = text.replace(name, address);
  }
  return text;
}

describe("behind the nginx of deploy/", () => {
  const through = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${service.adminToken}`, "content-type": "application/json", ...init.headers },
    });

  test("a node that cannot be reached is passed over, also by calls that change something", async () => {
    for (let count = 0; count < 20; count++) {
      const body = JSON.stringify({ display_name: "Game", name_id: `game-${count}` });
      expect((await through("/cloud/games", { method: "POST", body })).status).toBe(200);
    }
    expect((await service.admin("GET", "/cloud/games")).games).toHaveLength(20);
  });

  test("events come as they happen", async () => {
    const { namespace_id } = await service.admin("POST", "/cloud/games/game-0/namespaces", {
      display_name: "Prod",
      name_id: "prod",
    });
    const path = `/cloud/games/game-0/namespaces/${namespace_id}`;
    const listener = await listenTo({ port }, `${path}/events`, { token: service.adminToken });
    await service.admin("POST", `${path}/mm-config`, { lobby_count_max: 7, max_players: 3 });
    expect((await listener.first(1))[0]).toMatchObject({ event: "namespace.configured" });
    listener.leave();
  });

  test("a client's address is the one that nginx saw, whatever the client says", async () => {
    // Loopback has no limits when it comes directly; through a proxy it is a client like any other.
    const { token } = await service.admin("POST", "/cloud/games/game-0/namespaces/prod/tokens/public");
    const find = (forwardedFor: string) =>
      through("/matchmaker/lobbies/find", {
        method: "POST",
        body: JSON.stringify({ game_modes: ["duel"] }),
        headers: { authorization: `Bearer ${token}`, "x-forwarded-for": forwardedFor },
      });
    const statuses: number[] = [];
    for (let count = 0; count < 61; count++) statuses.push((await find(`203.0.113.${count}`)).status);
    expect(statuses.slice(0, 60)).not.toContain(429);
    expect(statuses[60]).toBe(429);
  });

  test("a body that is too large is refused by Foyer, in its own words", async () => {
    const body = JSON.stringify({ display_name: "x".repeat(100_000), name_id: "big" });
    const answer = await through("/cloud/games", { method: "POST", body });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ code: "API_BODY_TOO_LARGE" });
  });
});

test("[SG1] [SG2] behind the nginx of deploy/ codes and sessions are good whichever node gets the call", async () => {
  const installation = await install();
  const own = { trustedProxies: ["127.0.0.1"] };
  const a = await installation.start("a", own);
  const b = await installation.start("b", own);
  const port = await freePort();
  await openNginx(port, a.port, b.port);
  const nodes = new Set<string>();
  async function call(method: string, path: string, token?: string, body?: object) {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { ...authorization, ...(body && { "content-type": "application/json" }) };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const json = await answer.json();
    expect([path, answer.status]).toEqual([path, 200]);
    // A node's requests begin with the same digits.
    nodes.add(answer.headers.get("x-request-id")!.split("-")[0]!);
    return json;
  }

  for (let count = 0; count < 10; count++) {
    const { code } = await call("POST", "/cloud/sign-in-codes", a.adminToken);
    const { token } = await call("POST", "/cloud/sign-in", undefined, { code });
    for (let read = 0; read < 3; read++) await call("GET", "/cloud/whoami", token);
  }
  expect(nodes.size).toBe(2);
});
