import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { type IsChange, isChange } from "../../src/contract/define.ts";
import { type OperationId, type Operations, operationIds, operations } from "../../src/contract/index.ts";
import { uploadBuild } from "../builds/upload.ts";
import { aTimestamp, aUuid, expectAnswer, expectEmpty, expectRefusal } from "../support/expectations.ts";
import {
  type Answer,
  createCloudToken,
  createGame,
  createNamespace,
  createToken,
  createVersion,
  developmentServer,
  externalConfig,
  type GameAtHand,
  type NamespaceAtHand,
  type Service,
  signIn,
  uniqueName,
} from "../support/harness.ts";

type ChangeId = { [Id in OperationId]: IsChange<Operations[Id]> extends true ? Id : never }[OperationId];

/** A call that succeeds, and what its entry says beside the operation and who called. */
interface Made {
  readonly answer: Answer;
  readonly entry: { kind?: string; token_id?: string; game_id?: string; namespace_id?: string; target?: string };
}
type Make = (service: Service, namespace: NamespaceAtHand) => Promise<Made>;

const call = (service: Service, method: string, path: string, body?: unknown) =>
  service.request(method, path, { token: service.adminToken, ...(body !== undefined && { body }) });

/** Of a namespace; `target` is what the change is about. */
function within(
  method: string,
  path: string,
  body: unknown,
  target?: (answer: Answer, namespace: NamespaceAtHand) => string,
): Make {
  return async (service, namespace) => {
    const answer = await call(service, method, `${namespace.path}${path}`, body);
    const of = { game_id: namespace.game.gameId, namespace_id: namespace.namespaceId };
    return { answer, entry: { ...of, ...(target && { target: target(answer, namespace) }) } };
  };
}

const newTokenId = (answer: Answer) => answer.json.token_id;

/** A lobby that the studio runs; gives its id. */
async function registered(service: Service, namespace: NamespaceAtHand): Promise<string> {
  const version_id = await createVersion(service, namespace.game);
  await service.admin("PUT", `${namespace.path}/version`, { version_id });
  const { token } = await createToken(service, namespace, "server");
  const ports = { default: { hostname: "a.example.com", port: 1, is_tls: false } };
  const body = { game_mode: "duel", region: "local", ports };
  return (await service.request("POST", "/matchmaker/lobbies/register", { token, body })).json.lobby_id;
}

/** One success of each operation that changes something. A new operation needs a row, or this does not compile. */
const makes: Record<ChangeId, Make> = {
  "auth.createSignInCode": async (service) => ({
    answer: await call(service, "POST", "/cloud/sign-in-codes"),
    entry: {},
  }),
  "auth.signIn": async (service) => {
    const { answer, tokenId } = await signIn(service);
    return { answer, entry: { kind: "none", target: tokenId } };
  },
  "auth.signOut": async (service) => {
    const { token, tokenId } = await signIn(service);
    const answer = await service.request("DELETE", "/cloud/sign-in", { token });
    return { answer, entry: { kind: "session", token_id: tokenId, target: tokenId } };
  },
  "auth.endSession": async (service) => {
    const { tokenId } = await signIn(service);
    return { answer: await call(service, "DELETE", `/cloud/sessions/${tokenId}`), entry: { target: tokenId } };
  },
  "games.createGame": async (service) => {
    const name_id = uniqueName("audited");
    const answer = await call(service, "POST", "/cloud/games", { display_name: "Audited", name_id });
    return { answer, entry: { game_id: answer.json.game_id, target: name_id } };
  },
  "games.deleteGame": async (service) => {
    const { gameId, nameId } = await createGame(service);
    return {
      answer: await call(service, "DELETE", `/cloud/games/${nameId}`),
      entry: { game_id: gameId, target: nameId },
    };
  },
  "games.tokens.createCloudToken": async (service, { game }) => {
    const answer = await call(service, "POST", `${game.path}/tokens/cloud`);
    return { answer, entry: { game_id: game.gameId, target: answer.json.token_id } };
  },
  "games.tokens.revokeToken": async (service, { game }) => {
    const { token_id } = await createCloudToken(service, game);
    const answer = await call(service, "DELETE", `${game.path}/tokens/${token_id.toUpperCase()}`);
    return { answer, entry: { game_id: game.gameId, target: token_id } };
  },
  "games.namespaces.createGameNamespace": async (service, { game }) => {
    const name_id = uniqueName("audited");
    const answer = await call(service, "POST", `${game.path}/namespaces`, { display_name: "Audited", name_id });
    return { answer, entry: { game_id: game.gameId, namespace_id: answer.json.namespace_id, target: name_id } };
  },
  "games.namespaces.deleteGameNamespace": async (service, { game }) => {
    const { namespaceId, nameId } = await createNamespace(service, game);
    const answer = await call(service, "DELETE", `/cloud/games/${game.nameId}/namespaces/${nameId}?force=true`);
    return { answer, entry: { game_id: game.gameId, namespace_id: namespaceId, target: nameId } };
  },
  "games.namespaces.updateGameNamespaceMatchmakerConfig": within("POST", "/mm-config", {
    lobby_count_max: 5,
    max_players: 6,
  }),
  "games.namespaces.addNamespaceDomain": within(
    "POST",
    "/domains",
    { domain: "AUDITED.example.com" },
    () => "audited.example.com",
  ),
  "games.namespaces.removeNamespaceDomain": within(
    "DELETE",
    "/domains/AUDITED.example.com",
    undefined,
    () => "audited.example.com",
  ),
  "games.namespaces.blocks.set": within("PUT", "/blocks", { client: "192.0.2.77/24" }, () => "192.0.2.0/24"),
  "games.namespaces.blocks.remove": within("DELETE", "/blocks?client=192.0.2.0%2F24", undefined, () => "192.0.2.0/24"),
  "games.namespaces.toggleNamespaceDomainPublicAuth": within("PUT", "/domain-public-auth", { enabled: true }),
  "games.namespaces.createGameNamespaceTokenPublic": within("POST", "/tokens/public", undefined, newTokenId),
  "games.namespaces.createGameNamespaceTokenServer": within("POST", "/tokens/server", undefined, newTokenId),
  "games.namespaces.createGameNamespaceTokenDevelopment": within(
    "POST",
    "/tokens/development",
    developmentServer,
    newTokenId,
  ),
  "games.namespaces.revokeToken": async (service, namespace) => {
    const { token_id } = await createToken(service, namespace, "pub");
    return within("DELETE", `/tokens/${token_id}`, undefined, () => token_id)(service, namespace);
  },
  "games.namespaces.updateGameNamespaceVersion": async (service, namespace) => {
    const version_id = await createVersion(service, namespace.game);
    return within("PUT", "/version", { version_id }, () => version_id)(service, namespace);
  },
  "games.namespaces.lobbies.stop": async (service, namespace) => {
    const lobbyId = await registered(service, namespace);
    return within("DELETE", `/lobbies/${lobbyId}`, undefined, () => lobbyId)(service, namespace);
  },
  "games.namespaces.lobbies.setClosed": async (service, namespace) => {
    const lobbyId = await registered(service, namespace);
    return within("PUT", `/lobbies/${lobbyId}/closed`, { is_closed: true }, () => lobbyId)(service, namespace);
  },
  "games.builds.createBuild": async (service, { game }) => {
    const answer = await uploadBuild(service, game);
    return { answer, entry: { game_id: game.gameId, target: answer.json.build_id } };
  },
  "games.builds.deleteBuild": async (service, { game }) => {
    const { build_id } = (await uploadBuild(service, game)).json;
    const answer = await call(service, "DELETE", `${game.path}/builds/${build_id.toUpperCase()}`);
    return { answer, entry: { game_id: game.gameId, target: build_id } };
  },
  "games.versions.createGameVersion": async (service, { game }) => {
    const body = { display_name: "Audited", config: externalConfig };
    const answer = await call(service, "POST", `${game.path}/versions`, body);
    return { answer, entry: { game_id: game.gameId, target: answer.json.version_id } };
  },
  "games.versions.deleteGameVersion": async (service, { game }) => {
    const versionId = await createVersion(service, game);
    const answer = await call(service, "DELETE", `${game.path}/versions/${versionId}`);
    return { answer, entry: { game_id: game.gameId, target: versionId } };
  },
};

export function auditTests(at: () => Service): void {
  let game: GameAtHand;
  let namespace: NamespaceAtHand;
  const list = (query = "") => at().admin("GET", `/cloud/audit${query}`);
  const newest = async () => (await list("?limit=1")).entries[0];

  beforeAll(async () => {
    game = await createGame(at());
    namespace = await createNamespace(at(), game);
  });

  describe("[AU1] [AU3] a success leaves one entry", () => {
    test.each(Object.entries(makes))("%s", async (operation, make) => {
      const { answer, entry } = await make(at(), namespace);
      expect([answer.status, answer.text]).toEqual([expect.toBeOneOf([200, 204]), expect.any(String)]);
      const whole = { audit_id: aUuid, at: aTimestamp, operation, kind: "admin", client: "127.0.0.1", ...entry };
      expect(await newest()).toEqual({ ...whole, request_id: answer.headers["x-request-id"] });
      const { entries } = await list(`?operation=${operation}`);
      const ofCall = entries.filter((each: { request_id: string }) => each.request_id === newestId(answer));
      expect(ofCall).toHaveLength(1);
    });
  });

  test("[AU1] an operation that changes nothing is a GET or is marked as a check", () => {
    const named = operationIds.filter((id) => operations[id].path.startsWith("/cloud/") && !(id in makes));
    expect(named.filter((id) => isChange(operations[id]))).toEqual([]);
    const checks = operationIds.filter((id) => "isCheck" in operations[id]);
    expect(checks.filter((id) => !/\.(?:validate|preview)[A-Z]/.test(id))).toEqual([]);
  });

  test("[AU1] refusals, reads and checks leave no entry; a call that had nothing left to change does", async () => {
    const domain = `${uniqueName("again")}.example.com`;
    await at().admin("POST", `${namespace.path}/domains`, { domain });
    const before = await newest();
    const names = { display_name: "A Game", name_id: uniqueName("free") };
    for (const path of ["/cloud/games/validate", `${game.path}/namespaces/validate`]) {
      expectAnswer(await call(at(), "POST", path, names), { errors: [] });
    }
    const taken = { display_name: "A Game", name_id: game.nameId };
    expectRefusal(await call(at(), "POST", "/cloud/games", taken), "CLOUD_NAME_TAKEN");
    expectRefusal(await call(at(), "DELETE", `${game.path}/tokens/${before.audit_id}`), "CLOUD_TOKEN_NOT_FOUND");
    expectRefusal(await at().request("POST", "/cloud/games", { body: names }), "TOKEN_MISSING");
    await at().admin("GET", game.path);
    expect(await newest()).toEqual(before);

    const again = await call(at(), "POST", `${namespace.path}/domains`, { domain });
    expectEmpty(again);
    expect(await newest()).toMatchObject({ target: domain, request_id: newestId(again) });
  });

  test("[AU3] an entry names the cloud token that made the change, and has nothing of the body or the secret", async () => {
    const cloud = await createCloudToken(at(), game);
    const process = { command: "node", env: { PASSWORD: "correct horse battery staple" } };
    const config = { regions: { local: {} }, game_modes: { duel: { max_players: 2, runtime: { process } } } };
    await at().admin("POST", `${game.path}/versions`, { display_name: "Secretive", config });
    const made = await at().request("POST", `${namespace.path}/tokens/public`, { token: cloud.token });
    expect(await newest()).toMatchObject({ kind: "cloud", token_id: cloud.token_id, target: made.json.token_id });
    const everything = JSON.stringify(await list("?limit=500"));
    for (const secret of ["correct horse", "Secretive", cloud.token, made.json.token, at().adminToken]) {
      expect(everything.includes(secret)).toBe(false);
    }
  });

  test("[AU4] the list is the admin's, goes newest first in pages, and can be narrowed", async () => {
    const own = await createGame(at());
    const cloud = await createCloudToken(at(), own);
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) {
      const answer = await at().request("POST", `${own.path}/namespaces`, {
        token: cloud.token,
        body: { display_name: "Paged", name_id: uniqueName("paged") },
      });
      ids.unshift(answer.json.namespace_id);
    }
    expectRefusal(await at().request("GET", "/cloud/audit", { token: cloud.token }), "TOKEN_FORBIDDEN");

    const seen: string[] = [];
    let query = `?token_id=${cloud.token_id.toUpperCase()}&limit=2`;
    for (let page = await list(query); ; page = await list(query)) {
      seen.push(...page.entries.map((entry: { namespace_id: string }) => entry.namespace_id));
      if (page.cursor === undefined) break;
      query = `?token_id=${cloud.token_id}&limit=2&cursor=${page.cursor}`;
    }
    expect(seen).toEqual(ids);

    const operation = "games.namespaces.createGameNamespace";
    const ofGame = (await list(`?game_id=${own.gameId}`)).entries;
    expect(ofGame).toHaveLength(7);
    expect((await list(`?game_id=${own.gameId}&operation=${operation}`)).entries).toEqual(ofGame.slice(0, 5));
    const since = encodeURIComponent(ofGame[1].at);
    const later = (await list(`?game_id=${own.gameId}&since_ts=${since}`)).entries;
    expect(later).toEqual(ofGame.filter((entry: { at: string }) => entry.at >= ofGame[1].at));
    for (const bad of ["operation=games.createGames", "game_id=x", "since_ts=now", "cursor=x"]) {
      expectRefusal(await call(at(), "GET", `/cloud/audit?${bad}`), "API_BAD_QUERY");
    }
  });

  test("[AU5] entries outlive what they refer to", async () => {
    const own = await createGame(at());
    await createNamespace(at(), own);
    await at().admin("DELETE", own.path);
    const { entries } = await list(`?game_id=${own.gameId}`);
    expect(entries.map((entry: { operation: string }) => entry.operation)).toEqual([
      "games.deleteGame",
      "games.namespaces.createGameNamespace",
      "games.createGame",
    ]);
  });

  test("[AU6] each entry is one line of the log too", async () => {
    const own = await createGame(at());
    const [entry] = (await list(`?game_id=${own.gameId}`)).entries;
    const logs = fileURLToPath(new URL("../../test-output/logs", import.meta.url));
    const name = readdirSync(logs).find((file) => at().dataDir.endsWith(file.replace(/\.log$/, "")));
    const lines = readFileSync(join(logs, name ?? ""), "utf8").split("\n");
    const logged = lines.filter((line) => line.includes(entry.audit_id)).map((line) => JSON.parse(line));
    expect(logged).toMatchObject([{ level: "info", audit: entry, msg: "changed by games.createGame" }]);
  });
}

const newestId = (answer: Answer) => answer.headers["x-request-id"];
