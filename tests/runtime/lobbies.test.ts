import dns from "node:dns";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clientOf, createVersion, type Service, until } from "../support/harness.ts";
import {
  connectTo,
  createWorld,
  lobbyPids,
  lobbyVersion,
  startRuntimeService,
  type World,
  worldOf,
} from "../support/runtime-world.ts";
import { freePort } from "../support/services/programs.ts";
import { isRunning } from "./driver.ts";

let service: Service & { close(options?: { stopLobbies?: boolean }): Promise<void> };

beforeAll(async () => {
  service = await startRuntimeService();
});

afterAll(async () => {
  const pids = lobbyPids(service.dataDir);
  await service.close();
  for (const pid of pids) process.kill(-pid, "SIGKILL");
});

async function stopAll(world: World): Promise<void> {
  await world.client.admin("DELETE", `${world.namespace.path}?force=true`);
  await until(() => lobbyPids(service.dataDir).length === 0);
}

describe("lobbies as processes", () => {
  test("[RT1] a find starts a process, waits for its ready, and the answer leads to it; the operator stops it", async () => {
    const world = await createWorld(service, lobbyVersion());
    const found = await world.find();
    expect(found.status).toBe(200);
    const player = await connectTo(found);
    const [pid] = (await player.ask("hello")).split(" ");
    expect(await player.ask(`connect ${found.json.player.token}`)).toBe("200");
    expect(lobbyPids(service.dataDir)).toEqual([Number(pid)]);
    await service.admin("DELETE", `${world.namespace.path}/lobbies/${found.json.lobby.lobby_id}`);
    await until(() => !isRunning(Number(pid)));
    expect(await world.lobbies(true)).toMatchObject([{ status: "stopped", stop_reason: "operator" }]);
    await stopAll(world);
  });

  test("[RT3] the lobby's environment is that of the contract; nothing of the service's is in it", async () => {
    process.env.FOYER_ADMIN_TOKEN = "admin token in the service's environment";
    const world = await createWorld(service, lobbyVersion({}, { COLOUR: "blue" }));
    const found = await world.find();
    const player = await connectTo(found);
    const env = JSON.parse(await player.ask("env"));
    delete process.env.FOYER_ADMIN_TOKEN;
    player.close();
    const names = Object.keys(env).sort();
    const expected = ["API_ENDPOINT", "GAME_ID", "GAME_MODE", "LOBBY_ID", "LOBBY_TAGS", "MAX_PLAYERS"].concat([
      "HEARTBEAT_S",
      "RECONNECT_S",
      "MAX_PLAYERS_DIRECT",
      "NAMESPACE_ID",
      "NAMESPACE_NAME",
      "REGION",
      "TOKEN",
      "VERSION_ID",
    ]);
    const common = ["COLOUR", "HOME", "LANG", "PATH", "PORT", "PORT_DEFAULT", "TMPDIR"];
    expect(names).toEqual([...common, ...expected.map((name) => `FOYER_${name}`)].sort());
    expect(env).toMatchObject({
      FOYER_LOBBY_ID: found.json.lobby.lobby_id,
      FOYER_NAMESPACE_ID: world.namespace.namespaceId,
      FOYER_NAMESPACE_NAME: world.namespace.nameId,
      FOYER_GAME_ID: world.game.gameId,
      FOYER_GAME_MODE: "duel",
      FOYER_REGION: "local",
      FOYER_MAX_PLAYERS: "2",
      FOYER_LOBBY_TAGS: "{}",
      FOYER_API_ENDPOINT: service.url,
      COLOUR: "blue",
    });
    await stopAll(world);
  });

  test("[RT1] a hundred finds at once for lobbies of ten start exactly ten processes", async () => {
    const world = await createWorld(service, lobbyVersion({ max_players: 10 }));
    const answers = await Promise.all(Array.from({ length: 100 }, () => world.find()));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 200));
    expect(new Set(answers.map(({ json }) => json.lobby.lobby_id)).size).toBe(10);
    expect(lobbyPids(service.dataDir).filter(isRunning)).toHaveLength(10);
    await stopAll(world);
  });

  test("[RT10] an idle lobby that is taken is replaced; deploying another version keeps players and starts its own", async () => {
    const mode = { idle_lobbies: { min: 1 } };
    const world = await createWorld(service, lobbyVersion(mode));
    await until(async () => (await world.lobbies()).some(({ status }) => status === "ready"));
    const [idle] = await world.lobbies();
    const found = await world.find();
    expect(found.json.lobby.lobby_id).toBe(idle.lobby_id);
    await until(async () => (await world.lobbies()).filter(({ status }) => status === "ready").length === 2);

    const player = await connectTo(found);
    expect(await player.ask(`connect ${found.json.player.token}`)).toBe("200");
    const versionId = await createVersion(service, world.game, lobbyVersion(mode, { COLOUR: "green" }));
    await service.admin("PUT", `${world.namespace.path}/version`, { version_id: versionId });
    await until(async () => (await world.lobbies()).some((lobby) => lobby.version_id === versionId && lobby.ready_ts));
    const newer = await world.find();
    const other = await connectTo(newer);
    expect(JSON.parse(await other.ask("env")).COLOUR).toBe("green");
    other.close();
    // The running game continues, and its process ends when the last player has left.
    expect(await player.ask("still here")).toMatch(/still here$/);
    const [pid] = (await player.ask("pid")).split(" ");
    player.socket.write(`leave ${found.json.player.token}\n`);
    await until(() => !isRunning(Number(pid)));
    await stopAll(world);
  });
});

describe("lobbies that fail", () => {
  test("[RT6] a crash before ready answers waiting calls; only the operator sees the exit code and the last lines", async () => {
    const world = await createWorld(service, lobbyVersion({}, { BEHAVIOUR: "crash-early" }));
    const found = await world.find();
    expect(found.status).toBe(503);
    const [lobby] = await world.lobbies(true);
    expect(found.json).toMatchObject({
      code: "MATCHMAKER_LOBBY_START_FAILED",
      message: `Lobby ${lobby.lobby_id} ended before it was ready. foyer logs ${lobby.lobby_id.slice(-8)} shows what it wrote, foyer status why it ended.`,
      metadata: { lobby_id: lobby.lobby_id },
    });
    expect(found.text).not.toMatch(/exit|map is missing/);
    expect(lobby).toMatchObject({
      status: "stopped",
      stop_reason: "crashed",
      exit_code: 3,
      exit_signal: null,
      exit_message: "Its process exited with code 3 before it called ready. Last output: the map is missing",
    });
    const seen = await service.admin("GET", `${world.namespace.path}/lobbies/${lobby.lobby_id}`);
    expect(seen.lobby.log_tail).toBe("the map is missing\n");
    await stopAll(world);
  });

  test("[RT6] a crash after ready ends the lobby and its seats at once", async () => {
    const world = await createWorld(service, lobbyVersion());
    const found = await world.find();
    const player = await connectTo(found);
    player.socket.write("crash\n");
    await until(async () => (await world.lobbies()).length === 0);
    expect(await world.lobbies(true)).toMatchObject([{ stop_reason: "crashed", exit_code: 7, total_player_count: 0 }]);
    const join = { token: world.publicToken, body: { lobby_id: found.json.lobby.lobby_id } };
    expect((await service.request("POST", "/matchmaker/lobbies/join", join)).status).toBe(410);
    await stopAll(world);
  });

  test("[RT6] a ready lobby whose process ends with code 0 has ended itself", async () => {
    const world = await createWorld(service, lobbyVersion());
    const player = await connectTo(await world.find());
    player.socket.write("exit\n");
    await until(async () => (await world.lobbies()).length === 0);
    expect(await world.lobbies(true)).toMatchObject([{ stop_reason: "self", exit_code: 0 }]);
    await stopAll(world);
  });

  test("[RT4] [RT6] the operator sees that a program is missing, players see what it means for them", async () => {
    const runtime = { process: { command: "no-such-program" } };
    const world = await createWorld(service, lobbyVersion({ runtime }));
    const found = await world.find();
    expect(found.json).toMatchObject({ code: "MATCHMAKER_LOBBY_START_FAILED" });
    expect(found.json.message).toMatch(/ended before it was ready/);
    expect(found.text).not.toContain("program");
    expect(await world.lobbies(true)).toMatchObject([
      {
        stop_reason: "start_failed",
        exit_message: expect.stringContaining('The program "no-such-program" is in no folder of PATH'),
      },
    ]);
    await stopAll(world);
  });

  test("[RT11] a mode that keeps failing is held back: no lobby is created, find says until when, the operator sees it", async () => {
    const world = await createWorld(service, lobbyVersion({ idle_lobbies: { min: 1 } }, { BEHAVIOUR: "crash-early" }));
    await until(async () => Number((await world.find()).json.metadata?.consecutive_failures) >= 3);
    let refused = await world.find();
    await until(async () => {
      refused = await world.find();
      return /failed \d+ times in a row/.test(refused.json.message);
    });
    expect(refused.json.code).toBe("MATCHMAKER_LOBBY_START_FAILED");
    expect(refused.text).not.toMatch(/exit/);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThanOrEqual(1);
    const { held_back } = await service.admin("GET", `${world.namespace.path}/lobbies`);
    expect(held_back).toMatchObject([{ game_mode_id: "duel", consecutive_failures: expect.any(Number) }]);
    expect(held_back[0].message).toMatch(/keep failing.+exited with code 3/);
    // The pause doubles: the warm pool alone tries again and again, yet few processes were started.
    await until(async () => Number((await world.find()).json.metadata?.consecutive_failures) >= 5);
    expect((await world.lobbies(true)).length).toBeLessThan(12);
    await stopAll(world);
  });
});

describe("limits", () => {
  test("[RT5] beyond the maximum no lobby is created: find has a message for players, the log says what would help", async () => {
    const small = await startRuntimeService({ maxLobbyProcesses: 1 });
    const log = () => readFileSync(join(small.dataDir, "../../logs", `${basename(small.dataDir)}.log`), "utf8");
    try {
      const world = await createWorld(small, lobbyVersion({ max_players: 1 }));
      expect((await world.find()).status).toBe(200);
      expect(log()).not.toContain("FOYER_MAX_LOBBY_PROCESSES");
      const refused = await world.find();
      expect(refused.json).toMatchObject({
        code: "MATCHMAKER_LOBBY_START_FAILED",
        message: "There is no free slot for another lobby of the game mode duel now. Try again shortly.",
      });
      expect(refused.headers["retry-after"]).toBe("5");
      expect(refused.text).not.toContain("FOYER_");
      expect(log()).toContain("FOYER_MAX_LOBBY_PROCESSES");
      expect(await world.lobbies(true)).toHaveLength(1);
      await world.client.admin("DELETE", `${world.namespace.path}?force=true`);
      await until(() => lobbyPids(small.dataDir).length === 0);
    } finally {
      await small.close();
    }
  });

  test("[RT5] of many concurrent calls as many get a lobby as may run, and no lobby is created needlessly", async () => {
    const small = await startRuntimeService({ maxLobbyProcesses: 2 });
    const world = await createWorld(small, lobbyVersion({ max_players: 1, actions: { create: { enabled: true } } }));
    const create = () => {
      const options = { token: world.publicToken, body: { game_mode: "duel" } };
      return small.request("POST", "/matchmaker/lobbies/create", options);
    };
    const stopAllOfIt = async () => {
      for (const { lobby_id } of await world.lobbies())
        await small.admin("DELETE", `${world.namespace.path}/lobbies/${lobby_id}`);
      await until(() => lobbyPids(small.dataDir).length === 0);
    };
    try {
      for (const [made, ask] of [
        [2, () => world.find()],
        [4, create],
      ] as const) {
        const answers = await Promise.all(Array.from({ length: 12 }, ask));
        const codes = answers.map(({ status, json }) => json.code ?? status).sort();
        expect(codes).toEqual([200, 200, ...Array.from({ length: 10 }, () => "MATCHMAKER_LOBBY_START_FAILED")]);
        expect(await world.lobbies(true)).toHaveLength(made);
        await stopAllOfIt();
      }
    } finally {
      await small.close();
    }
  });

  test("[RT5] [14] a find that could make a lobby but finds a seat takes no room from the others", async () => {
    const small = await startRuntimeService({ maxLobbyProcesses: 2 });
    const world = await createWorld(small, lobbyVersion({ max_players: 10 }));
    try {
      const answers = await Promise.all(Array.from({ length: 20 }, () => world.find()));
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
      expect(await world.lobbies(true)).toHaveLength(2);
      await small.admin("DELETE", `${world.namespace.path}?force=true`);
      await until(() => lobbyPids(small.dataDir).length === 0);
    } finally {
      await small.close();
    }
  });

  test("[RT13] without the process runtime such versions are refused, and no process is ever started", async () => {
    const external = await startRuntimeService({ runtimes: ["external"] });
    try {
      const game = await external.admin("POST", "/cloud/games", { display_name: "A Game", name_id: "a-game" });
      const body = { display_name: "A Version", config: lobbyVersion() };
      const options = { token: external.adminToken, body };
      const refused = await external.request("POST", `/cloud/games/${game.game_id}/versions`, options);
      expect(refused.json).toMatchObject({
        code: "CLOUD_VALIDATION_ERROR",
        errors: [{ path: ["config", "game_modes", "duel", "runtime", "process", "disabled"] }],
      });
    } finally {
      await external.close();
    }
  });

  test("[RT13] a version that was made before process was left out is answered LOBBY_START_FAILED", async () => {
    const before = await startRuntimeService();
    const world = await createWorld(before, lobbyVersion());
    const { dataDir } = before;
    await before.close();
    const after = await startRuntimeService({ runtimes: ["external"], dataDir });
    try {
      const options = { token: world.publicToken, body: { game_modes: ["duel"] } };
      const refused = await after.request("POST", "/matchmaker/lobbies/find", options);
      expect(refused.json).toMatchObject({ code: "MATCHMAKER_LOBBY_START_FAILED" });
      expect(refused.json.message).toBe("No lobby of the game mode duel can be started here.");
    } finally {
      await after.close();
    }
  });

  test("[RT13] lobbies of an earlier run are watched and stopped though process is left out", async () => {
    const before = await startRuntimeService();
    const earlier = await createWorld(before, lobbyVersion({ max_players: 1 }));
    const [crashing, stopped] = [await earlier.find(), await earlier.find()];
    const player = await connectTo(crashing);
    const pids = lobbyPids(before.dataDir);
    expect(pids).toHaveLength(2);
    await before.close();
    const after = await startRuntimeService({ runtimes: ["external"], dataDir: before.dataDir });
    try {
      const world = worldOf(after, earlier.game, earlier.namespace, earlier.publicToken);
      expect(await world.lobbies()).toHaveLength(2);
      player.socket.on("error", () => undefined).write("crash\n");
      await until(async () => (await world.lobbies()).length === 1);
      await after.admin("DELETE", `${world.namespace.path}/lobbies/${stopped.json.lobby.lobby_id}`);
      await until(() => !pids.some(isRunning));
      const reasons = (await world.lobbies(true)).map(({ lobby_id, stop_reason }) => [lobby_id, stop_reason]);
      expect(Object.fromEntries(reasons)).toEqual({
        [crashing.json.lobby.lobby_id]: "crashed",
        [stopped.json.lobby.lobby_id]: "operator",
      });
      expect((await world.find()).json).toMatchObject({ code: "MATCHMAKER_LOBBY_START_FAILED" });
    } finally {
      await after.close();
      for (const pid of pids.filter(isRunning)) process.kill(-pid, "SIGKILL");
    }
  });

  test("[RT13] without process nothing is started, so the user that lobbies would run as need not be there", async () => {
    const external = await startRuntimeService({ runtimes: ["external"], lobbyUser: "no-such-user" });
    await external.close();
  });
});

describe("while the service begins to listen", () => {
  test("[RT3] a lobby that is asked for before the address is known gets it all the same", async () => {
    const before = await startRuntimeService({ port: await freePort() });
    const world = await createWorld(before, lobbyVersion());
    const { dataDir, port } = before;
    await before.close();

    // Between opening its port and saying so, the HTTP server asks which other addresses localhost has.
    const { lookup } = dns;
    let answer: (() => void) | null = null;
    const hold = (...args: Parameters<typeof lookup>) => {
      if (args[0] !== "localhost" || !(args[1] as unknown as { all?: boolean }).all) return lookup(...args);
      dns.lookup = lookup;
      answer = () => lookup(...args);
    };
    dns.lookup = Object.assign(hold, lookup);
    const starting = startRuntimeService({ dataDir, port, host: "localhost" });
    await until(() => answer !== null);
    const client = clientOf("sqlite", `http://localhost:${port}`, before.adminToken);
    const same = worldOf(client, world.game, world.namespace, world.publicToken);
    const finding = same.find();
    await until(async () => (await same.lobbies(true)).length === 1);
    answer!();
    const after = await starting;
    expect((await finding).status).toBe(200);
    await after.admin("DELETE", `${world.namespace.path}?force=true`);
    await until(() => lobbyPids(dataDir).length === 0);
    await after.close();
  });
});
