import { startBare } from "../server-process.ts";
import type { Peer, RunningPeer } from "./peer.ts";
import { residentMiB } from "./resident.ts";

const path = "/matchmaker/lobbies/find";

/** An answer of Foyer's find, in length and headers. */
const body = JSON.stringify({
  lobby: {
    lobby_id: "0197b3a2-5c1e-7d3f-8a4b-6c5d4e3f2a1b",
    region: { region_id: "local", display_name: "Local" },
    ports: {
      default: { hostname: "game.example.com", host: "game.example.com:20000", port: 20000, is_tls: true },
    },
    player: { token: `player_${"A".repeat(86)}` },
  },
  ports: { default: { hostname: "game.example.com", host: "game.example.com:20000", port: 20000, is_tls: true } },
  player: { token: `player_${"A".repeat(86)}` },
});
const headers = {
  "content-type": "application/json; charset=utf-8",
  "content-length": String(body.length),
  "x-request-id": "0197b3a2-5c1e-7d3f-8a4b-6c5d4e3f2a1b",
};

/** The least that Node can do: it reads the request and answers bytes that were made before. */
export const bare: Peer = {
  name: "bare",
  title: "bare node:http",
  kind: "bare",
  isOnRedis: false,
  counts: [],
  async start(): Promise<RunningPeer> {
    const server = await startBare({ [path]: { status: 200, headers, body } });
    return {
      url: server.url,
      requestOf: () => ({
        method: "POST",
        path,
        headers: { authorization: `Bearer ${"A".repeat(60)}`, "content-type": "application/json" },
        body: JSON.stringify({ game_modes: ["duel"] }),
      }),
      seatOf: (answer) => (answer.status === 200 ? "bare" : null),
      seat: () => Promise.resolve(null),
      afterTurn: () => Promise.resolve(),
      rooms: () => Promise.resolve([]),
      lock: () => Promise.resolve(),
      residentMiB: () => Promise.resolve({ server: residentMiB(server.pid), redis: null }),
      stop: server.stop,
    };
  },
};
