import { afterAll, beforeAll, expect, test } from "vitest";
import { expectRefusal } from "../support/expectations.ts";
import {
  createGame,
  createNamespace,
  createToken,
  type NamespaceAtHand,
  type Service,
  startService,
} from "../support/harness.ts";

// None of this depends on the store, so the faster one does.
let service: Service;
let namespace: NamespaceAtHand;
let devToken: string;

beforeAll(async () => {
  service = await startService("sqlite");
  namespace = await createNamespace(service, await createGame(service));
  devToken = (await createToken(service, namespace, "dev")).token;
});
afterAll(() => service?.close());

const admin = () => ({ token: service.adminToken });

test("[T21] [T57] [T58] a heartbeat with many issues gets the first hundred, or is refused before parsing", async () => {
  const ask = (player_ids: unknown[]) =>
    service.request("POST", "/matchmaker/lobbies/heartbeat", { token: devToken, body: { player_ids } });
  const wrong = await ask(Array(40_000).fill(0));
  expectRefusal(wrong, "API_BAD_BODY");
  expect(wrong.json.errors.slice(0, 2)).toEqual([
    { path: ["player_ids"], message: "must have at most 20000 entries" },
    { path: ["player_ids", "0"], message: "must be a string" },
  ]);
  expect(wrong.json.errors).toHaveLength(100);
  const tooMany = await ask(Array(400_000).fill(0));
  expectRefusal(tooMany, "API_BAD_BODY", []);
  expect(tooMany.json.message).toContain("too many values");
});

test("[T58] how many values an operation accepts", async () => {
  const values = (count: number) => Array(count).fill(0);
  const tooMany = { message: expect.stringContaining("too many values") };
  for (const [method, path, body] of [
    ["POST", "find", { game_modes: values(1000) }],
    ["POST", "find", { game_modes: [], tags: Object.fromEntries(values(1000).map((_, index) => [`t${index}`, ""])) }],
    ["POST", "join", { players: values(1000) }],
    ["POST", "create", { game_mode: "a", lobby_config: values(10_000) }],
  ] as const) {
    const answer = await service.request(method, `/matchmaker/lobbies/${path}`, { token: devToken, body });
    expectRefusal(answer, "API_BAD_BODY", []);
    expect(answer.json).toMatchObject(tooMany);
  }
  // One that has fewer is refused with its issues.
  const find = await service.request("POST", "/matchmaker/lobbies/find", {
    token: devToken,
    body: { game_modes: values(990) },
  });
  expect(find.json.errors[0]).toEqual({ path: ["game_modes"], message: "must have at most 16 entries" });
  const state = await service.request("PUT", "/matchmaker/lobbies/state", { token: devToken, body: values(8_190) });
  expect(state.status).toBe(204);
  const version = { display_name: "many", config: { game_modes: values(30_000) } };
  const path = `/cloud/games/${namespace.game.gameId}/versions/validate`;
  const validated = await service.request("POST", path, { ...admin(), body: version });
  expect(validated.status).toBe(200);
});

test("[T59] a field's name that fills the body is not repeated whole", async () => {
  const answer = await service.request("POST", "/cloud/games/validate", {
    ...admin(),
    body: { ["x".repeat(60_000)]: 1 },
  });
  const fields = ["display_name", "name_id", `${"x".repeat(128)}…`];
  expectRefusal(
    answer,
    "API_BAD_BODY",
    fields.map((field) => [field]),
  );
});
