import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectRefusal } from "../support/expectations.ts";
import {
  type Answer,
  createGame,
  createNamespace,
  createToken,
  createVersion,
  type GameAtHand,
  type NamespaceAtHand,
  type Service,
  startService,
  uniqueName,
} from "../support/harness.ts";
import { serviceKinds } from "../support/services/stores.ts";

describe.each(serviceKinds)("concurrent requests on %s", (kind) => {
  let service: Service;
  let game: GameAtHand;

  beforeAll(async () => {
    service = await startService(kind);
    game = await createGame(service);
  });
  afterAll(() => service?.close());

  const send = (method: string, path: string, body?: unknown) =>
    service.request(method, path, { token: service.adminToken, ...(body !== undefined && { body }) });
  const times = <T>(count: number, ask: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => ask(index)));
  const tally = (answers: readonly Answer[]) => {
    const counts: Record<string, number> = {};
    for (const { status, json } of answers) {
      const outcome = status < 300 ? String(status) : String(json?.code);
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
    return counts;
  };
  const domainsOf = async (namespace: NamespaceAtHand): Promise<string[]> =>
    (await service.admin("GET", namespace.path)).namespace.domains.map(({ domain }: { domain: string }) => domain);

  test("[G3] of 64 creates of a game with one name_id exactly one wins", async () => {
    const name_id = uniqueName("race");
    const answers = await times(64, () => send("POST", "/cloud/games", { display_name: "Race", name_id }));
    expect(tally(answers)).toEqual({ 200: 1, CLOUD_NAME_TAKEN: 63 });
    const winner = answers.find(({ status }) => status === 200)!;
    expect((await service.admin("GET", `/cloud/games/${name_id}`)).game.game_id).toBe(winner.json.game_id);
    for (const loser of answers.filter(({ status }) => status !== 200)) {
      expectRefusal(loser, "CLOUD_NAME_TAKEN", [["name_id", "not_unique"]]);
    }
  });

  test("[G3] of 64 creates of a namespace with one name_id exactly one wins", async () => {
    const name_id = uniqueName("race");
    const version_id = await createVersion(service, game);
    const body = { display_name: "Race", name_id, version_id };
    const answers = await times(64, () => send("POST", `${game.path}/namespaces`, body));
    expect(tally(answers)).toEqual({ 200: 1, CLOUD_NAME_TAKEN: 63 });
    const { namespaces } = await service.admin("GET", `${game.path}/namespaces?limit=500`);
    expect(namespaces.filter((each: { name_id: string }) => each.name_id === name_id)).toHaveLength(1);
    const history = await service.admin("GET", `${game.path}/namespaces/${name_id}/version-history`);
    expect(history.versions).toHaveLength(1);
  });

  test("[D5] 32 adds of one domain to one namespace all succeed and leave one", async () => {
    const namespace = await createNamespace(service, game);
    const domain = `${uniqueName("one")}.example.com`;
    const answers = await times(32, (index) =>
      send("POST", `${namespace.path}/domains`, { domain: index % 2 ? domain : domain.toUpperCase() }),
    );
    expect(tally(answers)).toEqual({ 204: 32 });
    expect(await domainsOf(namespace)).toEqual([domain]);
  });

  test("[D6] 32 adds of one domain to two namespaces: one of them has it", async () => {
    const [left, right] = [await createNamespace(service, game), await createNamespace(service, game)];
    const domain = `${uniqueName("two")}.example.com`;
    const answers = await times(32, (index) => send("POST", `${(index % 2 ? left : right).path}/domains`, { domain }));
    expect(tally(answers)).toEqual({ 204: 16, CLOUD_DOMAIN_TAKEN: 16 });
    expect([...(await domainsOf(left)), ...(await domainsOf(right))]).toEqual([domain]);
  });

  test("[D7] of 40 different domains exactly 32 get in", async () => {
    const namespace = await createNamespace(service, game);
    const suffix = `${uniqueName("many")}.example.com`;
    const answers = await times(40, (index) =>
      send("POST", `${namespace.path}/domains`, { domain: `d${index}.${suffix}` }),
    );
    expect(tally(answers)).toEqual({ 204: 32, CLOUD_TOO_MANY_DOMAINS: 8 });
    const added = answers.flatMap(({ status }, index) => (status === 204 ? [`d${index}.${suffix}`] : []));
    expect((await domainsOf(namespace)).sort()).toEqual(added.sort());
  });

  test("[D7] [D8] adds and removals at once never pass 32 and never fail", async () => {
    const namespace = await createNamespace(service, game);
    const suffix = `${uniqueName("churn")}.example.com`;
    const answers = await times(120, (index) => {
      const domain = `d${index % 40}.${suffix}`;
      return index % 3 === 2
        ? send("DELETE", `${namespace.path}/domains/${domain}`)
        : send("POST", `${namespace.path}/domains`, { domain });
    });
    expect(Object.keys(tally(answers)).filter((each) => each !== "204" && each !== "CLOUD_TOO_MANY_DOMAINS")).toEqual(
      [],
    );
    expect((await domainsOf(namespace)).length).toBeLessThanOrEqual(32);
  });

  test("[M2] concurrent changes of the matchmaker config are never mixed", async () => {
    const namespace = await createNamespace(service, game);
    const isPair = ({
      lobby_count_max: count,
      max_players: players,
    }: {
      lobby_count_max: number;
      max_players: number;
    }) => players === count + 1 || (count === 1000 && players === 100);
    const seen: boolean[] = [];
    const answers = await times(100, async (index) => {
      if (index % 4 !== 3) {
        const body = { lobby_count_max: index, max_players: index + 1 };
        return send("POST", `${namespace.path}/mm-config`, body);
      }
      const shown = await send("GET", namespace.path);
      seen.push(isPair(shown.json.namespace.matchmaker));
      return shown;
    });
    expect(tally(answers)).toEqual({ 200: 25, 204: 75 });
    expect(seen).toEqual(seen.map(() => true));
    expect(isPair((await service.admin("GET", namespace.path)).namespace.matchmaker)).toBe(true);
  });

  test("[V13] concurrent deployments all succeed, and the newest one of the history is deployed", async () => {
    const namespace = await createNamespace(service, game);
    const versions = [await createVersion(service, game), await createVersion(service, game)];
    const answers = await times(32, (index) =>
      send("PUT", `${namespace.path}/version`, { version_id: versions[index % 2] }),
    );
    expect(tally(answers)).toEqual({ 204: 32 });
    const history = await service.admin("GET", `${namespace.path}/version-history`);
    // Deploying what is deployed already changes nothing, so there may be fewer.
    expect(history.versions.length).toBeGreaterThanOrEqual(2);
    expect(history.versions.length).toBeLessThanOrEqual(32);
    const { version_id } = (await service.admin("GET", namespace.path)).namespace;
    expect(history.versions[0].version_id).toBe(version_id);
  });

  test("[G5] [G6] deleting a game while namespaces, versions, tokens and domains are made in it", async () => {
    for (let round = 0; round < 3; round++) {
      const doomed = await createGame(service);
      const namespace = await createNamespace(service, doomed);
      const names = (index: number) => ({ display_name: "N", name_id: `n${index}` });
      const makers = [
        (index: number) => send("POST", `${doomed.path}/namespaces`, names(index)),
        (index: number) => send("POST", `${namespace.path}/domains`, { domain: `x${index}.${doomed.nameId}.com` }),
        () => send("POST", `${namespace.path}/tokens/public`),
        () => send("POST", `${doomed.path}/tokens/cloud`),
        () => send("POST", `${doomed.path}/versions`, version),
        () => send("POST", `${namespace.path}/mm-config`, { lobby_count_max: 1, max_players: 2 }),
        () => send("GET", namespace.path),
      ];
      const answers = await times(56, (index) =>
        index === 20 ? send("DELETE", doomed.path) : makers[index % makers.length]!(index),
      );
      const allowed = ["200", "204", "CLOUD_GAME_NOT_FOUND", "CLOUD_NAMESPACE_NOT_FOUND"];
      expect(Object.keys(tally(answers)).filter((each) => !allowed.includes(each))).toEqual([]);
      expectRefusal(await send("GET", doomed.path), "CLOUD_GAME_NOT_FOUND");
      // Nothing of it is left: its name and its domains are free.
      const heir = await createNamespace(service, await createGame(service, doomed.nameId));
      const free = await times(8, (index) =>
        send("POST", `${heir.path}/domains`, { domain: `x${index}.${doomed.nameId}.com` }),
      );
      expect(tally(free)).toEqual({ 204: 8 });
      await service.admin("DELETE", heir.game.path);
    }
  });

  test("[G6] a name that is freed and taken at once belongs to one at every moment", async () => {
    const name_id = uniqueName("turn");
    const path = `${game.path}/namespaces`;
    const answers = await times(60, (index) =>
      index % 2 ? send("DELETE", `${path}/${name_id}`) : send("POST", path, { display_name: "T", name_id }),
    );
    const allowed = ["200", "204", "CLOUD_NAME_TAKEN", "CLOUD_NAMESPACE_NOT_FOUND"];
    expect(Object.keys(tally(answers)).filter((each) => !allowed.includes(each))).toEqual([]);
    const { namespaces } = await service.admin("GET", `${path}?limit=500`);
    const left = namespaces.filter((each: { name_id: string }) => each.name_id === name_id).length;
    const { 200: created = 0, 204: deleted = 0 } = tally(answers);
    expect(created - deleted).toBe(left);
  });

  test("[K20] [K21] of concurrent revocations of one token all succeed, and it is over", async () => {
    const namespace = await createNamespace(service, game);
    const { token, token_id } = await createToken(service, namespace, "dev");
    const answers = await times(16, () => send("DELETE", `${namespace.path}/tokens/${token_id}`));
    expect(tally(answers)).toEqual({ 204: 16 });
    expectRefusal(await service.request("GET", "/matchmaker/regions", { token }), "TOKEN_REVOKED");
  });
});

const version = {
  display_name: "V",
  config: { regions: { local: {} }, game_modes: { duel: { max_players: 2, runtime: { external: {} } } } },
};
