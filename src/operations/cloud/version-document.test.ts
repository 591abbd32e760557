import { describe, expect, test } from "vitest";
import { checkVersionConfig, needsProcessRuntime, resolveVersionConfig, warnOfVersion } from "./version-document.ts";

const mode = (changes: object = {}) => ({ max_players: 4, runtime: { external: {} }, ...changes });
const document = (changes: object = {}) => ({ regions: { local: {} }, game_modes: { duel: mode(changes) } });
const paths = (config: unknown) => checkVersionConfig(config).issues.map(({ path }) => path.join("."));
const pathsOfMode = (changes: object) => paths(document(changes));

const example = {
  regions: { local: { display_name: "Local", latitude: 52.5, longitude: 13.4 } },
  game_modes: {
    duel: {
      max_players: 2,
      max_players_direct: 4,
      regions: ["local"],
      listable: true,
      taggable: true,
      allow_dynamic_max_players: false,
      idle_lobbies: { min: 1 },
      timeouts: { ready_s: 300, reservation_s: 120, heartbeat_s: 0, empty_s: 30, reconnect_s: 60 },
      actions: {
        find: { enabled: true },
        join: { enabled: true },
        create: { enabled: true, public: true, private: true },
      },
      player_keys: "open",
      codes: { enabled: true, length: 8 },
      ports: { default: { protocol: "ws" } },
      runtime: { process: { command: "node", args: ["server.js"], cwd: ".", build_id: null, env: {} } },
    },
  },
};

describe("a document without issues", () => {
  test("that says everything resolves to itself", () => {
    const { issues, resolved } = checkVersionConfig(example);
    expect(issues).toEqual([]);
    const { duel } = example.game_modes;
    expect(resolved).toEqual({
      regions: { local: { ...example.regions.local, provider_display_name: "", ping_url: null } },
      game_modes: { duel: { ...duel, timeouts: { ...duel.timeouts, registered_heartbeat_s: 0 } } },
    });
  });

  test("[CB16] registered lobbies have heartbeats unless it says a number, or was made before 0.2", () => {
    const config = { regions: { local: {} }, game_modes: { duel: mode() } };
    const periods = (defaults: number | null) => resolveVersionConfig(config, defaults).game_modes.duel!.timeouts;
    expect(periods(3)).toMatchObject({ ready_s: 60, heartbeat_s: null, registered_heartbeat_s: 30 });
    expect(periods(2)).toMatchObject({ ready_s: 300, heartbeat_s: 0, registered_heartbeat_s: 30 });
    expect(periods(null)).toMatchObject({ ready_s: 300, heartbeat_s: 0, registered_heartbeat_s: 0 });
    for (const heartbeat_s of [0, 5]) {
      const said = { ...config, game_modes: { duel: mode({ timeouts: { heartbeat_s } }) } };
      const { timeouts } = resolveVersionConfig(said, 2).game_modes.duel!;
      expect(timeouts).toMatchObject({ heartbeat_s, registered_heartbeat_s: heartbeat_s });
    }
  });

  test("[H12] a mode of lobbies that Foyer runs without heartbeats is a warning", () => {
    const warned = (runtime: object, timeouts: object) => {
      const { resolved } = checkVersionConfig(document({ runtime, timeouts }));
      return warnOfVersion(resolved!).map(({ path }) => path.slice(1).join("."));
    };
    const at = "game_modes.duel.timeouts.heartbeat_s";
    const process = { process: { command: "node" } };
    expect(warned(process, {})).toEqual([`${at}.required`]);
    expect(warned(process, { heartbeat_s: 0 })).toEqual([`${at}.off`]);
    expect(warned(process, { heartbeat_s: 1 })).toEqual([]);
    expect(warned({ external: {} }, { heartbeat_s: 0 })).toEqual([]);
  });

  const defaults = {
    max_players: 4,
    max_players_direct: 4,
    player_keys: "vouched",
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
    codes: { enabled: false, length: 6 },
    ports: { default: { protocol: "ws" } },
    runtime: { external: {} },
  };
  const absent = mode();
  const nulls = mode({
    max_players_direct: null,
    regions: null,
    listable: null,
    taggable: null,
    allow_dynamic_max_players: null,
    idle_lobbies: null,
    timeouts: null,
    actions: null,
    codes: null,
    ports: null,
    runtime: { external: {}, process: null },
  });
  const empties = mode({
    idle_lobbies: { min: null },
    timeouts: { ready_s: null },
    actions: { find: {}, join: null, create: { enabled: null } },
    codes: { enabled: null },
    ports: { default: { protocol: null } },
  });

  test.each([
    ["absent", absent],
    ["null", nulls],
    ["empty", empties],
  ])("has its defaults filled in where fields are %s", (_, duel) => {
    const region = { display_name: "Far", provider_display_name: null, latitude: null };
    const { issues, resolved } = checkVersionConfig({ regions: { local: {}, far: region }, game_modes: { duel } });
    expect(issues).toEqual([]);
    expect(resolved).toEqual({
      regions: {
        local: { display_name: "local", provider_display_name: "", latitude: 0, longitude: 0, ping_url: null },
        far: { display_name: "Far", provider_display_name: "", latitude: 0, longitude: 0, ping_url: null },
      },
      game_modes: { duel: defaults },
    });
  });

  test("may use names that objects inherit, and the bounds themselves", () => {
    const config = {
      regions: { constructor: { latitude: -90, longitude: 180 } },
      game_modes: { constructor: mode({ max_players: 4294967295, regions: ["constructor"], ports: {} }) },
    };
    expect(paths(config)).toEqual([]);
  });

  test("needs the process runtime when one mode does", () => {
    const resolve = (config: unknown) => checkVersionConfig(config).resolved;
    const external = resolve(document());
    const process = resolve(example);
    expect([external && needsProcessRuntime(external), process && needsProcessRuntime(process)]).toEqual([false, true]);
  });
});

describe("issues", () => {
  test.each<[string, unknown, string[]]>([
    ["nothing at all", undefined, ["config.required"]],
    ["null", null, ["config.wrong_type"]],
    ["a list", [], ["config.wrong_type"]],
    ["empty", {}, ["config.regions.required", "config.game_modes.required"]],
    ["no regions, no modes", { regions: {}, game_modes: {} }, ["config.regions.too_few", "config.game_modes.too_few"]],
    ["null regions", { ...document(), regions: null }, ["config.regions.wrong_type"]],
    ["an unknown field", { ...document(), game_mode: 1 }, ["config.game_mode.unknown_field"]],
    [
      "a mode's own missing fields",
      { ...document(), game_modes: { duel: {} } },
      ["config.game_modes.duel.max_players.required", "config.game_modes.duel.runtime.required"],
    ],
    ["a bad mode name", { ...document(), game_modes: { "Duel!": mode() } }, ["config.game_modes.Duel!.invalid"]],
    [
      "a bad region name",
      { regions: { local: {}, eu_west: {} }, game_modes: { duel: mode() } },
      ["config.regions.eu_west.invalid"],
    ],
    [
      "coordinates",
      { ...document(), regions: { local: { latitude: 90.1, longitude: "13" } } },
      ["config.regions.local.latitude.out_of_range", "config.regions.local.longitude.wrong_type"],
    ],
    [
      "region names to show",
      { ...document(), regions: { local: { display_name: "", provider_display_name: " x" } } },
      ["config.regions.local.display_name.too_short", "config.regions.local.provider_display_name.invalid"],
    ],
  ])("%s", (_, config, expected) => {
    expect(paths(config)).toEqual(expected);
    expect(checkVersionConfig(config).resolved).toBeNull();
  });

  test.each<[object, string[]]>([
    [{ max_players: 0 }, ["max_players.out_of_range"]],
    [{ max_players: 4294967296 }, ["max_players.out_of_range"]],
    [{ max_players: 1.5 }, ["max_players.out_of_range"]],
    [{ max_players: "4" }, ["max_players.wrong_type"]],
    [{ max_players: null }, ["max_players.wrong_type"]],
    [{ max_players_direct: 3 }, ["max_players_direct.out_of_range"]],
    [{ regions: [] }, ["regions.too_few"]],
    [{ regions: ["mars"] }, ["regions.0.not_found"]],
    [
      { regions: ["local", "local", "tostring", 5] },
      ["regions.1.not_unique", "regions.2.not_found", "regions.3.wrong_type"],
    ],
    [{ listable: "yes" }, ["listable.wrong_type"]],
    [{ codes: { length: 3 } }, ["codes.length.out_of_range"]],
    [{ codes: { enabled: true, length: 11 } }, ["codes.length.out_of_range"]],
    [{ idle_lobbies: { min: -1 } }, ["idle_lobbies.min.out_of_range"]],
    [{ idle_lobbies: { max: 1 } }, ["idle_lobbies.max.unknown_field"]],
    [
      { timeouts: { ready_s: 0, empty_s: 0, heartbeat_s: 86401 } },
      ["timeouts.ready_s.out_of_range", "timeouts.heartbeat_s.out_of_range"],
    ],
    [{ timeouts: { reconnect_s: 3601 } }, ["timeouts.reconnect_s.out_of_range"]],
    [{ actions: { create: { enabled: true, public: false, private: false } } }, ["actions.create.invalid"]],
    [{ actions: { kick: {} } }, ["actions.kick.unknown_field"]],
    [{ ports: { default: { protocol: "quic" } } }, ["ports.default.protocol.invalid"]],
    [{ ports: { Default: {} } }, ["ports.Default.invalid"]],
    [{ ports: Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`p${index}`, {}])) }, ["ports.too_many"]],
    [{ runtime: {} }, ["runtime.invalid"]],
    [{ runtime: { process: { command: "x" }, external: {} } }, ["runtime.invalid"]],
    [{ runtime: { docker: {} } }, ["runtime.docker.image.required"]],
    [{ runtime: { wasm: {} } }, ["runtime.invalid", "runtime.wasm.unknown_field"]],
    [{ runtime: null }, ["runtime.wrong_type"]],
    [{ runtime: { external: { x: 1 } } }, ["runtime.external.x.unknown_field"]],
    [{ runtime: { process: {} } }, ["runtime.process.command.required"]],
    [{ runtime: { process: { command: "" } } }, ["runtime.process.command.too_short"]],
    [
      { runtime: { process: { command: "a\0b", args: [1, "\0"] } } },
      ["runtime.process.command.invalid", "runtime.process.args.0.wrong_type", "runtime.process.args.1.invalid"],
    ],
    [
      {
        runtime: {
          process: { command: "x", env: { OK: "", FOYER_TOKEN: "x", PORT: "1", PORT_A: "1", "A=B": "", N: 1 } },
        },
      },
      ["FOYER_TOKEN.reserved", "PORT.reserved", "PORT_A.reserved", "A=B.invalid", "N.wrong_type"].map(
        (end) => `runtime.process.env.${end}`,
      ),
    ],
  ])("of a mode: %j", (changes, expected) => {
    expect(pathsOfMode(changes)).toEqual(expected.map((path) => `config.game_modes.duel.${path}`));
  });

  test("are all listed, in the order of the document, one per position", () => {
    const config = {
      game_modes: {
        b: { runtime: { external: {} }, regions: ["nowhere"], max_players: 0, typo: 1 },
        a: 5,
      },
      regions: { local: { latitude: 100 } },
      extra: true,
    };
    expect(paths(config)).toEqual([
      "config.game_modes.b.regions.0.not_found",
      "config.game_modes.b.max_players.out_of_range",
      "config.game_modes.b.typo.unknown_field",
      "config.game_modes.a.wrong_type",
      "config.regions.local.latitude.out_of_range",
      "config.extra.unknown_field",
    ]);
  });

  test("are at most a hundred, however hostile the document", () => {
    const many = Object.fromEntries(Array.from({ length: 8000 }, (_, index) => [`K${index}`, index]));
    for (const config of [many, { regions: many, game_modes: many }, document({ regions: Array(20_000).fill("x") })]) {
      expect(checkVersionConfig(config).issues.length).toBeLessThanOrEqual(100);
    }
  });

  test("[T57] [T59] a name as long as a whole document, with an issue in each of thousands of fields, costs little", () => {
    const fields = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`k${index}`, index]));
    for (const name of ["m/".repeat(20_000), "~".repeat(40_000)]) {
      const { issues } = checkVersionConfig({ regions: { local: {} }, game_modes: { [name]: fields } });
      expect(issues).toHaveLength(100);
      expect(issues[0]?.path).toEqual(["config", "game_modes", `${name.slice(0, 128)}…`, "invalid"]);
      expect(JSON.stringify(issues).length).toBeLessThan(64 * 1024);
    }
  });

  test("have messages that say what is wrong", () => {
    const { issues } = checkVersionConfig(document({ max_players: 4294967296 }));
    expect(issues).toEqual([
      { path: ["config", "game_modes", "duel", "max_players", "out_of_range"], message: "must be at most 4294967295" },
    ]);
  });
});

test("checking a document does not change it", () => {
  const config = document({ timeouts: {}, actions: null });
  const before = structuredClone(config);
  checkVersionConfig(config);
  expect(config).toEqual(before);
});

test("[VF3] a port is lazy when the version says so, and every port of versions made before 0.2 was released", () => {
  const config = document({ ports: { a: { lazy: true }, b: { lazy: false }, c: {} } });
  expect(checkVersionConfig(config).issues).toEqual([]);
  const ports = (defaults?: number) => resolveVersionConfig(config, defaults).game_modes.duel!.ports;
  const lazy = { protocol: "ws", lazy: true };
  expect(ports()).toEqual({ a: lazy, b: { protocol: "ws" }, c: { protocol: "ws" } });
  expect(ports(2)).toEqual({ a: lazy, b: lazy, c: lazy });
});

test("[GW1] routing is direct or gateway, gateway only for http and ws of lobbies that Foyer runs", () => {
  const runtime = { process: { command: "node" } };
  const resolved = (ports: object) => checkVersionConfig(document({ ports, runtime })).resolved?.game_modes.duel?.ports;
  const given = { a: { routing: "gateway" }, b: { protocol: "http", routing: "gateway" }, c: { routing: "direct" } };
  expect(resolved(given)).toEqual({
    a: { protocol: "ws", routing: "gateway" },
    b: { protocol: "http", routing: "gateway" },
    c: { protocol: "ws" },
  });
  expect(resolved({ a: { routing: null } })).toEqual({ a: { protocol: "ws" } });
  const refused = (port: object, more: object = { runtime }) => pathsOfMode({ ports: { a: port }, ...more });
  for (const protocol of ["https", "wss", "tcp", "tls", "udp"]) {
    expect(refused({ protocol, routing: "gateway" })).toEqual(["config.game_modes.duel.ports.a.routing.invalid"]);
  }
  expect(refused({ routing: "gateway" }, {})).toEqual(["config.game_modes.duel.ports.a.routing.invalid"]);
  expect(refused({ routing: "direct" }, {})).toEqual([]);
  expect(refused({ routing: "proxy" })).toEqual(["config.game_modes.duel.ports.a.routing.invalid"]);
});
