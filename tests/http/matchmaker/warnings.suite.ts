import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { config, type LobbyAtHand, type Matchmaker } from "../../support/arena.ts";
import { expectEmpty, expectRefusal } from "../../support/expectations.ts";
import { logFileOf, until } from "../../support/harness.ts";
import { startedLobbies } from "../../support/started-lobbies.ts";

const match = { game_modes: ["match"] };

/** Warnings about lobbies that do not work, and why lobbies stopped. */
export function warningsTests(at: () => Matchmaker): void {
  const { arenaWith, started } = startedLobbies(at);

  /** The warnings about a lobby in the log. */
  function warningsOf({ lobbyId }: Pick<LobbyAtHand, "lobbyId">) {
    const lines = readFileSync(logFileOf(at().service), "utf8").trim().split("\n");
    return lines.map((line) => JSON.parse(line)).filter((line) => line.level === "warn" && line.lobby_id === lobbyId);
  }

  test("[VF1] [VF2] a lobby that has not called ready after 10 s is named once, with its last line and what to do", async () => {
    const { clock, runtime } = at();
    const arena = await arenaWith({ timeouts: { ready_s: 300 } });
    const waiting = ["fire", "ice"].map((map) => arena.find({ ...match, tags: { map } }));
    const fine = await started(arena);
    const slow = await started(arena, 1);
    await until(async () => (await slow.seen()).ports.default !== undefined);
    const secret = slow.token;
    runtime.outputs.set(slow.lobbyId, `loading\n\u001b[31mno map \u0007for\u009b2J ${secret}\u001b[0m\n\n`);
    expectEmpty(await fine.ready());
    clock.advance(9_000);
    expect(warningsOf(slow)).toEqual([]);
    await until(() => {
      // The node counts from the moment at which it saw the server's ports.
      clock.advance(1_000);
      return warningsOf(slow).length > 0;
    });
    expect(warningsOf(slow)).toMatchObject([
      {
        namespace_id: arena.namespace.namespaceId,
        game_mode_id: "match",
        last_output: "no map for lobby_[redacted]",
        msg: expect.stringMatching(/has not called ready.+POST \/matchmaker\/lobbies\/ready.+after 300 s/),
      },
    ]);
    clock.advance(20_000);
    expectEmpty(await slow.ready());
    await Promise.all(waiting);
    expect(warningsOf(slow)).toHaveLength(1);
    expect(warningsOf(fine)).toEqual([]);
  });

  test("[VF3] a lobby that calls ready is starting while nothing listens on one of its ports, which is warned about once", async () => {
    const { runtime } = at();
    const arena = await arenaWith({ ports: { game: { protocol: "ws" }, "map-data": { protocol: "http" } } });
    const waiting = arena.find(match);
    const lobby = await started(arena);
    const unanswered = { label: "map-data", port: 20_001 };
    runtime.unanswered.set(lobby.lobbyId, [unanswered]);
    for (let times = 0; times < 2; times++) expectEmpty(await lobby.ready());
    await until(() => warningsOf(lobby).length > 0);
    expect(await lobby.seen()).toMatchObject({ status: "starting" });
    runtime.unanswered.delete(lobby.lobbyId);
    expect((await waiting).status).toBe(200);
    expect(await lobby.seen()).toMatchObject({ status: "ready" });
    expect(warningsOf(lobby)).toMatchObject([
      { ...unanswered, msg: expect.stringMatching(/nothing listens.+PORT_MAP_DATA/) },
    ]);
  });

  test("[VF3] a lobby whose ports do not accept connections in time stops, and its exit_message names them", async () => {
    const { clock, runtime } = at();
    const arena = await arenaWith({ timeouts: { ready_s: 40 } });
    const waiting = arena.find(match);
    const lobby = await started(arena);
    runtime.unanswered.set(lobby.lobbyId, [{ label: "default", port: 20_000 }]);
    expectEmpty(await lobby.ready());
    await until(() => warningsOf(lobby).length > 0);
    clock.advance(40_000);
    expectRefusal(await waiting, "MATCHMAKER_LOBBY_START_FAILED");
    const cause = "It called ready, but within 40 s nothing listened on PORT_DEFAULT (20000).";
    await until(async () => (await lobby.seen()).exit_message === cause);
  });

  test("[VF3] a lobby of the warm pool and one that calls ready before its ports are known wait as well", async () => {
    const { runtime } = at();
    const arena = await arenaWith({ idle_lobbies: { min: 1 }, regions: ["local"] });
    runtime.whileStarting = async ({ lobbyId, env }) => {
      runtime.unanswered.set(lobbyId, [{ label: "default", port: 20_000 }]);
      expectEmpty(await arena.lobby(lobbyId, env.FOYER_TOKEN!).ready());
    };
    await arena.redeploy(arena.versionId);
    const lobby = await started(arena);
    await until(() => warningsOf(lobby).length > 0);
    expect(await lobby.seen()).toMatchObject({ status: "starting" });
    runtime.unanswered.clear();
    await until(async () => (await lobby.seen()).status === "ready");
  });

  test("[VF5] a lobby that sends no heartbeat is warned about once, also a registered one", async () => {
    const { clock } = at();
    const arena = await arenaWith({ timeouts: { heartbeat_s: 10 } });
    const waiting = arena.find(match);
    const own = await started(arena);
    const registered = await arena.ready();
    await own.ready();
    await waiting;
    for (const round of [1, 2]) {
      clock.advance(10_000);
      await until(() => [own, registered].every((lobby) => warningsOf(lobby).length === 1));
      expect(await own.seen()).toMatchObject({ is_silent: true });
      for (const lobby of [own, registered]) expect((await lobby.heartbeat()).status, `round ${round}`).toBe(200);
      expect(await own.seen()).toMatchObject({ is_silent: false });
    }
    expect(warningsOf(own)).toMatchObject([
      { heartbeat_s: 10, msg: expect.stringMatching(/no heartbeat for 10 s.+after 100 s more/) },
    ]);
    await own.stop();
    await registered.stop();
  });

  test("[VF4] exit_message says why a lobby stopped, in every way that it can", async () => {
    const { clock, service, runtime } = at();
    const timeouts = { ready_s: 40, empty_s: 30, heartbeat_s: 20 };
    const arena = await arenaWith({ timeouts });
    const messageOf = async (lobby: LobbyAtHand) => {
      await until(async () => (await lobby.seen()).status === "stopped");
      return (await lobby.seen()).exit_message;
    };
    const waiting = arena.find(match);
    const late = await started(arena);
    expect((await late.seen()).exit_message).toBeNull();
    clock.advance(40_000);
    expectRefusal(await waiting, "MATCHMAKER_LOBBY_START_FAILED");
    expect(await messageOf(late)).toBe("It did not call ready within 40 s.");

    const [self, stopped, silent] = [await arena.ready(), await arena.ready(), await arena.ready()];
    await self.stop();
    expect(await messageOf(self)).toBe("It called stop.");
    await service.admin("DELETE", `${arena.namespace.path}/lobbies/${stopped.lobbyId}`);
    expect(await messageOf(stopped)).toBe("The operator stopped it.");
    clock.advance(20_000);
    await until(async () => (await silent.seen()).is_silent);
    clock.advance(200_000);
    expect(await messageOf(silent)).toBe(
      "It sent no heartbeat for more than 200 s. timeouts.heartbeat_s of its game mode sets this.",
    );

    const crashing = arena.find(match);
    const crashed = await started(arena, 1);
    runtime.outputs.set(crashed.lobbyId, "loading\n\u001b[1mthe map is missing\u001b[0m\n");
    runtime.exit(crashed.lobbyId, { code: 3, signal: null });
    expectRefusal(await crashing, "MATCHMAKER_LOBBY_START_FAILED");
    const cause = "Its process exited with code 3 before it called ready. Last output: the map is missing";
    expect(await messageOf(crashed)).toBe(cause);
  });

  test("[VF4] a lobby that was empty or outdated says so, and the history has the same words", async () => {
    const { clock, service } = at();
    const arena = await arenaWith({ timeouts: { empty_s: 30 } });
    const ready = async (index: number) => {
      const finding = arena.find({ ...match, tags: { number: String(index) } });
      const lobby = await started(arena, index);
      await lobby.ready();
      const [token] = (await finding).json.players.map(({ token }: { token: string }) => token);
      expectEmpty(await lobby.disconnect(token));
      return lobby;
    };
    const empty = await ready(0);
    clock.advance(30_000);
    await until(async () => (await empty.seen()).status === "stopped");
    const outdated = await ready(1);
    await arena.deploy(config());
    await until(async () => (await outdated.seen()).status === "stopped");
    const expected = {
      [empty.lobbyId]: "It was empty for 30 s.",
      [outdated.lobbyId]: "It was empty, and its version is no longer deployed.",
    };
    for (const lobby of [empty, outdated]) expect((await lobby.seen()).exit_message).toBe(expected[lobby.lobbyId]);
    const history = async () => (await service.admin("GET", `${arena.namespace.path}/lobby-history`)).lobbies;
    await until(async () => (await history()).length === 2);
    const kept = (await history()).map((lobby: Record<string, string>) => [lobby.lobby_id, lobby.exit_message]);
    expect(Object.fromEntries(kept)).toEqual(expected);
  });
}
