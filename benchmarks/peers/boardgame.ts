import { type Connection, type HttpRequest, requestText } from "./client.ts";
import { startForeign } from "./foreign-server.ts";
import type { Peer, RunningPeer, Setup } from "./peer.ts";
import { residentMiB } from "./resident.ts";

const json = { "content-type": "application/json" };
const list: HttpRequest = { method: "GET", path: "/games/duel", headers: {}, body: "" };
const join = (matchId: string): HttpRequest => ({
  method: "POST",
  path: `/games/duel/${matchId}/join`,
  headers: json,
  body: JSON.stringify({ playerName: "player" }),
});

/** It has no find. Joining a match that the player knows already is its best case, and listing matches comes before that. */
export const boardgamePeers: readonly Peer[] = [
  {
    name: "boardgame.io",
    title: "boardgame.io, join of a known match",
    kind: "other",
    isOnRedis: false,
    counts: ["burst", "vanished"],
    start: (setup) => start(setup, "join"),
  },
  {
    name: "boardgame.io-list",
    title: "boardgame.io, list of matches",
    kind: "other",
    isOnRedis: false,
    counts: [],
    start: (setup) => start(setup, "list"),
  },
];

interface Seat {
  readonly matchId: string;
  readonly playerID: string;
  readonly playerCredentials: string;
}

async function start(setup: Setup, measured: "join" | "list"): Promise<RunningPeer> {
  const { server, rooms, lock } = await startForeign("boardgame.io", { ...setup });
  const matchIds = (await rooms()).map((room) => room.id);
  const matchOf = (index: number) => matchIds[index % matchIds.length]!;
  let seats: Seat[] = [];
  return {
    url: server.url,
    requestOf: (index) => (measured === "list" ? list : join(matchOf(index))),
    seatOf({ status, body }, index) {
      if (status !== 200) return null;
      if (measured === "list") return "list";
      const matchId = matchOf(index);
      seats.push({ matchId, ...(JSON.parse(body) as Omit<Seat, "matchId">) });
      return matchId;
    },
    seat: (connection) => listAndJoin(server.url, connection, setup.seats),
    async afterTurn() {
      const leaving = seats;
      seats = [];
      for (let from = 0; from < leaving.length; from += 50) {
        await Promise.all(leaving.slice(from, from + 50).map((seat) => leave(server.url, seat)));
      }
    },
    rooms,
    lock,
    residentMiB: () => Promise.resolve({ server: residentMiB(server.pid), redis: null }),
    stop: server.stop,
  };
}

async function leave(url: string, { matchId, playerID, playerCredentials }: Seat): Promise<void> {
  const body = JSON.stringify({ playerID, credentials: playerCredentials });
  const answer = await fetch(`${url}/games/duel/${matchId}/leave`, { method: "POST", headers: json, body });
  if (!answer.ok) throw new Error(`Leaving ${matchId} was answered with ${answer.status}.`);
  await answer.arrayBuffer();
}

/** What a client of it does: it lists, joins the fullest match with a free seat, and makes one when there is none. */
async function listAndJoin(url: string, connection: Connection, seats: number): Promise<string | null> {
  const ask = (request: HttpRequest) => connection.ask(requestText(url, request));
  for (let attempt = 0; attempt < 20; attempt++) {
    const { matches } = JSON.parse((await ask(list)).body) as {
      matches: { matchID: string; players: { name?: string }[] }[];
    };
    const open = matches
      .map(({ matchID, players }) => ({ matchID, taken: players.filter((player) => player.name !== undefined).length }))
      .filter(({ taken }) => taken < seats)
      .sort((a, b) => b.taken - a.taken);
    const matchId = open[0]?.matchID ?? (await create(ask, seats));
    if ((await ask(join(matchId))).status === 200) return matchId;
  }
  return null;
}

async function create(
  ask: (request: HttpRequest) => ReturnType<Connection["ask"]>,
  numPlayers: number,
): Promise<string> {
  const body = JSON.stringify({ numPlayers });
  const answer = await ask({ method: "POST", path: "/games/duel/create", headers: json, body });
  return (JSON.parse(answer.body) as { matchID: string }).matchID;
}
