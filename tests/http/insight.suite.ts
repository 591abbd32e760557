import { beforeAll, expect, test } from "vitest";
import { expectAnswer, expectRefusal } from "../support/expectations.ts";
import { createGame, createNamespace, type NamespaceAtHand, type Service, uniqueName } from "../support/harness.ts";

/** What operators see of a namespace that no player has used, and of a service with one node. */
export function insightTests(at: () => Service): void {
  let namespace: NamespaceAtHand;
  const get = (path: string) => at().request("GET", path, { token: at().adminToken });

  beforeAll(async () => {
    namespace = await createNamespace(at(), await createGame(at()));
  });

  test("[OP1] the only node lists itself", async () => {
    const { status, json } = await get("/cloud/nodes");
    expect([status, json.nodes.length]).toEqual([200, 1]);
    expect(json.nodes[0]).toMatchObject({ is_self: true, has_lease: true, regions: null, clock_offset_ms: null });
  });

  test("[AC1] a namespace without players has no figures, which is null and not 0", async () => {
    const { json } = await get(`${namespace.path}/activity?window_s=60&step_s=10`);
    expect(json).toMatchObject({ step_s: 10, is_partial: false });
    expect(new Set(json.series.finds)).toEqual(new Set([null]));
  });

  test("[DE1] a namespace without players has no decisions", async () => {
    expectAnswer(await get(`${namespace.path}/decisions`), { decisions: [], is_partial: false });
  });

  test.each([
    ["activity", "step_s=7"],
    ["decisions", "limit=0"],
  ])("%s of what does not exist, or with a wrong query, is refused", async (path, query) => {
    expectRefusal(await get(`${namespace.path}/${path}?${query}`), "API_BAD_QUERY");
    expectRefusal(await get(`/cloud/games/${uniqueName("no")}/namespaces/prod/${path}`), "CLOUD_GAME_NOT_FOUND");
    const unknown = namespace.path.replace(/[^/]+$/, uniqueName("no"));
    expectRefusal(await get(`${unknown}/${path}`), "CLOUD_NAMESPACE_NOT_FOUND");
  });
}
