import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { type Arena, address, config, createArena, lobbyIdOf, type Matchmaker } from "../../support/arena.ts";
import { expectAnswer, expectEmpty, expectRefusal } from "../../support/expectations.ts";
import { createToken, until } from "../../support/harness.ts";
import { openRaw } from "../../support/raw.ts";

/** What an operator does to lobbies that others run. */
export function operatorsTests(at: () => Matchmaker): void {
  const setClosed = (arena: Arena, lobbyId: string, is_closed: unknown) =>
    at().service.request("PUT", `${arena.namespace.path}/lobbies/${lobbyId}/closed`, {
      token: at().service.adminToken,
      body: { is_closed },
    });

  test("[CL7] [CL8] [CL11] find avoids a lobby while the operator's or the lobby's flag is set, and all views show why", async () => {
    const arena = await createArena(at().service, config({ max_players: 20, max_players_direct: 20 }));
    const lobby = await arena.ready();
    const shown = async () => {
      const [listed] = (await arena.list()).json.lobbies;
      const { is_closed, closed_by } = await lobby.seen();
      expect([listed.is_closed, (await arena.lobbies())[0].is_closed]).toEqual([is_closed, is_closed]);
      const { json: heartbeat } = await lobby.heartbeat();
      return [is_closed, closed_by, heartbeat.is_closed, heartbeat.is_closed_by_operator];
    };
    expect(await shown()).toEqual([false, [], false, false]);

    expectEmpty(await setClosed(arena, lobby.lobbyId, true));
    expectEmpty(await setClosed(arena, lobby.lobbyId.toUpperCase(), true));
    expectRefusal(await arena.find(), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expect(lobbyIdOf(await arena.join(lobby.lobbyId))).toBe(lobby.lobbyId);
    expect(await shown()).toEqual([true, ["operator"], false, true]);
    const { message, codes } = (await arena.find({ explain: true })).json.metadata.explain.candidates[0];
    expect([message, codes]).toEqual([expect.stringContaining("operator"), ["closed_by_operator"]]);

    expectEmpty(await lobby.setClosed(true));
    expect(await shown()).toEqual([true, ["lobby", "operator"], true, true]);
    expectEmpty(await lobby.setClosed(false));
    expectRefusal(await arena.find(), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expect(await shown()).toEqual([true, ["operator"], false, true]);

    await lobby.setClosed(true);
    expectEmpty(await setClosed(arena, lobby.lobbyId, false));
    expect(await shown()).toEqual([true, ["lobby"], true, false]);
    expectRefusal(await arena.find(), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    await lobby.setClosed(false);
    expectEmpty(await setClosed(arena, lobby.lobbyId, false));
    expect(lobbyIdOf(await arena.find())).toBe(lobby.lobbyId);
    const timeline: { event: string; details?: object }[] = (await lobby.seen()).timeline;
    expect(timeline.filter(({ event }) => /closed|opened|changed/.test(event)).map(({ details }) => details)).toEqual([
      { closed_by: ["operator"] },
      ...Array(4).fill({ change: "closed_by" }),
      undefined,
    ]);
  });

  test("[CL11] a lobby that has stopped, is of another namespace or is not there is unknown", async () => {
    const arena = await createArena(at().service);
    const elsewhere = await (await createArena(at().service)).ready();
    const stopped = await arena.ready();
    await stopped.stop();
    for (const lobbyId of [stopped.lobbyId, elsewhere.lobbyId, randomUUID(), "no-lobby"]) {
      expectRefusal(await setClosed(arena, lobbyId, true), "CLOUD_LOBBY_NOT_FOUND");
    }
    const { service } = at();
    const token = service.adminToken;
    const body = { is_closed: true };
    const nowhere = `/cloud/games/${randomUUID()}/namespaces/x/lobbies/${stopped.lobbyId}/closed`;
    expectRefusal(await service.request("PUT", nowhere, { token, body }), "CLOUD_GAME_NOT_FOUND");
    const noNamespace = `${arena.namespace.game.path}/namespaces/x/lobbies/${stopped.lobbyId}/closed`;
    expectRefusal(await service.request("PUT", noNamespace, { token, body }), "CLOUD_NAMESPACE_NOT_FOUND");
    expect((await elsewhere.seen()).closed_by).toEqual([]);
    for (const bad of [null, "true", 1, undefined]) {
      expectRefusal(await setClosed(arena, elsewhere.lobbyId, bad), "API_BAD_BODY", [["is_closed"]]);
    }
  });

  test("[RV1] the operator sees which server token registered a lobby", async () => {
    const { service } = at();
    const arena = await createArena(service);
    const lobby = await arena.ready();
    const { tokens } = await service.admin("GET", `${arena.namespace.path}/tokens`);
    const { token_id } = tokens.find(({ kind }: { kind: string }) => kind === "server");
    expect((await lobby.seen()).registered_by).toBe(token_id);
    expect((await arena.lobbies())[0].registered_by).toBe(token_id);
    expectAnswer(await lobby.heartbeat(), {
      ...{ player_ids: [], players: [], is_closed: false, is_closed_by_operator: false, is_outdated: false },
      ...{ heartbeat_s: 0, reconnect_s: 0 },
    });
  });

  /** A server token of its own, and a way to register and revoke with it. */
  async function serverOf(arena: Arena) {
    const { service } = at();
    const { token, token_id } = await createToken(service, arena.namespace, "server");
    const path = `${arena.namespace.path}/tokens/${token_id}`;
    const register = () =>
      arena.play("POST", "lobbies/register", { game_mode: "duel", region: "local", ports: address }, { token });
    const revoke = (query = "") => service.request("DELETE", `${path}${query}`, { token: service.adminToken });
    const isUsed = async () => {
      const { tokens } = await service.admin("GET", `${arena.namespace.path}/tokens`);
      return tokens.find((one: { token_id: string }) => one.token_id === token_id).last_used_ts !== null;
    };
    return { token, tokenId: token_id, register, revoke, isUsed };
  }

  const closedBy = async (arena: Arena) =>
    (await arena.lobbies("?include_stopped=true")).map(({ closed_by, status }) => `${closed_by} ${status}`);

  test("[RV3] [RV5] revoking a server token keeps find away from its lobbies, until the operator opens them", async () => {
    const arena = await createArena(at().service, config({ max_players: 20, max_players_direct: 20 }));
    const server = await serverOf(arena);
    const { lobby_id, token } = (await server.register()).json;
    const lobby = arena.lobby(lobby_id, token);
    await lobby.ready();
    const other = await arena.ready();
    await arena.join(lobby_id);
    expectEmpty(await server.revoke());
    expect(lobbyIdOf(await arena.find())).toBe(other.lobbyId);
    expect(await closedBy(arena)).toEqual(["token_revoked ready", " ready"]);
    expect((await lobby.heartbeat()).json).toMatchObject({ is_closed: false, is_closed_by_operator: true });
    expect(lobbyIdOf(await arena.join(lobby_id))).toBe(lobby_id);
    expectRefusal(await server.register(), "TOKEN_REVOKED");
    await lobby.setClosed(false);
    expect(await closedBy(arena)).toEqual(["token_revoked ready", " ready"]);
    expectEmpty(await setClosed(arena, lobby_id, false));
    expect(lobbyIdOf(await arena.find())).toBe(lobby_id);
    expectEmpty(await server.revoke());
    expect(await closedBy(arena)).toEqual(["token_revoked ready", " ready"]);
  });

  test("[RV3] it may also stop them or leave them alone, and other tokens have no lobbies", async () => {
    const { service } = at();
    const arena = await createArena(service);
    const [stopping, keeping] = [await serverOf(arena), await serverOf(arena)];
    for (const server of [stopping, keeping]) await server.register();
    expectRefusal(await stopping.revoke("?lobbies=close"), "API_BAD_QUERY", [["lobbies"]]);
    expectEmpty(await stopping.revoke("?lobbies=stop"));
    expect(await closedBy(arena)).toEqual([" stopped", " starting"]);
    expect((await arena.lobbies("?include_stopped=true"))[0]).toMatchObject({ stop_reason: "operator" });
    expectEmpty(await keeping.revoke("?lobbies=keep"));
    const { token_id } = await createToken(service, arena.namespace, "pub");
    const token = service.adminToken;
    expectEmpty(await service.request("DELETE", `${arena.namespace.path}/tokens/${token_id}?lobbies=stop`, { token }));
    expect(await closedBy(arena)).toEqual([" stopped", " starting"]);
  });

  test("[RV4] a registration whose body comes after the revocation makes no lobby", async () => {
    const { service } = at();
    const arena = await createArena(service);
    const server = await serverOf(arena);
    const body = JSON.stringify({ game_mode: "duel", region: "local", ports: address });
    const connection = await openRaw(service.port);
    connection.write(
      `POST /matchmaker/lobbies/register HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    // Its token was good when it was looked at.
    await until(server.isUsed);
    expectEmpty(await server.revoke());
    connection.write(body);
    expectRefusal((await connection.answer())!, "TOKEN_REVOKED");
    connection.destroy();
    expect(await arena.lobbies()).toEqual([]);
  });

  test("[RV4] of registrations at the same time as the revocation none leaves a lobby that find may choose", async () => {
    const arena = await createArena(at().service, config({ max_players: 1 }));
    for (let round = 0; round < 5; round++) {
      const server = await serverOf(arena);
      const registering = Array.from({ length: 12 }, server.register);
      await until(server.isUsed);
      expectEmpty(await server.revoke());
      const lobbies = (await arena.lobbies()).filter(({ registered_by }) => registered_by === server.tokenId);
      expect(lobbies.filter(({ is_closed }) => !is_closed)).toEqual([]);
      for (const { status, json } of await Promise.all(registering)) {
        if (status !== 200) expect(json.code).toBe("TOKEN_REVOKED");
      }
      const all = (await arena.lobbies()).filter(({ registered_by }) => registered_by === server.tokenId);
      expect(all.map(({ lobby_id }) => lobby_id)).toEqual(lobbies.map(({ lobby_id }) => lobby_id));
    }
  });
}
