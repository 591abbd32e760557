import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Arena, createArena, type Matchmaker, startMatchmaker, tokensOf } from "../support/arena.ts";
import { type Listener, listenTo } from "../support/event-streams.ts";
import { aTimestamp, aUuid, expectRefusal } from "../support/expectations.ts";
import {
  createCloudToken,
  createGame,
  createNamespace,
  createToken,
  type Service,
  startService,
  until,
} from "../support/harness.ts";
import { freePort } from "../support/services/programs.ts";

let matchmaker: Matchmaker;
let service: Service;
const listeners: Listener[] = [];

beforeAll(async () => {
  matchmaker = await startMatchmaker();
  service = matchmaker.service;
});
afterAll(async () => {
  for (const listener of listeners) listener.leave();
  await service?.close();
});

async function listen(path: string, options: { token?: string; lastEventId?: string; method?: string } = {}) {
  const listener = await listenTo(service, `${path}/events`, { token: service.adminToken, ...options });
  listeners.push(listener);
  await until(() => listener.status !== 200 || options.method === "HEAD" || listener.lastId() !== "");
  return listener;
}

const listenIn = (arena: Arena, lastEventId?: string) =>
  listen(arena.namespace.path, lastEventId === undefined ? {} : { lastEventId });
const names = (events: readonly { event: string }[]) => events.map(({ event }) => event);

describe("events of a namespace", () => {
  test("[EV1] every event is sent in order, with the API's names, and none of another namespace", async () => {
    const arena = await createArena(service);
    const neighbour = await createArena(service);
    const listener = await listenIn(arena);
    const lobby = await arena.register({ tags: { map: "ice" } });
    await neighbour.ready();
    await lobby.ready();
    const [first, second] = tokensOf(await arena.find({ party_size: 2 }));
    await lobby.connect(first!);
    await lobby.disconnect(first!);
    await lobby.setClosed(true);
    await lobby.setClosed(false);
    await lobby.call("PUT", "lobbies/state", { score: 1 });
    matchmaker.clock.advance(120_000);
    expect((await lobby.connect(second!)).status).toBe(410);
    await lobby.stop();
    await arena.limit({ max_players: 7 });
    const events = await listener.first(12);
    expect(names(events)).toEqual([
      "lobby.created",
      "lobby.ready",
      "player.reserved",
      "player.reserved",
      "player.connected",
      "player.left",
      "lobby.closed",
      "lobby.opened",
      "lobby.changed",
      "player.expired",
      "lobby.stopped",
      "namespace.configured",
    ]);
    const [seen] = await arena.lobbies("?include_stopped=true");
    expect(events[10]!.data).toEqual({ event: "lobby.stopped", at: aTimestamp, lobby: seen });
    expect(events[0]!.data.lobby).toMatchObject({ lobby_id: lobby.lobbyId, status: "starting", tags: { map: "ice" } });
    expect(events[4]!.data).toEqual({
      event: "player.connected",
      at: aTimestamp,
      lobby_id: lobby.lobbyId,
      player_id: aUuid,
      status: "connected",
    });
    expect(events[11]!.data).toEqual({ event: "namespace.configured", at: aTimestamp, version_id: arena.versionId });
    expect(listener.text()).not.toContain("_token");
    for (const [index, { event, data }] of events.entries()) expect([index, data.event]).toEqual([index, event]);
  });

  test("[EV7] the answer is one that proxies pass on as it comes", async () => {
    const { namespace } = await createArena(service);
    const { status, headers } = await listen(namespace.path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
      "x-request-id": expect.stringMatching(/\S/),
    });
    expect(headers["content-length"]).toBeUndefined();
    const head = await listen(namespace.path, { method: "HEAD" });
    await head.ended;
    expect([head.status, head.headers["content-type"], head.text()]).toEqual([200, headers["content-type"], ""]);
  });

  test("[EV2] a listener that reconnects gets what it missed, once", async () => {
    const arena = await createArena(service);
    const listener = await listenIn(arena);
    const start = listener.lastId();
    const lobbies = [await arena.ready(), await arena.ready()];
    const ids = (await listener.first(4)).map(({ id }) => id);
    listener.leave();
    await listener.ended;
    await lobbies[0]!.setClosed(true);
    const again = await listenIn(arena, ids[1]);
    expect(names(await again.first(3))).toEqual(["lobby.created", "lobby.ready", "lobby.closed"]);
    await lobbies[1]!.setClosed(true);
    expect((await again.first(4)).map(({ data }) => data.lobby.lobby_id).at(-1)).toBe(lobbies[1]!.lobbyId);
    expect(names(await (await listenIn(arena, start)).first(6))).toHaveLength(6);
  });

  test("[EV3] an unknown id gets one reset, and the stream continues from there", async () => {
    const arena = await createArena(service);
    const other = await listenIn(await createArena(service));
    for (const id of ["1", "what is this", other.lastId()]) {
      const listener = await listenIn(arena, id);
      const lobby = await arena.register();
      const [reset, created] = await listener.first(2);
      expect(reset).toEqual({ id: reset!.id, event: "reset", data: { event: "reset", at: aTimestamp } });
      expect(created!.data).toMatchObject({ event: "lobby.created", lobby: { lobby_id: lobby.lobbyId } });
      expect(names(await (await listenIn(arena, reset!.id)).first(1))).toEqual(["lobby.created"]);
    }
  });

  test("[EV6] a stream ends with its token or its namespace", async () => {
    const game = await createGame(service);
    const [namespace, doomed] = [await createNamespace(service, game), await createNamespace(service, game)];
    const cloud = await createCloudToken(service, game);
    const byCloud = await listen(namespace.path, { token: cloud.token });
    const soon = new Date(matchmaker.clock.now() + 60_000).toISOString();
    const expiring = await listen(namespace.path, { token: (await createCloudToken(service, game, soon)).token });
    const stays = await listen(namespace.path);
    const ofDoomed = await listen(doomed.path);
    await service.admin("DELETE", doomed.path);
    await ofDoomed.ended;
    await service.admin("DELETE", `${game.path}/tokens/${cloud.token_id}`);
    await byCloud.ended;
    matchmaker.clock.advance(60_000);
    await expiring.ended;
    await service.admin("POST", `${namespace.path}/mm-config`, { lobby_count_max: 1, max_players: 1 });
    expect(names(await stays.first(1))).toEqual(["namespace.configured"]);
  });

  test("it is refused like every operation of the control plane", async () => {
    const { namespace } = await createArena(service);
    const path = `${namespace.path}/events`;
    const ask = (token: string | null, at = path) => service.request("GET", at, { token });
    expectRefusal(await ask(null), "TOKEN_MISSING");
    expectRefusal(await ask((await createToken(service, namespace, "pub")).token), "TOKEN_FORBIDDEN");
    expectRefusal(
      await ask(service.adminToken, `${namespace.game.path}/namespaces/nowhere/events`),
      "CLOUD_NAMESPACE_NOT_FOUND",
    );
    expectRefusal(
      await ask(service.adminToken, "/cloud/games/nowhere/namespaces/nowhere/events"),
      "CLOUD_GAME_NOT_FOUND",
    );
    expectRefusal(await ask(service.adminToken, `${path}?from=1`), "API_BAD_QUERY", [["from"]]);
  });
});

describe("many streams", () => {
  test("[EV4] [EV7] open streams are not in flight, and their number is bounded", async () => {
    const metricsPort = await freePort();
    const small = await startService("sqlite", { maxInFlight: 4, metricsPort });
    const namespace = await createNamespace(small, await createGame(small));
    const path = `${namespace.path}/events`;
    const open: Listener[] = [];
    for (let i = 0; i < 256; i++) open.push(await listenTo(small, path, { token: small.adminToken }));
    expect(open.every(({ status }) => status === 200)).toBe(true);
    expectRefusal(await small.request("GET", path, { token: small.adminToken }), "API_UNAVAILABLE");
    const scraped = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(scraped).toMatch(/^foyer_event_streams 256$/m);
    expect(scraped).toMatch(/^foyer_http_in_flight 0$/m);
    expect(scraped).toContain('foyer_http_requests_total{operation="games.namespaces.events",status="200"} 256');
    // The one that was refused is the only one with a duration.
    expect(scraped).toContain('foyer_http_request_duration_seconds_count{operation="games.namespaces.events"} 1');
    open[0]!.leave();
    await until(async () => {
      const again = await listenTo(small, path, { token: small.adminToken });
      if (again.status === 200) open.push(again);
      return again.status === 200;
    });
    const closing = small.close();
    await Promise.all(open.map(({ ended }) => ended));
    await closing;
  });

  test("[EV6] the service ends its streams when it stops, and what came before is forgotten by the next", async () => {
    const first = await startService("sqlite");
    const namespace = await createNamespace(first, await createGame(first));
    const listener = await listenTo(first, `${namespace.path}/events`, { token: first.adminToken });
    await first.admin("POST", `${namespace.path}/mm-config`, { lobby_count_max: 1, max_players: 1 });
    const [event] = await listener.first(1);
    await Promise.all([first.close(), listener.ended]);
    expect(listener.text().endsWith("\n\n")).toBe(true);
    const second = await startService("sqlite", { dataDir: first.dataDir });
    const options = { token: second.adminToken, lastEventId: event!.id };
    const again = await listenTo(second, `${namespace.path}/events`, options);
    expect(names(await again.first(1))).toEqual(["reset"]);
    await Promise.all([second.close(), again.ended]);
  });
});

describe("timelines", () => {
  test("[TL1] a lobby shows what happened to it", async () => {
    const arena = await createArena(service);
    const lobby = await arena.register();
    await lobby.ready();
    const [ticket] = tokensOf(await arena.find());
    await lobby.connect(ticket!);
    await lobby.setClosed(true);
    await lobby.stop();
    const { timeline, stop_ts } = await lobby.seen();
    const seat = (event: string, status: string) => ({ at: aTimestamp, event, details: { player_id: aUuid, status } });
    expect(timeline).toEqual([
      { at: aTimestamp, event: "lobby.created", details: { reason: "registered" } },
      { at: aTimestamp, event: "lobby.ready" },
      seat("player.reserved", "reserved"),
      seat("player.connected", "connected"),
      { at: aTimestamp, event: "lobby.closed", details: { closed_by: ["lobby"] } },
      seat("player.left", "ended"),
      { at: stop_ts, event: "lobby.stopped", details: { reason: "self" } },
    ]);
  });

  test("[TL2] after a restart it starts again with what the record has", async () => {
    const first = await startMatchmaker();
    const arena = await createArena(first.service);
    const lobby = await arena.ready();
    await lobby.setClosed(true);
    await first.service.close();
    const second = await startService("sqlite", { dataDir: first.service.dataDir }, { now: first.clock.now });
    const path = `${arena.namespace.path}/lobbies/${lobby.lobbyId}`;
    const timeline = async () =>
      (await second.admin("GET", path)).lobby.timeline.map(({ event }: { event: string }) => event);
    expect(await timeline()).toEqual(["lobby.created", "lobby.ready"]);
    await second.request("PUT", "/matchmaker/lobbies/closed", { token: lobby.token, body: { is_closed: false } });
    expect(await timeline()).toEqual(["lobby.created", "lobby.ready", "lobby.opened"]);
    await second.admin("DELETE", path);
    expect((await timeline()).at(-1)).toBe("lobby.stopped");
    await second.close();
  });
});
