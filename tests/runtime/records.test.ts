import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createNamespace, type Service, startService, until } from "../support/harness.ts";
import { connectTo, createWorld, lobbyPids, runtimeConfig, type World } from "../support/runtime-world.ts";
import { storeKinds } from "../support/services/stores.ts";

describe.each(storeKinds)("records of lobbies on %s", (kind) => {
  let service: Service;
  let world: World;

  beforeAll(async () => {
    service = await startService(kind, runtimeConfig());
    const mode = (behaviour: string, writeBytes = "0") => ({
      max_players: 3,
      runtime: {
        process: {
          command: "node",
          args: ["lobby.mjs"],
          cwd: ".",
          env: { BEHAVIOUR: behaviour, WRITE_BYTES: writeBytes },
        },
      },
    });
    const modes = { duel: mode(""), broken: mode("crash-early"), talkative: mode("", "300000") };
    world = await createWorld(service, { regions: { local: {} }, game_modes: modes });
  });
  afterAll(async () => {
    await service.admin("DELETE", `${world.namespace.path}?force=true`);
    await until(() => lobbyPids(service.dataDir).length === 0);
    await service.close();
  });

  const history = async (query = "") => service.admin("GET", `${world.namespace.path}/lobby-history${query}`);

  test("[RT15] a stopped lobby is in the history with its times, its peak of players and how it ended, newest first", async () => {
    const found = await world.find({ party_size: 2 });
    const player = await connectTo(found);
    player.socket.on("error", () => undefined);
    await world.find();
    player.socket.write("crash\n");
    await until(async () => (await history()).lobbies.length === 1);
    expect((await world.find({ game_modes: ["broken"] })).status).toBe(503);
    await until(async () => (await history()).lobbies.length === 2);
    const { lobbies, cursor } = await history();
    expect(cursor).toBe(undefined);
    expect(lobbies).toMatchObject([
      { game_mode_id: "broken", stop_reason: "crashed", exit_code: 3, ready_ts: null, peak_player_count: 1 },
      {
        lobby_id: found.json.lobby.lobby_id,
        game_mode_id: "duel",
        region_id: "local",
        stop_reason: "crashed",
        exit_code: 7,
        exit_signal: null,
        exit_message: "Its process exited with code 7. Last output: ready: 204",
        peak_player_count: 3,
      },
    ]);
    expect(Date.parse(lobbies[1].stop_ts)).toBeGreaterThanOrEqual(Date.parse(lobbies[1].ready_ts));
    const first = await history("?limit=1");
    const second = await history(`?limit=1&cursor=${first.cursor}`);
    expect([...first.lobbies, ...second.lobbies]).toEqual(lobbies);
    expect(second.cursor).toBe(undefined);
    const bad = await service.request("GET", `${world.namespace.path}/lobby-history?cursor=abc`, {
      token: service.adminToken,
    });
    expect(bad.json.code).toBe("API_BAD_QUERY");
  });

  test("[RT15] as CSV it has the same columns, and a Link header leads to the rest", async () => {
    const ask = (path: string) =>
      service.request("GET", path, { token: service.adminToken, headers: { accept: "text/csv" } });
    const answer = await ask(`${world.namespace.path}/lobby-history?limit=1`);
    expect(answer.headers["content-type"]).toBe("text/csv; charset=utf-8");
    const [columns, row, end] = answer.text.split("\r\n");
    const { lobbies } = await history();
    expect(columns!.split(",")).toEqual(Object.keys(lobbies[0]));
    expect(row).toContain(lobbies[0].lobby_id);
    expect(end).toBe("");
    const next = /^<([^>]+)>; rel="next"$/.exec(String(answer.headers.link))![1]!;
    const rest = await ask(next);
    expect(rest.text).toContain(lobbies[1].lobby_id);
    expect(rest.headers.link).toBe(undefined);
  });

  test("[RT18] how a stopped lobby ended is added to the history when its process ends", async () => {
    const { lobby_id } = (await world.find()).json.lobby;
    await service.admin("DELETE", `${world.namespace.path}/lobbies/${lobby_id}`);
    await until(async () => (await history("?limit=1")).lobbies[0].exit_signal !== null);
    expect((await history("?limit=1")).lobbies[0]).toMatchObject({
      lobby_id,
      stop_reason: "operator",
      exit_code: null,
      exit_signal: "SIGTERM",
      exit_message: "The operator stopped it.",
      peak_player_count: 1,
    });
  });

  test("[RT9] logs are read by stream, also of a lobby that has ended, and not by another namespace", async () => {
    const path = (lobbyId: string, stream = "", at = world.namespace.path) => `${at}/lobbies/${lobbyId}/logs${stream}`;
    const ended = (await history()).lobbies.find((lobby: { exit_code: number }) => lobby.exit_code === 3).lobby_id;
    expect(await service.admin("GET", path(ended, "?stream=stderr"))).toEqual({
      stream: "stderr",
      text: "the map is missing\n",
      is_truncated: false,
    });
    expect(await service.admin("GET", path(ended))).toMatchObject({ stream: "stdout", text: "starting\n" });

    const found = await world.find({ game_modes: ["talkative"] });
    const lobbyId = found.json.lobby.lobby_id;
    await until(async () => (await service.admin("GET", path(lobbyId))).text.endsWith("ready: 204\n"));
    const long = await service.admin("GET", path(lobbyId));
    expect([long.text.length, long.is_truncated]).toEqual([256 * 1024, true]);

    const other = await createNamespace(service, world.game);
    const foreign = await service.request("GET", path(lobbyId, "", other.path), { token: service.adminToken });
    expect(foreign.json.code).toBe("CLOUD_LOBBY_NOT_FOUND");
    const wrong = await service.request("GET", path(lobbyId, "?stream=stdin"), { token: service.adminToken });
    expect(wrong.json.code).toBe("API_BAD_QUERY");
  });
});
