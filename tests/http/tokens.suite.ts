import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { aTimestamp, aUuid, expectAnswer, expectEmpty, expectRefusal } from "../support/expectations.ts";
import {
  createCloudToken,
  createExpiredToken,
  createGame,
  createNamespace,
  createToken,
  developmentServer,
  type NamespaceAtHand,
  type Service,
} from "../support/harness.ts";

export function tokensTests(at: () => Service): void {
  let namespace: NamespaceAtHand;
  const call = (method: string, path: string, body?: unknown) =>
    at().request(method, path, { token: at().adminToken, ...(body !== undefined && { body }) });

  beforeAll(async () => {
    namespace = await createNamespace(at(), await createGame(at()));
  });

  test("[WH1] whoami says what the token is and what it may do", async () => {
    const game = await createGame(at());
    const may = { create_games: true, run_processes: true, run_containers: true };
    expectAnswer(await call("GET", "/cloud/whoami"), { kind: "admin", may });
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    for (const expires_ts of [null, expires]) {
      const { token, token_id } = (await call("POST", `${game.path}/tokens/cloud`, { expires_ts })).json;
      expectAnswer(await at().request("GET", "/cloud/whoami", { token }), {
        kind: "cloud",
        game_id: game.gameId,
        token_id,
        ...(expires_ts !== null && { expires_ts }),
        may: { create_games: false, run_processes: false, run_containers: false },
      });
    }
  });

  test("[K4] [K5] [K22] createCloudToken answers a token of its kind; listTokens shows it without the secret, newest first", async () => {
    const game = await createGame(at());
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const made = [
      await call("POST", `${game.path}/tokens/cloud`),
      await call("POST", `${game.path}/tokens/cloud`, {}),
      await call("POST", `${game.path}/tokens/cloud`, { expires_ts: null }),
      await call("POST", `${game.path}/tokens/cloud`, { expires_ts: expires }),
    ];
    for (const answer of made) {
      expectAnswer(answer, { token: expect.stringMatching(/^cloud_[\w-]{43}$/), token_id: aUuid });
    }
    const plain = { kind: "cloud", create_ts: aTimestamp, last_used_ts: null };
    const listed = await call("GET", `${game.path}/tokens`);
    expectAnswer(listed, {
      tokens: made
        .map((answer, index) => ({
          token_id: answer.json.token_id,
          ...plain,
          ...(index === 3 && { expires_ts: expires }),
        }))
        .reverse(),
    });
    for (const answer of made) expect(listed.text).not.toContain(answer.json.token.slice(6));
  });

  test("[K19] [T17] createCloudToken accepts a time zone and refuses a past time and an invalid time", async () => {
    const { path } = namespace.game;
    const refused = await call("POST", `${path}/tokens/cloud`, { expires_ts: "2020-01-01T00:00:00Z" });
    expectRefusal(refused, "CLOUD_VALIDATION_ERROR", [["expires_ts", "out_of_range"]]);
    for (const expires_ts of [
      "tomorrow",
      "2030-02-30T00:00:00Z",
      "2030-01-01",
      "2030-01-01T00:00:00",
      1893456000,
      "",
      true,
    ]) {
      expectRefusal(await call("POST", `${path}/tokens/cloud`, { expires_ts }), "API_BAD_BODY", [["expires_ts"]]);
    }
    const unknown = await call("POST", `${path}/tokens/cloud`, { expires: "2099-12-31T23:59:59Z", kind: "admin" });
    expectRefusal(unknown, "API_BAD_BODY", [["expires"], ["kind"]]);
    const made = await call("POST", `${path}/tokens/cloud`, { expires_ts: "2099-12-31T23:59:59.999+02:00" });
    const listed = await call("GET", `${path}/tokens`);
    const row = listed.json.tokens.find(({ token_id }: { token_id: string }) => token_id === made.json.token_id);
    expect(row.expires_ts).toBe("2099-12-31T21:59:59.999Z");
  });

  test("[K3] [K19] an expired token is refused as such", async () => {
    const { token } = await createExpiredToken(at(), namespace.game);
    const answer = await at().request("GET", namespace.game.path, { token });
    expectRefusal(answer, "TOKEN_EXPIRED");
    expect(answer.headers["www-authenticate"]).toBe('Bearer error="invalid_token"');
  });

  test("[K20] [K21] [K22] a revoked cloud token is refused from the next request on, and stays listed", async () => {
    const { game } = namespace;
    const { token, token_id } = await createCloudToken(at(), game);
    expect((await at().request("GET", game.path, { token })).status).toBe(200);
    expectEmpty(await call("DELETE", `${game.path}/tokens/${token_id.toUpperCase()}`));
    expectRefusal(await at().request("GET", game.path, { token }), "TOKEN_REVOKED");
    const row = async () =>
      (await call("GET", `${game.path}/tokens`)).json.tokens.find(
        (each: { token_id: string }) => each.token_id === token_id,
      );
    const revoked = await row();
    expect(revoked).toEqual({
      token_id,
      kind: "cloud",
      create_ts: aTimestamp,
      last_used_ts: aTimestamp,
      revoke_ts: aTimestamp,
    });
    expectEmpty(await call("DELETE", `${game.path}/tokens/${token_id}`));
    expect(await row()).toEqual(revoked);
  });

  test("[K20] of eight concurrent requests with a token, those that start after the revocation's answer all fail", async () => {
    const { token, token_id } = await createCloudToken(at(), namespace.game);
    const ask = () => at().request("GET", namespace.path, { token });
    const early = Array.from({ length: 8 }, ask);
    await call("DELETE", `${namespace.game.path}/tokens/${token_id}`);
    for (const answer of await Promise.all(early)) expect([200, 401]).toContain(answer.status);
    for (const answer of await Promise.all(Array.from({ length: 8 }, ask))) expectRefusal(answer, "TOKEN_REVOKED");
  });

  describe.each([
    ["pub", "public", "GET", "/matchmaker/regions"],
    ["dev", "development", "GET", "/matchmaker/regions"],
    ["server", "server", "POST", "/matchmaker/lobbies/register"],
  ] as const)("%s tokens", (kind, last, method, path) => {
    test("[K4] [K5] [K20] [K22] are made, listed without their secret, revoked at once", async () => {
      const own = await createNamespace(at(), namespace.game);
      const made = await call("POST", `${own.path}/tokens/${last}`, kind === "dev" ? developmentServer : undefined);
      expectAnswer(made, { token: expect.stringMatching(new RegExp(`^${kind}_[\\w-]{43}$`)), token_id: aUuid });
      const { token, token_id } = made.json;
      const listed = await call("GET", `${own.path}/tokens`);
      expectAnswer(listed, { tokens: [{ token_id, kind, create_ts: aTimestamp, last_used_ts: null }] });
      expect(listed.text).not.toContain(token.slice(kind.length + 1));
      expect([401, 403]).not.toContain((await at().request(method, path, { token })).status);
      expectEmpty(await call("DELETE", `${own.path}/tokens/${token_id}`));
      expectRefusal(await at().request(method, path, { token }), "TOKEN_REVOKED");
      const after = (await call("GET", `${own.path}/tokens`)).json.tokens;
      expect(after).toEqual([
        { token_id, kind, create_ts: aTimestamp, last_used_ts: aTimestamp, revoke_ts: aTimestamp },
      ]);
    });
  });

  test("[T5] an empty JSON object counts as no body where none is needed; a field does not", async () => {
    for (const last of ["public", "server"]) {
      expect((await call("POST", `${namespace.path}/tokens/${last}`, {})).status).toBe(200);
      const refused = await call("POST", `${namespace.path}/tokens/${last}`, { expires_ts: null });
      expectRefusal(refused, "API_BAD_BODY", [["expires_ts"]]);
    }
  });

  test("[DEV9] [T61] a port's label with a line break is an issue like any other", async () => {
    const make = (ports: unknown) =>
      call("POST", `${namespace.path}/tokens/development`, { hostname: "localhost", ports });
    for (const port of [5, null, "x"]) {
      expectRefusal(await make({ "a\nb": port }), "API_BAD_BODY", [["ports", "a\nb"]]);
    }
    expectRefusal(await make({ "a\nb": { protocol: "ws", port: 1 } }), "CLOUD_VALIDATION_ERROR", [
      ["ports", "a\nb", "invalid"],
    ]);
  });

  test("[DEV9] a development token's server is checked, every issue listed", async () => {
    const make = (body: unknown) => call("POST", `${namespace.path}/tokens/development`, body);
    const port = (more: object) => ({ protocol: "ws", ...more });
    const ports = {
      good: port({ port: 1 }),
      none: port({}),
      both: port({ port: 5, port_range: { min: 1, max: 2 } }),
      Bad: port({ port: 5 }),
      turned: port({ port_range: { min: 3, max: 2 } }),
      nulls: port({ port: 5, port_range: null }),
    };
    expectRefusal(await make({ hostname: "no host", ports }), "CLOUD_VALIDATION_ERROR", [
      ["hostname", "invalid"],
      ["ports", "none", "invalid"],
      ["ports", "both", "invalid"],
      ["ports", "Bad", "invalid"],
      ["ports", "turned", "port_range", "out_of_range"],
    ]);
    const wrong = { hostname: "", ports: { default: { protocol: "gopher", port: 65536 }, more: port({ port: "80" }) } };
    expectRefusal(await make(wrong), "API_BAD_BODY", [
      ["hostname"],
      ["ports", "default", "protocol"],
      ["ports", "default", "port"],
      ["ports", "more", "port"],
    ]);
    expectRefusal(await make(undefined), "API_BAD_BODY");
    for (const hostname of ["localhost", "::1", "192.168.0.7", "dev.studio.example"]) {
      expect((await make({ hostname, ports: {} })).status).toBe(200);
    }
  });

  test("[K21] a token can be revoked only where it belongs", async () => {
    const sibling = await createNamespace(at(), namespace.game);
    const foreign = await createNamespace(at(), await createGame(at()));
    const pub = await createToken(at(), namespace, "pub");
    const cloud = await createCloudToken(at(), namespace.game);
    const wrongPlaces = [
      `${sibling.path}/tokens/${pub.token_id}`,
      `${foreign.path}/tokens/${pub.token_id}`,
      `${namespace.game.path}/tokens/${pub.token_id}`,
      `${namespace.path}/tokens/${cloud.token_id}`,
      `${foreign.game.path}/tokens/${cloud.token_id}`,
      `${namespace.path}/tokens/${randomUUID()}`,
      `${namespace.game.path}/tokens/${randomUUID()}`,
      `${namespace.path}/tokens/%00`,
      `${namespace.path}/tokens/nonsense`,
      `${namespace.game.path}/tokens/nonsense`,
    ];
    for (const path of wrongPlaces) expectRefusal(await call("DELETE", path), "CLOUD_TOKEN_NOT_FOUND");
    expect((await at().request("GET", namespace.path, { token: cloud.token })).status).toBe(200);
    expect((await at().request("GET", "/matchmaker/regions", { token: pub.token })).status).not.toBe(401);
  });

  test("[T15] tokens of a game that does not exist: 404", async () => {
    const unknown = `/cloud/games/${randomUUID()}/tokens`;
    expectRefusal(await call("POST", `${unknown}/cloud`), "CLOUD_GAME_NOT_FOUND");
    expectRefusal(await call("GET", unknown), "CLOUD_GAME_NOT_FOUND");
    expectRefusal(await call("DELETE", `${unknown}/${randomUUID()}`), "CLOUD_GAME_NOT_FOUND");
  });

  test("[G5] [K3] the tokens of a deleted namespace are worth nothing", async () => {
    const doomed = await createNamespace(at(), namespace.game);
    const { token } = await createToken(at(), doomed, "dev");
    expectEmpty(await call("DELETE", doomed.path));
    expectRefusal(await at().request("GET", "/matchmaker/regions", { token }), "TOKEN_INVALID");
  });

  test("[K1] [K2] [K3] the scheme's case does not matter; another scheme is no token", async () => {
    const ask = (authorization: string) => at().request("GET", "/cloud/games", { headers: { authorization } });
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      expect((await ask(`${scheme} ${at().adminToken}`)).status).toBe(200);
    }
    for (const [authorization, code, challenge] of [
      ["Basic YTpi", "TOKEN_MISSING", "Bearer"],
      [`Bearer ${at().adminToken}x`, "TOKEN_INVALID", 'Bearer error="invalid_token"'],
      [`Bearer ${at().adminToken.toUpperCase()}`, "TOKEN_INVALID", 'Bearer error="invalid_token"'],
      ["Bearer", "TOKEN_MISSING", "Bearer"],
      ["Bearer two tokens", "TOKEN_INVALID", 'Bearer error="invalid_token"'],
    ] as const) {
      const answer = await ask(authorization);
      expectRefusal(answer, code);
      expect(answer.headers["www-authenticate"]).toBe(challenge);
    }
  });

  test("[K1] a token in the URL or a cookie is no token", async () => {
    const inQuery = await at().request("GET", `/cloud/games?token=${at().adminToken}`);
    expectRefusal(inQuery, "TOKEN_MISSING");
    const inCookie = await at().request("GET", "/cloud/games", { headers: { cookie: `token=${at().adminToken}` } });
    expectRefusal(inCookie, "TOKEN_MISSING");
  });
}
