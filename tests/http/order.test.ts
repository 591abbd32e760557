import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ErrorCode } from "../../src/contract/errors.ts";
import { expectRefusal } from "../support/expectations.ts";
import {
  createCloudToken,
  createGame,
  createNamespace,
  createToken,
  lobbyToken,
  type NamespaceAtHand,
  type RequestOptions,
  type Service,
  startService,
} from "../support/harness.ts";
import { sendRaw } from "../support/raw.ts";
import { serviceKinds } from "../support/services/stores.ts";

/**
 * A request with two errors has one right answer: the error that is checked earlier. The order is route, method,
 * host, address rate limit, token, what the token may do, content type, size, JSON, shape, values, state.
 */
describe.each(serviceKinds)("the order of checks on %s", (kind) => {
  let service: Service;
  let own: NamespaceAtHand;
  let foreign: NamespaceAtHand;
  let cloud: string;
  let dev: string;

  beforeAll(async () => {
    service = await startService(kind, { rateAddress: 1 });
    own = await createNamespace(service, await createGame(service));
    foreign = await createNamespace(service, await createGame(service));
    cloud = (await createCloudToken(service, own.game)).token;
    dev = (await createToken(service, own, "dev")).token;
  });
  afterAll(() => service?.close());

  const large = `{"display_name":"${"x".repeat(70_000)}`;
  const text = { "content-type": "text/plain" };
  const validate = (of: NamespaceAtHand) => `${of.game.path}/namespaces/validate`;

  async function expectFirst(method: string, path: string, options: RequestOptions, code: ErrorCode) {
    expectRefusal(await service.request(method, path, options), code);
  }

  test("[T25] route before method, method before host and token", async () => {
    await expectFirst("PATCH", "/nowhere", {}, "API_NOT_FOUND");
    await expectFirst("PATCH", "/cloud/games", {}, "API_METHOD_NOT_ALLOWED");
    await expectFirst("PATCH", "/cloud/games", { headers: { host: "evil.example" } }, "API_METHOD_NOT_ALLOWED");
  });

  test("[T25] host before the address's rate limit, that before the token, the token's validity before its rights", async () => {
    const spent = { "x-forwarded-for": "192.0.2.1" };
    await service.request("GET", "/cloud/games", { headers: spent });
    await expectFirst("GET", "/cloud/games", { headers: spent }, "API_RATE_LIMIT");
    const raw = `GET /cloud/games HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n`;
    expectRefusal((await sendRaw(service.port, raw))!, "API_WRONG_HOST");
    const options = { headers: { ...spent, ...text }, rawBody: large, token: "cloud_nonsense" };
    await expectFirst("POST", validate(own), options, "API_RATE_LIMIT");
  });

  test("[T25] 401 before 415, 413, JSON and shape", async () => {
    for (const token of [null, "cloud_nonsense", "pub_x", "lobby_x"]) {
      const code = token === null ? "TOKEN_MISSING" : "TOKEN_INVALID";
      for (const rawBody of [large, "{", "{}", "\ufeff{}"]) {
        await expectFirst("POST", validate(own), { token, rawBody, headers: text }, code);
        await expectFirst("POST", validate(own), { token, rawBody }, code);
      }
    }
  });

  test("[T25] 403 before 415, 413, JSON and shape", async () => {
    for (const token of [dev, lobbyToken(service, own)]) {
      for (const rawBody of [large, "{", "{}"]) {
        await expectFirst("POST", validate(own), { token, rawBody, headers: text }, "TOKEN_FORBIDDEN");
        await expectFirst("POST", validate(own), { token, rawBody }, "TOKEN_FORBIDDEN");
      }
    }
  });

  test("[T15] [T25] 404 for what is not the caller's, before 415, 413, JSON, shape and query", async () => {
    for (const path of [validate(foreign), `/cloud/games/${randomUUID()}/namespaces/validate`]) {
      for (const rawBody of [large, "{", "{}"]) {
        await expectFirst("POST", path, { token: cloud, rawBody, headers: text }, "CLOUD_GAME_NOT_FOUND");
        await expectFirst("POST", path, { token: cloud, rawBody }, "CLOUD_GAME_NOT_FOUND");
      }
    }
    await expectFirst("GET", `${foreign.path}?odd=1`, { token: cloud }, "CLOUD_GAME_NOT_FOUND");
  });

  test("[T25] 415 before 413, however the size is known", async () => {
    const chunked = { "content-length": null, "transfer-encoding": "chunked" };
    for (const framing of [{}, chunked]) {
      for (const type of ["text/plain", null]) {
        const headers = { ...framing, "content-type": type };
        await expectFirst(
          "POST",
          validate(own),
          { token: cloud, rawBody: large, headers },
          "API_UNSUPPORTED_MEDIA_TYPE",
        );
      }
    }
  });

  test("[T25] 415 before JSON, 413 before JSON, JSON before shape", async () => {
    await expectFirst(
      "POST",
      validate(own),
      { token: cloud, rawBody: "{", headers: text },
      "API_UNSUPPORTED_MEDIA_TYPE",
    );
    await expectFirst("POST", validate(own), { token: cloud, rawBody: large }, "API_BODY_TOO_LARGE");
    const answer = await service.request("POST", validate(own), { token: cloud, rawBody: '{"name_id":5,"name_id":6}' });
    expectRefusal(answer, "API_BAD_BODY");
    expect(answer.json.message).toContain("twice");
  });

  test("[T25] shape before values, values before state", async () => {
    const admin = service.adminToken;
    const nowhere = `${own.game.path}/namespaces/nowhere`;
    await expectFirst("POST", `${nowhere}/domains`, { token: cloud, body: { domain: 5 } }, "API_BAD_BODY");
    await expectFirst("POST", `${nowhere}/domains`, { token: cloud, body: { domain: "a b" } }, "CLOUD_INVALID_DOMAIN");
    await expectFirst("DELETE", `${nowhere}/domains/a_b.com`, { token: cloud }, "CLOUD_INVALID_DOMAIN");
    const faulty = { lobby_count_max: -1, max_players: 1 };
    await expectFirst("POST", `${nowhere}/mm-config`, { token: cloud, body: faulty }, "API_BAD_BODY");
    const good = { lobby_count_max: 1, max_players: 1 };
    await expectFirst("POST", `${nowhere}/mm-config`, { token: cloud, body: good }, "CLOUD_NAMESPACE_NOT_FOUND");

    const unknown = `/cloud/games/${randomUUID()}`;
    const names = { display_name: "", name_id: "" };
    await expectFirst("POST", `${unknown}/namespaces`, { token: admin, body: names }, "CLOUD_VALIDATION_ERROR");
    const version = { display_name: "", config: {} };
    await expectFirst("POST", `${unknown}/versions`, { token: admin, body: version }, "CLOUD_VALIDATION_ERROR");
    const past = { expires_ts: "2001-01-01T00:00:00Z" };
    await expectFirst("POST", `${unknown}/tokens/cloud`, { token: admin, body: past }, "CLOUD_VALIDATION_ERROR");
    const server = { hostname: "no host", ports: {} };
    await expectFirst(
      "POST",
      `${nowhere}/tokens/development`,
      { token: cloud, body: server },
      "CLOUD_VALIDATION_ERROR",
    );
    await expectFirst("GET", `${unknown}/namespaces?limit=0`, { token: admin }, "API_BAD_QUERY");
    await expectFirst("GET", `${unknown}/namespaces?cursor=x`, { token: admin }, "API_BAD_QUERY");
  });

  test("[T25] a game that is not the caller's comes before the values of the body", async () => {
    const names = { display_name: "", name_id: "" };
    await expectFirst("POST", `${foreign.game.path}/namespaces`, { token: cloud, body: names }, "CLOUD_GAME_NOT_FOUND");
    await expectFirst(
      "POST",
      `${foreign.path}/domains`,
      { token: cloud, body: { domain: "a b" } },
      "CLOUD_GAME_NOT_FOUND",
    );
  });
});
