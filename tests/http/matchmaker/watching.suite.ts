import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { type Arena, config, createArena, lobbyIdOf, type Matchmaker } from "../../support/arena.ts";
import { type Listener, listenTo } from "../../support/event-streams.ts";
import { expectRefusal } from "../../support/expectations.ts";
import { createNamespace, createToken, until } from "../../support/harness.ts";

/** The list of lobbies as a stream. */
export function watchingTests(at: () => Matchmaker): void {
  const watch = (arena: Arena, query = "") =>
    listenTo(at().service, `/matchmaker/lobbies/watch${query}`, { token: arena.pub });

  test("[WA1] it begins with what the list shows, without states", async () => {
    const arena = await createArena(at().service);
    const lobby = await arena.ready({ tags: { map: "ice" } });
    await lobby.call("PUT", "lobbies/state", { secret: 1 });
    const full = await arena.ready({ region: "far" });
    await arena.join(full.lobbyId, { party_size: 4 });
    await full.setClosed(true);
    await arena.register();
    await arena.ready({ publicity: "private" });
    const watcher = await watch(arena);
    const [snapshot] = await watcher.first(1);
    const { lobbies } = (await arena.list()).json;
    expect(lobbies).toHaveLength(2);
    expect(snapshot).toMatchObject({ event: "snapshot", data: { lobbies, is_truncated: false } });
    expect(watcher.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    watcher.leave();

    const far = await watch(arena, "?game_mode=duel&region=far");
    const shown = (await far.first(1))[0]!.data.lobbies;
    expect(shown.map((one: { lobby_id: string }) => one.lobby_id)).toEqual([full.lobbyId]);
    far.leave();
  });

  test("[WA2] then it shows what is added, changed and removed", async () => {
    const arena = await createArena(at().service, config({ timeouts: { heartbeat_s: 30 } }));
    const [watcher, ofMatch] = [await watch(arena), await watch(arena, "?game_mode=match")];
    expect((await watcher.first(1))[0]!.data).toEqual({ event: "snapshot", lobbies: [], is_truncated: false });
    const lobby = await arena.ready();
    const listed = { lobby_id: lobby.lobbyId, total_player_count: 0, is_closed: false };
    expect((await watcher.first(2))[1]).toMatchObject({ event: "added", data: { lobbies: [listed] } });
    expect(lobbyIdOf(await arena.find())).toBe(lobby.lobbyId);
    const taken = { ...listed, total_player_count: 1 };
    expect((await watcher.first(3))[2]).toMatchObject({ event: "changed", data: { lobbies: [taken] } });
    await lobby.setClosed(true);
    const closed = { ...taken, is_closed: true };
    expect((await watcher.first(4))[3]).toMatchObject({ event: "changed", data: { lobbies: [closed] } });

    at().clock.advance(30_000);
    const removed = { event: "removed", data: { lobby_ids: [lobby.lobbyId] } };
    expect((await watcher.first(5))[4]).toMatchObject(removed);
    await lobby.heartbeat();
    expect((await watcher.first(6))[5]).toMatchObject({ event: "added", data: { lobbies: [closed] } });
    await lobby.stop();
    expect((await watcher.first(7))[6]).toMatchObject(removed);
    expect(ofMatch.events().map(({ event }) => event)).toEqual(["snapshot"]);
    for (const one of [watcher, ofMatch]) one.leave();
  });

  test("[WA2] what happens within a second comes in one event of each kind", async () => {
    const arena = await createArena(at().service);
    const [staying, leaving] = [await arena.ready(), await arena.ready()];
    const watcher = await watch(arena);
    await watcher.first(1);
    await Promise.all([arena.join(staying.lobbyId), leaving.stop(), arena.ready(), arena.ready()]);
    const isAllShown = () => {
      const shown = replay(watcher);
      return shown.size === 3 && !shown.has(leaving.lobbyId) && shown.get(staying.lobbyId) === 1;
    };
    await until(isAllShown);
    for (const kind of ["added", "changed", "removed"]) {
      expect(watcher.events().filter(({ event }) => event === kind).length).toBeLessThanOrEqual(2);
    }
    watcher.leave();
  });

  test("[WA3] a deploy removes and adds; a game mode that is gone shows nothing until it is back", async () => {
    const arena = await createArena(at().service, config({}, { extra: { max_players: 2, runtime: { external: {} } } }));
    const lobby = await arena.ready({ game_mode: "extra" });
    const [all, ofExtra] = [await watch(arena), await watch(arena, "?game_mode=extra")];
    for (const watcher of [all, ofExtra]) expect((await watcher.first(1))[0]!.data.lobbies).toHaveLength(1);
    await arena.deploy(config());
    for (const watcher of [all, ofExtra]) {
      expect((await watcher.first(2))[1]).toMatchObject({ event: "removed", data: { lobby_ids: [lobby.lobbyId] } });
    }
    await arena.redeploy(arena.versionId);
    for (const watcher of [all, ofExtra]) {
      expect((await watcher.first(3))[2]).toMatchObject({
        event: "added",
        data: { lobbies: [{ lobby_id: lobby.lobbyId }] },
      });
      watcher.leave();
    }
  });

  test("[WA5] a blocked client is refused, and its watches end", async () => {
    const { service } = at();
    const arena = await createArena(service);
    const open = arena.play("GET", "lobbies/watch", undefined, { client: "192.0.2.7" });
    const block = { client: "192.0.2.7" };
    await service.admin("PUT", `${arena.namespace.path}/blocks`, block);
    expect((await open).status).toBe(200);
    const again = await arena.play("GET", "lobbies/watch", undefined, { client: "192.0.2.7" });
    expectRefusal(again, "MATCHMAKER_CLIENT_BLOCKED");
  });

  test("[WA5] a watch ends with its token and with its namespace", async () => {
    const { service } = at();
    const arena = await createArena(service);
    const { token, token_id } = await createToken(service, arena.namespace, "pub");
    const [byToken, other] = await Promise.all([
      listenTo(service, "/matchmaker/lobbies/watch", { token }),
      watch(arena),
    ]);
    await service.request("DELETE", `${arena.namespace.path}/tokens/${token_id}`, { token: service.adminToken });
    await byToken.ended;
    await service.request("DELETE", arena.namespace.path, { token: service.adminToken });
    await other.ended;
  });

  test("[WA1] what the list refuses is refused", async () => {
    const { service } = at();
    const arena = await createArena(service);
    const ask = (query: string) => arena.play("GET", `lobbies/watch${query}`);
    expectRefusal(await ask("?game_mode=none"), "MATCHMAKER_GAME_MODE_NOT_FOUND");
    expectRefusal(await ask("?region=none"), "MATCHMAKER_REGION_NOT_FOUND");
    expectRefusal(await ask("?include_state=true"), "API_BAD_QUERY", [["include_state"]]);
    expectRefusal(await ask(`?cursor=${randomUUID()}`), "API_BAD_QUERY", [["cursor"]]);
    const empty = await createNamespace(service, arena.namespace.game);
    const { token } = await createToken(service, empty, "pub");
    expectRefusal(await arena.play("GET", "lobbies/watch", undefined, { token }), "MATCHMAKER_NO_VERSION_DEPLOYED");
  });

  test("[WA4] a client has at most max_watches_per_client", async () => {
    const arena = await createArena(at().service);
    const watchers = await Promise.all(Array.from({ length: 4 }, () => watch(arena)));
    const refused = await arena.play("GET", "lobbies/watch");
    expectRefusal(refused, "API_UNAVAILABLE");
    expect(refused.headers["retry-after"]).toBe("10");
    watchers[0]!.leave();
    const next = await openWhenFree(() => watch(arena));
    for (const watcher of [...watchers, next]) watcher.leave();
  });

  test("[WA7] a development token watches the mock list, to which nothing is added", async () => {
    const { service } = at();
    const arena = await createArena(service);
    const { token } = await createToken(service, arena.namespace, "dev");
    const watcher = await listenTo(service, "/matchmaker/lobbies/watch", { token });
    const { lobbies } = (await arena.play("GET", "lobbies/list", undefined, { token })).json;
    expect(lobbies).toHaveLength(2);
    expect((await watcher.first(1))[0]!.data).toEqual({ event: "snapshot", lobbies, is_truncated: false });
    const real = await watch(arena);
    await arena.ready();
    await real.first(2);
    expect(watcher.events()).toHaveLength(1);
    for (const one of [watcher, real]) one.leave();
  });
}

/** A slot is given back when the service notices that its watcher has left. */
async function openWhenFree(open: () => Promise<Listener>): Promise<Listener> {
  let watcher = await open();
  await until(async () => {
    if (watcher.status === 503) watcher = await open();
    return watcher.status === 200;
  });
  return watcher;
}

/** What a watcher that has followed all events shows now: taken seats by lobby. */
export function replay(watcher: Listener): Map<string, number> {
  const shown = new Map<string, number>();
  for (const { event, data } of watcher.events()) {
    if (event === "snapshot") shown.clear();
    for (const lobbyId of data.lobby_ids ?? []) shown.delete(lobbyId);
    for (const { lobby_id, total_player_count } of data.lobbies ?? []) shown.set(lobby_id, total_player_count);
  }
  return shown;
}
