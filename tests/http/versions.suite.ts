import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { aTimestamp, aUuid, expectAnswer, expectEmpty, expectRefusal } from "../support/expectations.ts";
import {
  createCloudToken,
  createGame,
  createNamespace,
  createVersion,
  externalConfig,
  type GameAtHand,
  processConfig,
  type Service,
  startService,
} from "../support/harness.ts";

export function versionsTests(at: () => Service): void {
  let game: GameAtHand;
  let token: string;
  const call = (method: string, path: string, body?: unknown) =>
    at().request(method, path, { token, ...(body !== undefined && { body }) });
  const version = (config: unknown, displayName = "A Version") => ({ display_name: displayName, config });

  beforeAll(async () => {
    game = await createGame(at());
    token = (await createCloudToken(at(), game)).token;
  });

  test("[V1] createGameVersion stores the document as it was sent; the list is newest first", async () => {
    const own = await createGame(at());
    const path = `${own.path}/versions`;
    const admin = { token: at().adminToken };
    const ids: string[] = [];
    for (const config of [externalConfig, processConfig]) {
      const created = await at().request("POST", path, { ...admin, body: version(config, `V${ids.length}`) });
      expectAnswer(created, { version_id: aUuid });
      ids.push(created.json.version_id);
      for (const id of [created.json.version_id, created.json.version_id.toUpperCase()]) {
        expectAnswer(await at().request("GET", `${path}/${id}`, admin), {
          version: { version_id: id.toLowerCase(), display_name: `V${ids.length - 1}`, create_ts: aTimestamp, config },
        });
      }
    }
    expectAnswer(await at().request("GET", path, admin), {
      versions: [
        { version_id: ids[1], display_name: "V1", create_ts: aTimestamp },
        { version_id: ids[0], display_name: "V0", create_ts: aTimestamp },
      ],
    });
  });

  test("[V3] [V5] validateGameVersion lists every issue with its path, createGameVersion refuses with the same", async () => {
    const mode = { max_players: 4, runtime: { external: {} } };
    const config = {
      regions: { local: { latitude: 91 }, Bad: {} },
      game_modes: {
        duel: { ...mode, max_players_direct: 2, regions: ["local", "nowhere"], speed: 1 },
        race: { max_players: "4", runtime: { external: {}, process: { command: "x" } } },
      },
    };
    const checked = await call("POST", `${game.path}/versions/validate`, version(config, ""));
    expect(checked.status).toBe(200);
    const paths = checked.json.errors.map(({ path }: { path: string[] }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        ["display_name", "too_short"],
        ["config", "regions", "local", "latitude", "out_of_range"],
        ["config", "regions", "Bad", "invalid"],
        ["config", "game_modes", "duel", "max_players_direct", "out_of_range"],
        ["config", "game_modes", "duel", "regions", "1", "not_found"],
        ["config", "game_modes", "duel", "speed", "unknown_field"],
        ["config", "game_modes", "race", "max_players", "wrong_type"],
        ["config", "game_modes", "race", "runtime", "invalid"],
      ]),
    );
    expect(paths).toHaveLength(8);
    const refused = await call("POST", `${game.path}/versions`, version(config, ""));
    expectRefusal(refused, "CLOUD_VALIDATION_ERROR", paths);
  });

  test("[H12] validateGameVersion warns of lobbies that Foyer runs without heartbeats", async () => {
    const config = {
      regions: { local: {} },
      game_modes: { duel: { max_players: 4, runtime: { process: { command: "node" } } } },
    };
    const checked = await call("POST", `${game.path}/versions/validate`, version(config));
    expect(checked.json).toEqual({
      errors: [],
      warnings: [
        {
          path: ["config", "game_modes", "duel", "timeouts", "heartbeat_s", "required"],
          message: expect.stringContaining("hangs"),
        },
      ],
    });
  });

  test("[V3] a valid document has no issues, and checking stores nothing", async () => {
    const before = await call("GET", `${game.path}/versions`);
    const duel = { ...processConfig.game_modes.duel, timeouts: { heartbeat_s: 30 } };
    const config = { ...processConfig, game_modes: { duel } };
    const checked = await call("POST", `${game.path}/versions/validate`, version(config));
    expectAnswer(checked, { errors: [] });
    expect((await call("GET", `${game.path}/versions`)).json).toEqual(before.json);
  });

  test("[V2] a document of the wrong type is a bad request", async () => {
    for (const config of [null, [], "x", 1]) {
      for (const last of ["", "/validate"]) {
        const answer = await call("POST", `${game.path}/versions${last}`, version(config));
        expectRefusal(answer, "API_BAD_BODY", [["config"]]);
      }
    }
  });

  test("[V6] an empty document has an issue for each missing part", async () => {
    const answer = await call("POST", `${game.path}/versions`, version({}));
    expectRefusal(answer, "CLOUD_VALIDATION_ERROR", [
      ["config", "regions", "required"],
      ["config", "game_modes", "required"],
    ]);
  });

  test("[K13] programs on the service's machine need the admin token, or an operator who trusts cloud tokens", async () => {
    const refused = await call("POST", `${game.path}/versions`, version(processConfig));
    expectRefusal(refused, "TOKEN_FORBIDDEN");
    expect(refused.headers["www-authenticate"]).toBeUndefined();
    await createVersion(at(), game, processConfig);

    const trusting = await startService(at().kind, { processTrust: "cloud" });
    try {
      const own = await createGame(trusting);
      const trusted = (await createCloudToken(trusting, own)).token;
      const options = { token: trusted, body: version(processConfig) };
      expectAnswer(await trusting.request("POST", `${own.path}/versions`, options), { version_id: aUuid });
    } finally {
      await trusting.close();
    }
  });

  test("[T15] an unknown version, a foreign one and an unknown game are not found", async () => {
    const other = await createGame(at());
    const foreign = await createVersion(at(), other);
    for (const id of [foreign, randomUUID(), "latest", "%00"]) {
      expectRefusal(await call("GET", `${game.path}/versions/${id}`), "CLOUD_VERSION_NOT_FOUND");
    }
    const unknown = `/cloud/games/${randomUUID()}/versions`;
    const admin = { token: at().adminToken };
    const body = version(externalConfig);
    expectRefusal(await at().request("POST", unknown, { ...admin, body }), "CLOUD_GAME_NOT_FOUND");
    expectRefusal(await at().request("POST", `${unknown}/validate`, { ...admin, body }), "CLOUD_GAME_NOT_FOUND");
    expectRefusal(await at().request("GET", unknown, admin), "CLOUD_GAME_NOT_FOUND");
    expectRefusal(await at().request("GET", `${unknown}/${foreign}`, admin), "CLOUD_GAME_NOT_FOUND");
  });

  test("[V13] [V15] [V22] deploying enters the history, newest first, again and again", async () => {
    const namespace = await createNamespace(at(), game);
    const [first, second] = [await createVersion(at(), game), await createVersion(at(), game)];
    const history = () => call("GET", `${namespace.path}/version-history`);
    expectAnswer(await history(), { versions: [] });
    const entry = (versionId: string, index: number, { length }: readonly string[]) => ({
      version_id: versionId,
      display_name: "A Version",
      deploy_ts: aTimestamp,
      is_deleted: false,
      rolled_back: length === 3 && index === 1,
    });
    const deployed: string[] = [];
    for (const versionId of [first, second, first]) {
      expectEmpty(await call("PUT", `${namespace.path}/version`, { version_id: versionId.toUpperCase() }));
      deployed.unshift(versionId);
      expect((await call("GET", namespace.path)).json.namespace.version_id).toBe(versionId);
      expectAnswer(await history(), { versions: deployed.map(entry) });
    }
  });

  test("[VX1] with expected_version_id a deploy that was overtaken changes nothing", async () => {
    const namespace = await createNamespace(at(), game);
    const [first, second, third] = [
      await createVersion(at(), game),
      await createVersion(at(), game),
      await createVersion(at(), game),
    ];
    const deploy = (version_id: string, expected_version_id?: string | null) =>
      call("PUT", `${namespace.path}/version`, {
        version_id,
        ...(expected_version_id !== undefined && { expected_version_id }),
      });
    expectRefusal(await deploy(first, second), "CLOUD_VERSION_CHANGED");
    expectEmpty(await deploy(first, null));
    const races = await Promise.all([second, third].map((version) => deploy(version, first.toUpperCase())));
    expect(races.map(({ status }) => status).sort()).toEqual([204, 409]);
    expectRefusal(races.find(({ status }) => status === 409)!, "CLOUD_VERSION_CHANGED");
    const winner = races[0]!.status === 204 ? second : third;
    const history = await call("GET", `${namespace.path}/version-history`);
    expect(history.json.versions.map((row: { version_id: string }) => row.version_id)).toEqual([winner, first]);
  });

  test("[V14] deploying what the game has not is refused, and the deployed version stays", async () => {
    const deployed = await createVersion(at(), game);
    const namespace = await createNamespace(at(), game, { versionId: deployed });
    const foreign = await createVersion(at(), await createGame(at()));
    for (const version_id of [foreign, randomUUID()]) {
      expectRefusal(await call("PUT", `${namespace.path}/version`, { version_id }), "CLOUD_VERSION_NOT_FOUND");
    }
    for (const version_id of ["latest", null, 5]) {
      expectRefusal(await call("PUT", `${namespace.path}/version`, { version_id }), "API_BAD_BODY", [["version_id"]]);
    }
    const shown = await call("GET", namespace.path);
    expect(shown.json.namespace.version_id).toBe(deployed);
    expect((await call("GET", `${namespace.path}/version-history`)).json.versions).toHaveLength(1);
  });
}
