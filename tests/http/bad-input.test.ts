import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ErrorCode } from "../../src/contract/errors.ts";
import { expectEmpty, expectRefusal, pathsOf } from "../support/expectations.ts";
import {
  createCloudToken,
  createExpiredToken,
  createGame,
  createNamespace,
  createRevokedToken,
  createToken,
  type NamespaceAtHand,
  type Service,
  snapshot,
  startService,
} from "../support/harness.ts";
import { serviceKinds } from "../support/services/stores.ts";
import { badJson, badMatchmakerConfigs, badNames, badShapes, goodMatchmakerConfigs, oddDomains } from "./bad-values.ts";

/** Every invalid request gets its one right answer, which names every issue, and changes nothing. */
describe.each(serviceKinds)("bad input on %s", (kind) => {
  let service: Service;
  let own: NamespaceAtHand;
  let foreign: NamespaceAtHand;
  let cloud: string;
  let dev: string;
  let before: unknown;

  beforeAll(async () => {
    service = await startService(kind);
    own = await createNamespace(service, await createGame(service));
    foreign = await createNamespace(service, await createGame(service));
    await service.admin("POST", `${foreign.path}/domains`, { domain: "taken.example.com" });
    cloud = (await createCloudToken(service, own.game)).token;
    dev = (await createToken(service, own, "dev")).token;
    before = await snapshot(service);
  });
  afterAll(async () => {
    await service?.close();
  });

  const unchanged = async () => expect(await snapshot(service)).toEqual(before);

  /** The four operations that take part; each has a body that would succeed. */
  const operations = {
    validateGameNamespace: {
      method: "POST",
      path: () => `${own.game.path}/namespaces/validate`,
      token: () => cloud,
      good: { display_name: "A Namespace", name_id: "fresh" } as Record<string, unknown>,
    },
    updateGameNamespaceMatchmakerConfig: {
      method: "POST",
      path: () => `${own.path}/mm-config`,
      token: () => cloud,
      good: { lobby_count_max: 7, max_players: 8 } as Record<string, unknown>,
    },
    addNamespaceDomain: {
      method: "POST",
      path: () => `${own.path}/domains`,
      token: () => cloud,
      good: { domain: "fresh.example.com" } as Record<string, unknown>,
    },
    setClosed: {
      method: "PUT",
      path: () => "/matchmaker/lobbies/closed",
      token: () => dev,
      good: { is_closed: true } as Record<string, unknown>,
    },
  };
  type Name = keyof typeof operations;
  const names = Object.keys(operations) as Name[];
  const send = (name: Name, rawBody: string | Buffer, headers: Record<string, string | null> = {}, token?: string) => {
    const { method, path, token: usual } = operations[name];
    return service.request(method, path(), { token: token ?? usual(), rawBody, headers });
  };

  describe.each(names)("%s", (name) => {
    const { good } = operations[name];
    const text = JSON.stringify(good);

    test.each(badJson(text))("[T7] [T8] not JSON: %s", async (_title, body) => {
      expectRefusal(await send(name, body), "API_BAD_BODY");
    });

    test.each(badShapes(good))("[N9] [T9] [T10] [T21] %s", async (_title, body, paths) => {
      const answer = await send(name, JSON.stringify(body));
      expectRefusal(answer, "API_BAD_BODY");
      expect(pathsOf(answer.json.errors).sort()).toEqual([...paths].sort());
    });

    test.each([
      "text/plain",
      "application/xml",
      "multipart/form-data; boundary=x",
      "application/json; charset=utf-16",
      null,
    ])("[T2] content type %s", async (type) => {
      expectRefusal(await send(name, text, { "content-type": type }), "API_UNSUPPORTED_MEDIA_TYPE");
    });

    test("[T6] a body of more than 64 KiB", async () => {
      expectRefusal(await send(name, text + " ".repeat(64 * 1024)), "API_BODY_TOO_LARGE");
    });

    test("[T13] an unknown query parameter", async () => {
      const { method, path, token } = operations[name];
      const answer = await service.request(method, `${path()}?dry_run=1`, { token: token(), rawBody: text });
      expectRefusal(answer, "API_BAD_QUERY", [["dry_run"]]);
    });

    test("[T28] wrong methods", async () => {
      const { method, path, token } = operations[name];
      for (const wrong of ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((each) => each !== method)) {
        const answer = await service.request(wrong, path(), {
          token: token(),
          ...(wrong !== "GET" && { rawBody: text }),
        });
        expectRefusal(answer, "API_METHOD_NOT_ALLOWED");
      }
    });

    test("[K2] [K3] garbled tokens", async () => {
      const usual = operations[name].token();
      const other = usual.at(20) === "A" ? "B" : "A";
      const secret = usual.slice(usual.indexOf("_") + 1);
      const garbled = [
        usual.slice(0, -1),
        `${usual}A`,
        usual.slice(0, 20) + other + usual.slice(21),
        usual.replace("_", "-"),
        secret,
      ];
      for (const token of [...garbled, "x", "null", "undefined", "a".repeat(513)]) {
        expectRefusal(await send(name, text, {}, token), "TOKEN_INVALID");
      }
      for (const authorization of [
        "",
        "Bearer",
        `Bearer  `,
        `Token ${usual}`,
        usual,
        `Bearer ${usual} ${usual}`,
        `Bearer "${usual}"`,
      ]) {
        const answer = await send(name, text, { authorization });
        expect([authorization.length, answer.status]).toEqual([authorization.length, 401]);
      }
    });
  });

  test("[K12] [K19] [K20] tokens that are over or of another game, at the end of every list", async () => {
    const expired = (await createExpiredToken(service, own.game)).token;
    const revoked = await createRevokedToken(service, own, "cloud");
    const other = (await createCloudToken(service, foreign.game)).token;
    const revokedDev = await createRevokedToken(service, own, "dev");
    before = await snapshot(service);
    for (const name of names) {
      const text = JSON.stringify(operations[name].good);
      const isCloud = name !== "setClosed";
      const expected: [string, ErrorCode][] = [
        [expired, "TOKEN_EXPIRED"],
        [revoked, "TOKEN_REVOKED"],
        [revokedDev, "TOKEN_REVOKED"],
        [other, isCloud ? "CLOUD_GAME_NOT_FOUND" : "TOKEN_FORBIDDEN"],
        [isCloud ? dev : cloud, "TOKEN_FORBIDDEN"],
      ];
      for (const [token, code] of expected) expectRefusal(await send(name, text, {}, token), code);
    }
    await unchanged();
  });

  describe("numbers of the matchmaker config", () => {
    test.each(badMatchmakerConfigs)("[M1] [M3] %s", async (body, paths) => {
      const answer = await send("updateGameNamespaceMatchmakerConfig", body);
      expectRefusal(answer, "API_BAD_BODY");
      expect(pathsOf(answer.json.errors).sort()).toEqual([...paths].sort());
    });
  });

  describe("names", () => {
    test.each(badNames)("[N1] [N4] [N5] [N6] %s", async (_title, displayName, nameId, reasons) => {
      const body = JSON.stringify({ display_name: displayName, name_id: nameId });
      const answer = await send("validateGameNamespace", body);
      expect(answer.status).toBe(200);
      expect(pathsOf(answer.json.errors)).toEqual(reasons);
      const created = await service.request("POST", `${own.game.path}/namespaces`, { token: cloud, rawBody: body });
      expectRefusal(created, "CLOUD_VALIDATION_ERROR", reasons);
    });
  });

  describe("domains", () => {
    test.each(oddDomains)("[D2] [D3] [D4] %j", async (domain) => {
      expectRefusal(await send("addNamespaceDomain", JSON.stringify({ domain })), "CLOUD_INVALID_DOMAIN", [["domain"]]);
    });

    test("[D6] one that another namespace has, in any spelling", async () => {
      for (const domain of ["taken.example.com", "TAKEN.Example.COM"]) {
        expectRefusal(await send("addNamespaceDomain", JSON.stringify({ domain })), "CLOUD_DOMAIN_TAKEN");
      }
    });
  });

  test("[M2] [N8] after all of this nothing has changed", unchanged);

  test("[M1] [T11] unusual but valid values are accepted", async () => {
    for (const [body, expected] of goodMatchmakerConfigs) {
      expectEmpty(await send("updateGameNamespaceMatchmakerConfig", body));
      const { namespace } = await service.admin("GET", own.path);
      expect(namespace.matchmaker).toEqual({ max_players_per_client: null, ...expected });
    }
    for (const { good, name } of names.map((each) => ({ good: operations[each].good, name: each }))) {
      const answer = await send(name, ` \r\n\t${JSON.stringify(good).replaceAll("a", "\\u0061")}\n`);
      expect(answer.status).toBeLessThan(300);
    }
  });
});
