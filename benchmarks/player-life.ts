import type { Sent, Target } from "./load.ts";
import { bearer } from "./requests.ts";
import type { ServerProcess } from "./server-process.ts";
import type { World } from "./world.ts";

/** What a find gave, to be connected and disconnected later. */
interface Seat {
  readonly lobbyId: string;
  readonly token: string;
}

/** Everyone finds, then everyone connects, then everyone leaves: so each call is measured alone. Rounds keep this order. */
export function playerLife(world: World, server: ServerProcess, connections: number, request: object = {}) {
  let seats: Seat[] = [];
  const common = { server, connections, method: "POST" } as const;
  const body = JSON.stringify({ game_modes: ["duel"], ...request });
  const found = [{ body, headers: bearer(world.publicToken) }];
  const headersOf = memo((lobbyId) => bearer(world.lobbyTokenOf(lobbyId)));
  const share = () => Math.floor(seats.length / connections);
  const tellAll = (connection: number): Sent[] =>
    seats.slice(connection * share(), (connection + 1) * share()).map(({ lobbyId, token }) => ({
      body: JSON.stringify({ player_token: token }),
      headers: headersOf(lobbyId),
    }));
  const aboutSeats = { ...common, requestCount: () => share() * connections, requestsOf: tellAll };

  const find: Target = {
    ...common,
    name: "find",
    path: "/matchmaker/lobbies/find",
    requestsOf(connection) {
      if (connection === 0) seats = [];
      return found;
    },
    accepts(answer) {
      const seat = seatOf(answer);
      if (seat) seats.push(seat);
      return seat !== null;
    },
  };
  const connected: Target = {
    ...aboutSeats,
    name: "connected",
    path: "/matchmaker/players/connected",
    accepts: (answer) => answer.startsWith('{"player_id":"'),
  };
  const disconnected: Target = {
    ...aboutSeats,
    name: "disconnected",
    path: "/matchmaker/players/disconnected",
    accepts: (answer) => answer === "",
  };
  return { find, connected, disconnected };
}

/** Each connection closes and opens lobbies of its own, in turn. */
export function setClosed(world: World, server: ServerProcess, connections: number): Target {
  const lobbiesPerConnection = Math.min(16, Math.floor(world.lobbyIds.length / connections));
  return {
    name: "setClosed",
    server,
    connections,
    method: "PUT",
    path: "/matchmaker/lobbies/closed",
    requestsOf(connection) {
      const own = world.lobbyIds.slice(-lobbiesPerConnection * (connection + 1)).slice(0, lobbiesPerConnection);
      const tell = (isClosed: boolean) =>
        own.map((lobbyId) => ({
          body: JSON.stringify({ is_closed: isClosed }),
          headers: bearer(world.lobbyTokenOf(lobbyId)),
        }));
      return [...tell(true), ...tell(false)];
    },
    accepts: (answer) => answer === "",
  };
}

/** By its text: parsing each answer would cost the client as much as the rest of its work. */
function seatOf(answer: string): Seat | null {
  const lobbyId = /"lobby_id":"([0-9a-f-]{36})"/.exec(answer)?.[1];
  const token = /"token":"(player_[\w-]+)"/.exec(answer)?.[1];
  return lobbyId !== undefined && token !== undefined ? { lobbyId, token } : null;
}

function memo<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}
