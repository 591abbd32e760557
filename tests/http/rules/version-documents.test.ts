import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resolveVersionConfig } from "../../../src/operations/cloud/version-document.ts";
import { aUuid, expectAnswer, expectRefusal, pathsOf } from "../../support/expectations.ts";
import { createGame, type Service, startService } from "../../support/harness.ts";

let service: Service;
let path: string;

beforeAll(async () => {
  service = await startService("sqlite");
  path = `${(await createGame(service)).path}/versions`;
});
afterAll(() => service?.close());

const send = (last: string, config: unknown) =>
  service.request("POST", `${path}${last}`, { token: service.adminToken, body: { display_name: "V", config } });
const mode = (changes: object = {}) => ({ max_players: 4, runtime: { external: {} }, ...changes });
const withMode = (changes: object) => ({ regions: { local: {}, far: {} }, game_modes: { duel: mode(changes) } });
const many = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, value]));
const runtime = (env: object) => ({ runtime: { process: { command: "x", env } } });

/** Validating lists exactly these, each ending in its reason, and creating refuses with the same. */
async function expectFaults(config: unknown, faults: readonly string[]): Promise<void> {
  const checked = await send("/validate", config);
  expect([checked.status, pathsOf(checked.json.errors).map((each) => each.join("."))]).toEqual([
    200,
    faults.map((fault) => `config.${fault}`),
  ]);
  if (faults.length > 0) expectRefusal(await send("", config), "CLOUD_VALIDATION_ERROR", pathsOf(checked.json.errors));
  else expectAnswer(await send("", config), { version_id: aUuid });
}
const ofMode = (...faults: string[]) => faults.map((fault) => `game_modes.duel.${fault}`);

/** One document for each reason that a fault can have. */
const byReason: [reason: string, config: unknown, faults: string[]][] = [
  ["required", { regions: { local: {} } }, ["game_modes.required"]],
  ["wrong_type", withMode({ listable: "yes" }), ofMode("listable.wrong_type")],
  ["unknown_field", withMode({ speed: 1 }), ofMode("speed.unknown_field")],
  ["out_of_range", withMode({ timeouts: { ready_s: 0 } }), ofMode("timeouts.ready_s.out_of_range")],
  ["too_short", withMode({ runtime: { process: { command: "" } } }), ofMode("runtime.process.command.too_short")],
  [
    "too_long",
    { regions: { local: { display_name: "x".repeat(129) } }, game_modes: { duel: mode() } },
    ["regions.local.display_name.too_long"],
  ],
  ["too_few", withMode({ regions: [] }), ofMode("regions.too_few")],
  ["too_many", withMode({ ports: many(17, {}) }), ofMode("ports.too_many")],
  ["not_unique", withMode({ regions: ["local", "local"] }), ofMode("regions.1.not_unique")],
  ["invalid", withMode({ ports: { default: { protocol: "gopher" } } }), ofMode("ports.default.protocol.invalid")],
  ["not_found", withMode({ regions: ["mars"] }), ofMode("regions.0.not_found")],
  ["reserved", withMode(runtime({ PORT: "1" })), ofMode("runtime.process.env.PORT.reserved")],
];

describe("issues of a version document", () => {
  test.each(byReason)("[V4] [V5] %s", async (reason, config, faults) => {
    expect(faults.every((fault) => fault.endsWith(`.${reason}`))).toBe(true);
    await expectFaults(config, faults);
  });

  test("[V3] all of them, in the order of the document, one per position, at most a hundred", async () => {
    const config = {
      game_modes: { b: { runtime: { external: {} }, regions: ["nowhere"], max_players: 0, typo: 1 }, a: 5 },
      regions: { local: { latitude: 100 } },
      extra: true,
    };
    await expectFaults(config, [
      "game_modes.b.regions.0.not_found",
      "game_modes.b.max_players.out_of_range",
      "game_modes.b.typo.unknown_field",
      "game_modes.a.wrong_type",
      "regions.local.latitude.out_of_range",
      "extra.unknown_field",
    ]);
    const hostile = await send("/validate", { ...many(2000, 1), regions: many(50, 1) });
    expect(hostile.json.errors).toHaveLength(100);
  });

  test("[N2] modes, regions and ports are named like a name_id, and may use its reserved words", async () => {
    const named = (name: string) => ({
      regions: { [name]: {} },
      game_modes: { [name]: mode({ ports: { [name]: {} } }) },
    });
    for (const name of ["validate", "new", "a", "x".repeat(32), "0-1"]) await expectFaults(named(name), []);
    for (const name of ["A", "a_b", "-a", "a-", "a--b", "x".repeat(33), "é"]) {
      const checked = await send("/validate", named(name));
      const places = pathsOf(checked.json.errors).map((each) => each.join("."));
      expect(places).toContain(`config.regions.${name}.invalid`);
      expect(places).toContain(`config.game_modes.${name}.invalid`);
      await expectFaults(withMode({ ports: { [name]: {} } }), ofMode(`ports.${name}.invalid`));
    }
  });

  test("[V6] 1 to 64 regions, 1 to 32 modes, each with max_players and a runtime", async () => {
    await expectFaults({ regions: {}, game_modes: {} }, ["regions.too_few", "game_modes.too_few"]);
    await expectFaults({ regions: many(64, {}), game_modes: many(32, mode()) }, []);
    await expectFaults({ regions: many(65, {}), game_modes: many(33, mode()) }, [
      "regions.too_many",
      "game_modes.too_many",
    ]);
    await expectFaults(
      { regions: { local: {} }, game_modes: { duel: {} } },
      ofMode("max_players.required", "runtime.required"),
    );
    await expectFaults(withMode({ max_players: 0 }), ofMode("max_players.out_of_range"));
    await expectFaults(withMode({ max_players: 1 }), []);
  });

  test("[V7] max_players_direct is not less than max_players", async () => {
    await expectFaults(withMode({ max_players_direct: 3 }), ofMode("max_players_direct.out_of_range"));
    for (const max_players_direct of [4, 5, null]) await expectFaults(withMode({ max_players_direct }), []);
  });

  test("[V8] a mode's regions are regions of the document, each once", async () => {
    const faults = ofMode("regions.1.not_unique", "regions.2.not_found");
    await expectFaults(withMode({ regions: ["local", "local", "constructor"] }), faults);
    for (const regions of [["far"], ["far", "local"], null]) await expectFaults(withMode({ regions }), []);
  });

  test("[V9] the runtime is one of process, docker and external", async () => {
    const process = { command: "node" };
    const docker = { image: "game:1", network: "host" };
    for (const wrong of [{}, { process, external: {} }, { process: null }, { process, docker }]) {
      await expectFaults(withMode({ runtime: wrong }), ofMode("runtime.invalid"));
    }
    for (const right of [{ process }, { docker }, { external: {} }, { process, external: null }]) {
      await expectFaults(withMode({ runtime: right }), []);
    }
  });

  test("[V10] variables that Foyer sets itself are reserved", async () => {
    const env = { PORT: "1", PORT_GAME: "2", FOYER_TOKEN: "x", FOYER_: "", PORTAL: "fine", MY_PORT: "fine" };
    const reserved = ["PORT", "PORT_GAME", "FOYER_TOKEN", "FOYER_"];
    await expectFaults(
      withMode(runtime(env)),
      ofMode(...reserved.map((name) => `runtime.process.env.${name}.reserved`)),
    );
    await expectFaults(withMode(runtime({ PORTAL: "fine", MY_PORT: "fine" })), []);
  });

  test("[V11] a create that allows no kind of lobby is refused", async () => {
    const create = (more: object) => withMode({ actions: { create: { enabled: true, ...more } } });
    await expectFaults(create({ public: false, private: false }), ofMode("actions.create.invalid"));
    await expectFaults(create({ public: false }), []);
    await expectFaults(create({ enabled: false, public: false, private: false }), []);
  });
});

test("[V7] [V8] [V12] the shortest document, with every default filled in", () => {
  const config = { regions: { local: {}, far: {} }, game_modes: { duel: mode() } };
  const region = { provider_display_name: "", latitude: 0, longitude: 0, ping_url: null };
  expect(resolveVersionConfig(config)).toEqual({
    regions: { local: { ...region, display_name: "local" }, far: { ...region, display_name: "far" } },
    game_modes: {
      duel: {
        max_players: 4,
        max_players_direct: 4,
        regions: ["local", "far"],
        listable: true,
        taggable: false,
        allow_dynamic_max_players: false,
        idle_lobbies: { min: 0 },
        timeouts: {
          ready_s: 60,
          reservation_s: 120,
          heartbeat_s: null,
          registered_heartbeat_s: 30,
          empty_s: 30,
          reconnect_s: 0,
        },
        actions: {
          find: { enabled: true },
          join: { enabled: true },
          create: { enabled: false, public: true, private: true },
        },
        player_keys: "vouched",
        codes: { enabled: false, length: 6 },
        ports: { default: { protocol: "ws" } },
        runtime: { external: {} },
      },
    },
  });
});
