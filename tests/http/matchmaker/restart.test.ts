import { describe, expect, test } from "vitest";
import {
  arenaOf,
  config,
  createArena,
  createClock,
  type LobbyAtHand,
  lobbyIdOf,
  startMatchmaker,
  tokensOf,
} from "../../support/arena.ts";
import { expectAnswer, expectRefusal } from "../../support/expectations.ts";
import { createFakeRuntime } from "../../support/fake-runtime.ts";

describe("a service that was down while deadlines passed", () => {
  test("[H8] heartbeat clocks start when heartbeats can be received, however long the start took", async () => {
    const clock = createClock();
    const first = await startMatchmaker("sqlite", {}, { clock });
    const { dataDir } = first.service;
    const arena = await createArena(first.service, config({ timeouts: { heartbeat_s: 10 } }));
    const lobby = await arena.ready();
    await first.service.close();

    const runtime = createFakeRuntime();
    const slow = {
      ...runtime,
      list: async () => {
        clock.advance(6_000);
        return runtime.list();
      },
    };
    const next = await startMatchmaker("sqlite", { dataDir }, { clock, runtime: slow });
    clock.advance(9_999);
    const same = arenaOf(next.service, arena.namespace, arena);
    expect(await same.lobby(lobby.lobbyId, lobby.token).seen()).toMatchObject({ is_silent: false });
    clock.advance(1);
    expect(await same.lobby(lobby.lobbyId, lobby.token).seen()).toMatchObject({ is_silent: true });
    await next.service.close();
  });

  test("[DU5] [S2] [H8] what became due has happened, as of its time, before the first request; heartbeat clocks start again", async () => {
    const clock = createClock();
    const first = await startMatchmaker("sqlite", {}, { clock });
    const { dataDir } = first.service;
    const timeouts = { ready_s: 60, reservation_s: 30, heartbeat_s: 10 };
    const arena = await createArena(first.service, config({ timeouts }));
    const [ready, slow, closed] = [await arena.ready(), await arena.register(), await arena.ready()];
    await closed.setClosed(true);
    await closed.call("PUT", "lobbies/state", { round: 3 });
    const [connected] = tokensOf(await arena.find()) as [string];
    await ready.connect(connected);
    const late = await arena.find({}, { key: "k" });
    expect(lobbyIdOf(late)).toBe(ready.lobbyId);
    const stopped = await arena.ready();
    await stopped.stop();
    const readyDeadline = new Date(clock.now() + 60_000).toISOString();
    await first.service.close();

    clock.advance(100_000);
    const next = await startMatchmaker("sqlite", { dataDir }, { clock });
    const same = arenaOf(next.service, arena.namespace, arena);
    const at = ({ lobbyId, token }: LobbyAtHand) => same.lobby(lobbyId, token);
    expectRefusal(await at(ready).connect(tokensOf(late)[0]!), "MATCHMAKER_PLAYER_RESERVATION_EXPIRED");
    expectRefusal(await at(ready).connect(connected), "MATCHMAKER_PLAYER_ALREADY_CONNECTED");
    expect(await at(slow).seen()).toMatchObject({
      status: "stopped",
      stop_reason: "not_ready",
      stop_ts: readyDeadline,
    });
    expect(await at(ready).seen()).toMatchObject({ connected_count: 1, reserved_count: 0, is_silent: false });
    expect(await at(closed).seen()).toMatchObject({ is_closed: true, status: "ready", is_silent: false });
    expectAnswer(await at(ready).call("GET", `lobbies/${closed.lobbyId}/state`), { round: 3 });
    expectRefusal(await at(stopped).heartbeat(), "MATCHMAKER_LOBBY_STOPPED");
    expect(tokensOf(await same.find({}, { key: "k" }))).not.toEqual(tokensOf(late));
    clock.advance(10_000);
    expect(await at(ready).seen()).toMatchObject({ is_silent: true });
    clock.advance(490_000);
    expectRefusal(await at(stopped).heartbeat(), "TOKEN_INVALID");
    await next.service.close();
  });

  test("a second service on the same data folder does not start", async () => {
    const first = await startMatchmaker("sqlite");
    const { dataDir } = first.service;
    await expect(startMatchmaker("sqlite", { dataDir })).rejects.toThrow(/in use|another|already/i);
    expect((await first.service.request("GET", "/healthz")).status).toBe(200);
    await first.service.close();
    const next = await startMatchmaker("sqlite", { dataDir });
    await next.service.close();
  });
});
