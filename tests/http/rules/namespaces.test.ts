import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectAnswer, expectEmpty, expectRefusal } from "../../support/expectations.ts";
import {
  createGame,
  createNamespace,
  createToken,
  createVersion,
  type Service,
  startService,
} from "../../support/harness.ts";
import { serviceKinds } from "../../support/services/stores.ts";

/** Where the control plane and living lobbies meet. */
describe.each(serviceKinds)("namespaces with lobbies on %s", (kind) => {
  let service: Service;

  beforeAll(async () => {
    service = await startService(kind);
  });
  afterAll(() => service?.close());

  const admin = (method: string, path: string, body?: unknown) =>
    service.request(method, path, { token: service.adminToken, ...(body !== undefined && { body }) });

  async function arena() {
    const game = await createGame(service);
    const namespace = await createNamespace(service, game, { versionId: await createVersion(service, game) });
    const server = (await createToken(service, namespace, "server")).token;
    const pub = (await createToken(service, namespace, "pub")).token;
    const ports = { default: { hostname: "duel.example.com", port: 7777, is_tls: false } };
    const body = { game_mode: "duel", region: "local", ports };
    return {
      namespace,
      register: () => service.request("POST", "/matchmaker/lobbies/register", { token: server, body }),
      ready: (token: string) => service.request("POST", "/matchmaker/lobbies/ready", { token }),
      find: () => service.request("POST", "/matchmaker/lobbies/find", { token: pub, body: { game_modes: ["duel"] } }),
      join: (lobby_id: string) =>
        service.request("POST", "/matchmaker/lobbies/join", { token: pub, body: { lobby_id } }),
      limit: async (lobby_count_max: number, max_players: number) =>
        expectEmpty(await admin("POST", `${namespace.path}/mm-config`, { lobby_count_max, max_players })),
    };
  }

  test.each(["the namespace", "its game"])("[G7] deleting %s in which a lobby lives needs force", async (what) => {
    const { namespace, register, ready } = await arena();
    const { token } = (await register()).json;
    const path = what === "its game" ? namespace.game.path : namespace.path;
    for (const query of ["", "?force=false"]) {
      expectRefusal(await admin("DELETE", `${path}${query}`), "CLOUD_NAMESPACE_NOT_EMPTY");
    }
    expect((await admin("GET", namespace.path)).status).toBe(200);
    expectEmpty(await ready(token));

    expectEmpty(await admin("DELETE", `${path}?force=true`));
    expect((await admin("GET", namespace.path)).status).toBe(404);
    expectRefusal(await ready(token), "TOKEN_INVALID");
  });

  test("[G7] a namespace whose lobbies have all stopped needs no force", async () => {
    const { namespace, register } = await arena();
    const { token } = (await register()).json;
    expectEmpty(await service.request("POST", "/matchmaker/lobbies/stop", { token }));
    expectEmpty(await admin("DELETE", namespace.path));
  });

  test("[M4] new numbers decide every creation, find and join that starts after the answer", async () => {
    const { register, ready, find, join, limit } = await arena();
    await limit(0, 100);
    expectRefusal(await register(), "MATCHMAKER_TOO_MANY_LOBBIES");
    await limit(1, 0);
    const { lobby_id, token } = (await register()).json;
    expectEmpty(await ready(token));
    expectRefusal(await register(), "MATCHMAKER_TOO_MANY_LOBBIES");
    expectRefusal(await find(), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expectRefusal(await join(lobby_id), "MATCHMAKER_LOBBY_FULL");
    await limit(2, 1);
    expect((await find()).json.lobby.lobby_id).toBe(lobby_id);
    expectRefusal(await find(), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expectRefusal(await join(lobby_id), "MATCHMAKER_LOBBY_FULL");
    await limit(2, 2);
    expect((await join(lobby_id)).status).toBe(200);
    expect((await register()).status).toBe(200);
  });

  test.each([
    ["Latin, punctuation and a symbol", "Mein Spiel (Test) – 2! ♥"],
    ["Japanese", "ゲーム"],
    ["Persian, which needs a joiner", "می\u200cخواهم"],
    ["an emoji of several, joined", "👩\u200d👩\u200d👧"],
    ["an emoji with a variation selector", "❤\ufe0f"],
    ["the flag of a country, and a skin tone", "🇩🇪 👍🏽"],
    ["the flag of a region, in tag characters", "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}"],
  ])("[N4] [N5] [N8] a display name may be %s", async (_title, display_name) => {
    const body = { display_name, name_id: "some-name" };
    expectAnswer(await admin("POST", "/cloud/games/validate", body), { errors: [] });
  });

  test.each(["a", "0", "a-b-c", "eu-staging-2", "x".repeat(32), "0-9", "validated", "news"])(
    "[N1] a name_id may be %s",
    async (name_id) => {
      const body = { display_name: "A Game", name_id };
      expectAnswer(await admin("POST", "/cloud/games/validate", body), { errors: [] });
    },
  );
});
