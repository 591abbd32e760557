import { beforeAll, describe, expect, test } from "vitest";
import { expectRefusal } from "../support/expectations.ts";
import {
  createCloudToken,
  createGame,
  createNamespace,
  createToken,
  createVersion,
  type NamespaceAtHand,
  type Service,
} from "../support/harness.ts";

interface List {
  readonly path: (namespace: NamespaceAtHand) => string;
  readonly field: string;
  readonly id: string;
  readonly add: (service: Service, namespace: NamespaceAtHand) => Promise<unknown>;
}

const lists: Record<string, List> = {
  "games.listGames": {
    path: () => "/cloud/games",
    field: "games",
    id: "game_id",
    add: (service) => createGame(service),
  },
  "games.tokens.listTokens": {
    path: ({ game }) => `${game.path}/tokens`,
    field: "tokens",
    id: "token_id",
    add: (service, { game }) => createCloudToken(service, game),
  },
  "games.namespaces.listGameNamespaces": {
    path: ({ game }) => `${game.path}/namespaces`,
    field: "namespaces",
    id: "namespace_id",
    add: (service, { game }) => createNamespace(service, game),
  },
  "games.namespaces.listTokens": {
    path: ({ path }) => `${path}/tokens`,
    field: "tokens",
    id: "token_id",
    add: (service, namespace) => createToken(service, namespace, "pub"),
  },
  "games.namespaces.getVersionHistory": {
    path: ({ path }) => `${path}/version-history`,
    field: "versions",
    id: "version_id",
    add: async (service, { game, path }) =>
      service.admin("PUT", `${path}/version`, { version_id: await createVersion(service, game) }),
  },
  "games.versions.listGameVersions": {
    path: ({ game }) => `${game.path}/versions`,
    field: "versions",
    id: "version_id",
    add: (service, { game }) => createVersion(service, game),
  },
};

export function pagesTests(at: () => Service): void {
  describe.each(Object.entries(lists))("%s", (_id, list) => {
    let path: string;
    let all: Record<string, unknown>[];
    const get = (query: string) => at().request("GET", `${path}${query}`, { token: at().adminToken });

    beforeAll(async () => {
      const namespace = await createNamespace(at(), await createGame(at()));
      for (let count = 0; count < 5; count++) await list.add(at(), namespace);
      path = list.path(namespace);
      const whole = await get("?limit=500");
      all = whole.json[list.field];
      expect(whole.json).toEqual({ [list.field]: all });
      expect(all.length).toBeGreaterThanOrEqual(5);
    });

    test("[T23] pages of any size add up to the whole list, each but the last with a cursor", async () => {
      for (const limit of [2, 3, all.length - 1, all.length, all.length + 1]) {
        const rows: unknown[] = [];
        let cursor: string | undefined;
        do {
          const page = await get(
            `?limit=${limit}${cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
          );
          expect(page.status).toBe(200);
          const got = page.json[list.field];
          rows.push(...got);
          cursor = page.json.cursor;
          if (cursor !== undefined) expect(got).toHaveLength(limit);
          else expect(got.length).toBeGreaterThan(0);
        } while (cursor !== undefined);
        expect(rows).toEqual(all);
      }
      expect(new Set(all.map((row) => row[list.id])).size).toBe(all.length);
    });

    test.each([
      ["?limit=0", "limit"],
      ["?limit=501", "limit"],
      ["?limit=-1", "limit"],
      ["?limit=1.5", "limit"],
      ["?limit=ten", "limit"],
      ["?limit=", "limit"],
      ["?limit=1&limit=2", "limit"],
      ["?limit=9999999999999999999999", "limit"],
      ["?limit=1e999", "limit"],
      ["?limit=-1e999", "limit"],
      ["?cursor=", "cursor"],
      ["?cursor=nonsense", "cursor"],
      ["?cursor=MDAwMA", "cursor"],
      [`?cursor=${"a".repeat(600)}`, "cursor"],
      ["?page=2", "page"],
      ["?Limit=2", "Limit"],
    ])("[T13] [T24] %s is a bad query that names %s", async (query, field) => {
      expectRefusal(await get(query), "API_BAD_QUERY", [[field]]);
    });

    test("[T13] [T21] every issue of a query is named", async () => {
      const answer = await get("?limit=0&cursor=&page=2");
      expectRefusal(answer, "API_BAD_QUERY");
      const named = answer.json.errors.map(({ path: [field] }: { path: string[] }) => field);
      expect(named.sort()).toEqual(["cursor", "limit", "page"]);
    });
  });
}
