import { afterEach, describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { expectRefusal } from "../support/expectations.ts";
import {
  createCloudToken,
  createGame,
  createNamespace,
  createToken,
  lobbyToken,
  type Service,
  startService,
} from "../support/harness.ts";

/** A limit shows only through a proxy: programs on the same machine are not limited. */
let service: Service;
const start = async (overrides: Partial<Config>) => {
  service = await startService("sqlite", overrides);
};
afterEach(() => service?.close());

const through = (address: string) => ({ "x-forwarded-for": address });
const trusting = { trustedProxies: ["127.0.0.1"] };

async function namespaceWithToken(kind: "pub" | "dev" | "server") {
  const namespace = await createNamespace(service, await createGame(service));
  return { namespace, token: (await createToken(service, namespace, kind)).token };
}

/** How many of `count` requests were let through. */
async function passed(count: number, ask: (index: number) => Promise<{ status: number }>): Promise<number> {
  let letThrough = 0;
  for (let index = 0; index < count; index++) if ((await ask(index)).status !== 429) letThrough += 1;
  return letThrough;
}

describe("per client", () => {
  const find = (token: string, address: string) =>
    service.request("POST", "/matchmaker/lobbies/find", {
      token,
      body: { game_modes: ["duel"] },
      headers: through(address),
    });

  test("[T35] the request over the limit gets 429, Retry-After and the limit", async () => {
    await start({ ...trusting, rateFind: 2 });
    const { token } = await namespaceWithToken("dev");
    for (const remaining of ["1", "0"]) {
      const answer = await find(token, "192.0.2.7");
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({ "ratelimit-limit": "2", "ratelimit-remaining": remaining });
      expect(Number(answer.headers["ratelimit-reset"])).toBeGreaterThan(0);
    }
    const refused = await service.request("POST", "/matchmaker/lobbies/find", {
      token,
      body: { game_modes: ["duel"] },
      headers: { ...through("192.0.2.7"), origin: "https://play.example.com" },
    });
    expectRefusal(refused, "API_RATE_LIMIT");
    expect(refused.headers).toMatchObject({ "ratelimit-limit": "2", "ratelimit-remaining": "0" });
    expect(Number(refused.headers["retry-after"])).toBeGreaterThanOrEqual(1);
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(60);
    expect(refused.headers["retry-after"]).toBe(refused.headers["ratelimit-reset"]);
    expect(refused.headers["access-control-allow-origin"]).toBe("https://play.example.com");
  });

  test("[T34] [T38] another client has its own budget; the addresses of one IPv6 /64 share one", async () => {
    await start({ ...trusting, rateFind: 3 });
    const { token } = await namespaceWithToken("dev");
    expect(await passed(5, () => find(token, "192.0.2.1"))).toBe(3);
    expect(await passed(5, () => find(token, "192.0.2.2"))).toBe(3);
    expect(await passed(5, (index) => find(token, `2001:db8:0:1::${index + 1}`))).toBe(3);
    expect(await passed(1, () => find(token, "2001:db8:0:2::1"))).toBe(1);
    expect(await passed(1, () => find(token, "::ffff:192.0.2.1"))).toBe(0);
  });

  test.each([
    ["rateFind", "POST", "lobbies/find", { game_modes: ["duel"] }],
    ["rateCreate", "POST", "lobbies/create", { game_mode: "duel" }],
    ["rateList", "GET", "lobbies/list", undefined],
    ["rateAddress", "GET", "regions", undefined],
  ] as const)(
    "[RA3] %s: the clients of one IPv6 /48 together have four times the budget of one",
    async (rate, method, path, body) => {
      await start({ ...trusting, [rate]: 2 });
      const { token } = await namespaceWithToken("dev");
      const ask = (address: string) =>
        service.request(method, `/matchmaker/${path}`, { token, ...(body && { body }), headers: through(address) });
      expect(await passed(20, (index) => ask(`2001:db8:7:${index}::1`))).toBe(8);
      expect(await passed(3, () => ask("2001:db8:8:1::1"))).toBe(2);
      expect(await passed(3, () => ask("192.0.2.1"))).toBe(2);
    },
  );

  test("[T34] find and join share a budget, create and list have their own", async () => {
    await start({ ...trusting, rateFind: 2, rateCreate: 1, rateList: 1 });
    const { token } = await namespaceWithToken("dev");
    const post = (path: string, body: unknown) =>
      service.request("POST", `/matchmaker/lobbies/${path}`, { token, body, headers: through("192.0.2.1") });
    const get = (path: string) =>
      service.request("GET", `/matchmaker/${path}`, { token, headers: through("192.0.2.1") });
    expect((await post("find", { game_modes: ["a"] })).status).toBe(200);
    expect((await post("join", { lobby_id: "00000000-0000-0000-0000-000000000000" })).status).toBe(200);
    expectRefusal(await post("join", { lobby_id: "00000000-0000-0000-0000-000000000000" }), "API_RATE_LIMIT");
    expect((await post("create", { game_mode: "a" })).status).toBe(200);
    expectRefusal(await post("create", { game_mode: "a" }), "API_RATE_LIMIT");
    expect((await get("lobbies/list")).status).toBe(200);
    expectRefusal(await get("lobbies/list"), "API_RATE_LIMIT");
  });

  test("[T34] refused tokens and bad bodies count as well", async () => {
    await start({ ...trusting, rateFind: 2 });
    expect((await find("pub_nonsense", "192.0.2.1")).status).toBe(401);
    expect((await find("pub_nonsense", "192.0.2.1")).status).toBe(401);
    expectRefusal(await find("pub_nonsense", "192.0.2.1"), "API_RATE_LIMIT");
  });

  test("[T34] an address has a limit over everything it asks", async () => {
    await start({ ...trusting, rateAddress: 3 });
    const ask = (path: string) =>
      service.request("GET", path, { token: service.adminToken, headers: through("192.0.2.9") });
    for (const path of ["/cloud/games", "/matchmaker/regions", "/cloud/games/nobody"]) {
      expect((await ask(path)).status).not.toBe(429);
    }
    expectRefusal(await ask("/cloud/games"), "API_RATE_LIMIT");
  });
});

describe("per token", () => {
  test("[T34] /cloud: each token has its own budget, wherever it comes from", async () => {
    await start({ ...trusting, rateCloud: 2 });
    const game = await createGame(service);
    const [first, second] = [await createCloudToken(service, game), await createCloudToken(service, game)];
    const ask = (token: string, index: number) =>
      service.request("GET", game.path, { token, headers: through(`192.0.2.${index}`) });
    expect(await passed(4, (index) => ask(first.token, index))).toBe(2);
    expect(await passed(4, (index) => ask(second.token, index))).toBe(2);
    expect(await passed(4, (index) => ask(service.adminToken, index))).toBe(2);
    const refused = await ask(first.token, 99);
    expectRefusal(refused, "API_RATE_LIMIT");
    expect(refused.headers).toMatchObject({ "ratelimit-limit": "2", "ratelimit-remaining": "0" });
    expect(refused.headers["retry-after"]).toMatch(/^\d+$/);
  });

  test("[T34] lobbies and servers", async () => {
    await start({ ...trusting, rateLobby: 2, rateServer: 1 });
    const { namespace, token: server } = await namespaceWithToken("server");
    const [one, other] = [lobbyToken(service, namespace), lobbyToken(service, namespace)];
    const ready = (token: string) =>
      service.request("POST", "/matchmaker/lobbies/ready", { token, headers: through("192.0.2.1") });
    expect(await passed(4, () => ready(one))).toBe(2);
    expect(await passed(4, () => ready(other))).toBe(2);
    const register = () =>
      service.request("POST", "/matchmaker/lobbies/register", { token: server, headers: through("192.0.2.1") });
    expect(await passed(3, register)).toBe(1);
  });

  test("[KY3] find, join and create of a server token count once against its own limit, not against a client's", async () => {
    await start({ ...trusting, rateFind: 1, rateCreate: 1, rateSeats: 1, rateServer: 6 });
    const { token: server } = await namespaceWithToken("server");
    const call = (name: string, token: string) =>
      service.request("POST", `/matchmaker/lobbies/${name}`, { token, body: {}, headers: through("192.0.2.1") });
    for (const name of ["find", "join", "create"]) expect(await passed(2, () => call(name, server))).toBe(2);
    for (const name of ["find", "join", "create"]) expectRefusal(await call(name, server), "API_RATE_LIMIT");
    // The address has its own limit, so a token that is none is not looked up without end.
    expectRefusal(await call("find", "server_nonsense"), "TOKEN_INVALID");
  });
});

describe("who is a client", () => {
  const list = (headers: Record<string, string>, token: string) =>
    service.request("GET", "/matchmaker/regions", { token, headers });

  test("[T36] programs on the same machine, without a proxy, have no limit", async () => {
    await start({ rateList: 1, rateAddress: 1, rateCloud: 1 });
    const { token } = await namespaceWithToken("dev");
    expect(await passed(5, () => list({}, token))).toBe(5);
    const answer = await list({}, token);
    expect(answer.headers["ratelimit-limit"]).toBeUndefined();
    expect(await passed(5, () => service.request("GET", "/cloud/games", { token: service.adminToken }))).toBe(5);
  });

  test.each(["x-forwarded-for", "forwarded", "x-real-ip", "via", "cf-connecting-ip", "x-forwarded-proto"])(
    "[T36] %s means that there is a proxy in between",
    async (header) => {
      await start({ rateList: 1 });
      const { token } = await namespaceWithToken("dev");
      expect(await passed(3, () => list({ [header]: "192.0.2.1" }, token))).toBe(1);
    },
  );

  test("[T37] a proxy that is not trusted cannot choose who is counted", async () => {
    await start({ rateList: 2, trustedProxies: ["10.0.0.0/8"] });
    const { token } = await namespaceWithToken("dev");
    expect(await passed(6, (index) => list(through(`192.0.2.${index}`), token))).toBe(2);
  });

  test("[T37] of a chain of proxies the first one that is not trusted is the client", async () => {
    await start({ rateList: 2, trustedProxies: ["127.0.0.0/8", "10.0.0.0/8"] });
    const { token } = await namespaceWithToken("dev");
    const chain = (index: number) => through(`203.0.113.${index}, 192.0.2.1, 10.0.0.5`);
    expect(await passed(6, (index) => list(chain(index), token))).toBe(2);
    expect(await passed(6, () => list(through("192.0.2.2, 10.1.2.3"), token))).toBe(2);
  });

  test("[T35] 0 means no limit", async () => {
    await start({ ...trusting, rateList: 0, rateAddress: 0, rateCloud: 0 });
    const { token } = await namespaceWithToken("dev");
    expect(await passed(70, () => list(through("192.0.2.1"), token))).toBe(70);
  });
});
