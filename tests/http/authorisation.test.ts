import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OperationId, operationIds, operations } from "../../src/contract/index.ts";
import {
  type Answer,
  createCloudToken,
  createExpiredToken,
  createGame,
  createNamespace,
  createRevokedToken,
  createToken,
  lobbyToken,
  type NamespaceAtHand,
  type Service,
  signIn,
  snapshot,
  startService,
} from "../support/harness.ts";
import { serviceKinds } from "../support/services/stores.ts";

type Kind =
  | "none"
  | "admin"
  | "session"
  | "cloud"
  | "pub"
  | "dev"
  | "server"
  | "lobby"
  | "player"
  | "devplayer"
  | "origin";

const everyKind: readonly Kind[] = [
  "none",
  "admin",
  "session",
  "cloud",
  "pub",
  "dev",
  "server",
  "lobby",
  "player",
  "devplayer",
  "origin",
];

const adminOnly: readonly Kind[] = ["admin", "session"];
const cloud: readonly Kind[] = ["admin", "session", "cloud"];
const player: readonly Kind[] = ["pub", "origin", "dev"];
const lobby: readonly Kind[] = ["lobby", "dev"];
const server: readonly Kind[] = ["server"];
const seating: readonly Kind[] = [...player, ...server];

/** Who may call what: written by hand, so that a slip in the contract is caught. A new operation needs a row. */
const mayCall: Record<OperationId, readonly Kind[]> = {
  "games.listGames": cloud,
  "games.createGame": adminOnly,
  "games.validateGame": adminOnly,
  "games.getGame": cloud,
  "games.deleteGame": adminOnly,
  "games.tokens.createCloudToken": adminOnly,
  "games.tokens.listTokens": adminOnly,
  "games.tokens.revokeToken": adminOnly,
  "games.namespaces.listGameNamespaces": cloud,
  "games.namespaces.createGameNamespace": cloud,
  "games.namespaces.validateGameNamespace": cloud,
  "games.namespaces.getGameNamespace": cloud,
  "games.namespaces.deleteGameNamespace": cloud,
  "games.namespaces.updateGameNamespaceMatchmakerConfig": cloud,
  "games.namespaces.validateGameNamespaceMatchmakerConfig": cloud,
  "games.namespaces.addNamespaceDomain": cloud,
  "games.namespaces.removeNamespaceDomain": cloud,
  "games.namespaces.toggleNamespaceDomainPublicAuth": cloud,
  "games.namespaces.createGameNamespaceTokenPublic": cloud,
  "games.namespaces.createGameNamespaceTokenDevelopment": cloud,
  "games.namespaces.createGameNamespaceTokenServer": cloud,
  "games.namespaces.listTokens": cloud,
  "games.namespaces.revokeToken": cloud,
  "games.namespaces.updateGameNamespaceVersion": cloud,
  "games.namespaces.getVersionHistory": cloud,
  "games.namespaces.blocks.set": cloud,
  "games.namespaces.blocks.list": cloud,
  "games.namespaces.blocks.remove": cloud,
  "games.namespaces.lobbies.list": cloud,
  "games.namespaces.lobbies.get": cloud,
  "games.namespaces.lobbies.setClosed": cloud,
  "games.namespaces.lobbies.stop": cloud,
  "games.namespaces.lobbies.previewFind": cloud,
  "games.namespaces.lobbies.getLogs": cloud,
  "games.namespaces.lobbies.history": cloud,
  "games.namespaces.events": cloud,
  "games.namespaces.getActivity": cloud,
  "games.namespaces.listDecisions": cloud,
  "games.versions.createGameVersion": cloud,
  "games.versions.validateGameVersion": cloud,
  "games.versions.listGameVersions": cloud,
  "games.versions.getGameVersion": cloud,
  "games.builds.createBuild": cloud,
  "games.builds.listBuilds": cloud,
  "games.builds.getBuild": cloud,
  "games.builds.deleteBuild": cloud,
  "games.versions.deleteGameVersion": cloud,
  "audit.list": adminOnly,
  "auth.whoami": cloud,
  "auth.createSignInCode": ["admin"],
  "auth.signIn": ["none"],
  "auth.signOut": ["session"],
  "auth.listSessions": ["admin", "session"],
  "auth.endSession": ["admin", "session"],
  "nodes.list": adminOnly,
  "lobbies.find": seating,
  "lobbies.join": seating,
  "lobbies.create": seating,
  "lobbies.list": player,
  "lobbies.watch": player,
  "lobbies.ready": lobby,
  "lobbies.setClosed": lobby,
  "lobbies.setState": lobby,
  "lobbies.getState": lobby,
  "lobbies.heartbeat": lobby,
  "lobbies.stop": lobby,
  "lobbies.register": server,
  "players.connected": lobby,
  "players.disconnected": lobby,
  "players.resume": seating,
  "players.release": seating,
  "players.getStatistics": player,
  "regions.list": player,
};

test("[I21] every operation of the contract has a row", () => {
  expect(Object.keys(mayCall).sort()).toEqual([...operationIds].sort());
});

describe.each(serviceKinds)("who may call what on %s", (kind) => {
  let service: Service;
  let own: NamespaceAtHand;
  let foreign: NamespaceAtHand;
  let tokens: Record<Exclude<Kind, "none" | "origin">, string>;
  let before: unknown;
  const domain = "trusted.example.com";

  beforeAll(async () => {
    service = await startService(kind);
    own = await createNamespace(service, await createGame(service));
    foreign = await createNamespace(service, await createGame(service));
    await service.admin("POST", `${own.path}/domains`, { domain });
    await service.admin("PUT", `${own.path}/domain-public-auth`, { enabled: true });
    const { namespaceId } = own;
    tokens = {
      admin: service.adminToken,
      session: (await signIn(service)).token,
      cloud: (await createCloudToken(service, own.game)).token,
      pub: (await createToken(service, own, "pub")).token,
      dev: (await createToken(service, own, "dev")).token,
      server: (await createToken(service, own, "server")).token,
      lobby: lobbyToken(service, own),
      player: service.derive({ kind: "player", namespaceId, lobbyId: randomUUID(), playerId: randomUUID() }),
      devplayer: service.derive({ kind: "devplayer", namespaceId, playerId: randomUUID() }),
    };
    before = await snapshot(service);
  });
  afterAll(() => service?.close());

  /** A body that no operation accepts: allowed callers get 400, and nothing changes. */
  function call(id: OperationId, of: NamespaceAtHand, token: string | null, origin: string | null = null) {
    const { method, path } = operations[id];
    const place = path
      .replace("{game_id}", of.game.gameId)
      .replace("{namespace_id}", of.namespaceId)
      .replace("{domain}", "not_a_domain")
      .replace(/\{\w+\}/g, randomUUID());
    // A query that no operation takes stops what has no body to be wrong.
    return service.request(method, `${place}?no_such_parameter=1`, {
      token,
      headers: { origin },
      ...(method !== "GET" && { body: { no_such_field: 1 } }),
    });
  }

  const outcome = (answer: Answer) => `${answer.status} ${answer.json?.code}`;

  /** Without a token, only a page of another origin is kept from what takes none. */
  function refusalOf(id: OperationId, token: string | null): string {
    return token === null && id !== "auth.signIn" ? "401 TOKEN_MISSING" : "403 TOKEN_FORBIDDEN";
  }

  /** Past the gate, a bad request is all that can come; a lobby token may also get that its lobby does not exist. */
  function expectAdmitted(answer: Answer, kindOfToken: Kind) {
    const admitted = ["400 API_BAD_BODY", "400 API_BAD_QUERY"];
    const gone = ["401 TOKEN_INVALID", "410 MATCHMAKER_LOBBY_STOPPED"];
    expect(kindOfToken === "lobby" ? [...admitted, ...gone] : admitted).toContain(outcome(answer));
  }

  describe.each(operationIds)("%s", (id) => {
    test.each(everyKind)("[I21] [SG3] [K11] [K12] [K14] [K15] [K16] [K17] [K18] %s", async (kindOfToken) => {
      const token = kindOfToken === "none" || kindOfToken === "origin" ? null : tokens[kindOfToken];
      const answer = await call(id, own, token, kindOfToken === "origin" ? `https://${domain}` : null);
      if (mayCall[id].includes(kindOfToken)) expectAdmitted(answer, kindOfToken);
      else expect(outcome(answer)).toBe(refusalOf(id, token));
    });

    test("[I21] [K12] [T15] a foreign and an unknown game are the same to a cloud token", async () => {
      if (!operations[id].path.includes("{game_id}"))
        return expect(id).not.toMatch(/^games\.(?!listGames|createGame|validateGame)/);
      const mayTry = mayCall[id].includes("cloud");
      const unknown = { ...foreign, game: { ...foreign.game, gameId: randomUUID() }, namespaceId: randomUUID() };
      for (const of of [foreign, unknown]) {
        const expected = mayTry ? "404 CLOUD_GAME_NOT_FOUND" : "403 TOKEN_FORBIDDEN";
        expect(outcome(await call(id, of, tokens.cloud))).toBe(expected);
      }
      for (const kindOfToken of ["admin", "session"] as const) {
        expectAdmitted(await call(id, foreign, tokens[kindOfToken]), kindOfToken);
      }
    });

    test("[I21] [K3] tokens that were never issued", async () => {
      for (const [kindOfToken, token] of Object.entries(tokens)) {
        const changed = token.slice(0, -8) + (token.endsWith("AAAAAAAA") ? "BBBBBBBB" : "AAAAAAAA");
        for (const garbled of [changed, `${kindOfToken}_`, token.replace(/^[a-z]+/, "admin").concat("x")]) {
          expect(outcome(await call(id, own, garbled))).toBe("401 TOKEN_INVALID");
        }
      }
      for (const token of ["admin", "Bearer", randomUUID()]) {
        expect(outcome(await call(id, own, token))).toBe("401 TOKEN_INVALID");
      }
    });
  });

  test("[K4] a token of one kind does not become another by its prefix", async () => {
    const { derive } = service;
    const ids = { namespaceId: own.namespaceId, lobbyId: randomUUID() };
    const disguised = [
      tokens.pub.replace("pub_", "cloud_"),
      tokens.cloud.replace("cloud_", "admin_"),
      tokens.dev.replace("dev_", "server_"),
      derive({ kind: "devplayer", namespaceId: own.namespaceId, playerId: ids.lobbyId }).replace(
        "devplayer_",
        "lobby_",
      ),
      derive({ kind: "lobby", ...ids }).replace("lobby_", "devplayer_"),
    ];
    for (const token of disguised) {
      for (const id of ["games.getGame", "lobbies.ready", "lobbies.register", "regions.list"] as const) {
        expect(outcome(await call(id, own, token))).toBe("401 TOKEN_INVALID");
      }
    }
  });

  test("[B8] [B9] an origin without a token has no more than the public token, and none of a foreign namespace", async () => {
    for (const origin of ["https://evil.example", `http://${domain}`, `https://${domain}:444`, "null"]) {
      expect(outcome(await call("regions.list", own, null, origin))).toBe("401 TOKEN_MISSING");
      expect(outcome(await call("regions.list", own, tokens.pub, origin))).toBe("403 TOKEN_FORBIDDEN");
    }
  });

  test("[I21] after all of this nothing has changed", async () => {
    expect(await snapshot(service)).toEqual(before);
  });

  test("[I21] [K3] [K19] [K20] expired and revoked tokens, and those of what was deleted, open nothing", async () => {
    const doomed = await createNamespace(service, await createGame(service));
    const over: [token: string, code: string][] = [
      [(await createExpiredToken(service, own.game)).token, "TOKEN_EXPIRED"],
      [await createRevokedToken(service, own, "cloud"), "TOKEN_REVOKED"],
      [await createRevokedToken(service, own, "pub"), "TOKEN_REVOKED"],
      [await createRevokedToken(service, own, "dev"), "TOKEN_REVOKED"],
      [await createRevokedToken(service, own, "server"), "TOKEN_REVOKED"],
      [(await createCloudToken(service, doomed.game)).token, "TOKEN_INVALID"],
      [(await createToken(service, doomed, "pub")).token, "TOKEN_INVALID"],
      [(await createToken(service, doomed, "dev")).token, "TOKEN_INVALID"],
      [(await createToken(service, doomed, "server")).token, "TOKEN_INVALID"],
    ];
    await service.admin("DELETE", doomed.game.path);
    for (const id of operationIds) {
      for (const [token, code] of over) {
        const answer = await call(id, own, token);
        expect([id, outcome(answer)]).toEqual([id, `401 ${code}`]);
      }
    }
  });
});
