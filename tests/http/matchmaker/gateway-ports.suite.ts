import { expect, test } from "vitest";
import { config, createArena, lobbyIdOf, type Matchmaker, tokensOf } from "../../support/arena.ts";
import { listenTo } from "../../support/event-streams.ts";
import { until } from "../../support/harness.ts";
import { startedLobbies } from "../../support/started-lobbies.ts";

const routed = {
  ports: {
    game: { protocol: "ws", routing: "gateway" },
    page: { protocol: "http", routing: "gateway" },
    voice: { protocol: "udp", routing: "direct" },
  },
};

/** A version whose mode `match` has ports behind the gateway. */
const document = () => {
  const plain = config();
  return { ...plain, game_modes: { match: { ...plain.game_modes.match, ...routed } } };
};

/** Where clients are told to connect. The service listens on loopback and has no public address. */
export function gatewayPortsTests(at: () => Matchmaker): void {
  const { startsIn, started } = startedLobbies(at);

  test("[GW2] every answer gives ports behind the gateway with its address and a url, the others with their own", async () => {
    const { service, runtime } = at();
    runtime.onceStarted = () => {};
    const arena = await createArena(service, document());
    const stream = await listenTo(service, `${arena.namespace.path}/events`, { token: service.adminToken });
    const waiting = arena.find({ game_modes: ["match"] });
    const lobby = await started(arena);
    await lobby.ready();
    const answer = await waiting;

    const host = `127.0.0.1:${service.port}`;
    const gateway = { hostname: "127.0.0.1", host, port: service.port, is_tls: false };
    const ports = {
      game: { ...gateway, url: `ws://${host}/lobby/${lobby.lobbyId}/game` },
      page: { ...gateway, url: `http://${host}/lobby/${lobby.lobbyId}/page/` },
      voice: { hostname: "127.0.0.1", host: "127.0.0.1:20002", port: 20_002, is_tls: false },
    };
    expect(lobbyIdOf(answer)).toBe(lobby.lobbyId);
    expect([answer.json.ports, answer.json.lobby.ports]).toEqual([ports, ports]);
    expect((await arena.join(lobby.lobbyId)).json.ports).toEqual(ports);
    const player_token = tokensOf(answer)[0];
    expect((await arena.play("POST", "players/resume", { player_token })).json.ports).toEqual(ports);
    expect((await lobby.seen()).ports).toEqual(ports);
    expect((await arena.lobbies())[0].ports).toEqual(ports);
    const readyEvent = () => stream.events().find(({ event }) => event === "lobby.ready");
    await until(() => readyEvent() !== undefined);
    stream.leave();
    expect(readyEvent()?.data.lobby.ports).toEqual(ports);
    expect(startsIn(arena)[0]?.ports).toEqual({
      ...routed.ports,
      voice: { protocol: "udp" },
    });
  });

  test("[GW3] a registered lobby of such a mode is reached where it says", async () => {
    const { service } = at();
    const arena = await createArena(service, document());
    const own = { hostname: "own.example.com", port: 9000, is_tls: true };
    const lobby = await arena.ready({ game_mode: "match", ports: { game: own, page: own, voice: own } });
    const host = "own.example.com:9000";
    expect((await arena.join(lobby.lobbyId)).json.ports).toEqual({
      game: { ...own, host, url: `wss://${host}` },
      page: { ...own, host, url: `https://${host}/` },
      voice: { ...own, host },
    });
  });
}
