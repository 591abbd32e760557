import { afterAll, beforeAll, expect, test } from "vitest";
import { expectRefusal } from "../support/expectations.ts";
import {
  type Answer,
  createGame,
  createNamespace,
  createVersion,
  developmentServer,
  externalConfig,
  type Service,
  startService,
  uniqueName,
} from "../support/harness.ts";
import type { ServiceKind } from "../support/services/stores.ts";

/** Of 64 concurrent calls, three below the limit, exactly three succeed. */
export function quotasTests(kind: ServiceKind): void {
  let service: Service;
  const max = 8;
  const missing = 3;

  beforeAll(async () => {
    const quotas = { maxNamespacesPerGame: max, maxVersionsPerGame: max, maxTokensPerNamespace: max };
    service = await startService(kind, quotas);
  });
  afterAll(() => service?.close());

  const send = (method: string, path: string, body?: unknown) =>
    service.request(method, path, { token: service.adminToken, ...(body !== undefined && { body }) });
  const times = (count: number, ask: (index: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: count }, (_, index) => ask(index)));

  function expectExact(answers: readonly Answer[]): void {
    const refused = answers.filter(({ status }) => status !== 200);
    expect(answers.length - refused.length).toBe(missing);
    for (const answer of refused) expectRefusal(answer, "CLOUD_QUOTA_REACHED");
  }

  test("[QU1] [QU4] a game has at most max_namespaces_per_game, exactly so under 64 concurrent creates", async () => {
    const game = await createGame(service);
    const create = () => send("POST", `${game.path}/namespaces`, { display_name: "Many", name_id: uniqueName("many") });
    for (let count = 0; count < max - missing; count++) expect((await create()).status).toBe(200);
    expectExact(await times(64, create));
    const { namespaces } = await service.admin("GET", `${game.path}/namespaces`);
    expect(namespaces).toHaveLength(max);
    expect((await create()).json.message).toContain("max_namespaces_per_game");

    await service.admin("DELETE", `${game.path}/namespaces/${namespaces[0].namespace_id}`);
    expect((await create()).status).toBe(200);
    expect((await send("POST", "/cloud/games", { display_name: "B", name_id: uniqueName("b") })).status).toBe(200);
  });

  test("[QU2] [QU4] a game has at most max_versions_per_game, exactly so; deleted ones do not count", async () => {
    const game = await createGame(service);
    const create = () => send("POST", `${game.path}/versions`, { display_name: "Many", config: externalConfig });
    for (let count = 0; count < max - missing; count++) await createVersion(service, game);
    const namespace = await createNamespace(service, game);
    const { versions: before } = await service.admin("GET", `${game.path}/versions`);
    for (const { version_id } of before.slice(0, 2)) {
      await service.admin("PUT", `${namespace.path}/version`, { version_id });
    }
    expectExact(await times(64, create));
    expect((await service.admin("GET", `${game.path}/versions`)).versions).toHaveLength(max);

    // One that was deployed once, and one that never was.
    for (const { version_id } of [before[0], before[3]]) {
      await service.admin("DELETE", `${game.path}/versions/${version_id}`);
    }
    expect((await times(5, create)).filter(({ status }) => status === 200)).toHaveLength(2);
  });

  test("[QU3] [QU4] a namespace has at most max_tokens_per_namespace of all kinds, exactly so; revoked ones do not count", async () => {
    const namespace = await createNamespace(service, await createGame(service));
    const kinds = [["public"], ["server"], ["development", developmentServer]] as const;
    const create = (index: number) => {
      const [last, body] = kinds[index % kinds.length]!;
      return send("POST", `${namespace.path}/tokens/${last}`, body);
    };
    for (let count = 0; count < max - missing; count++) expect((await create(count)).status).toBe(200);
    expectExact(await times(64, create));
    const { tokens } = await service.admin("GET", `${namespace.path}/tokens`);
    expect(tokens).toHaveLength(max);

    for (const { token_id } of tokens.slice(0, 2))
      await service.admin("DELETE", `${namespace.path}/tokens/${token_id}`);
    expect((await times(12, create)).filter(({ status }) => status === 200)).toHaveLength(2);
  });
}
