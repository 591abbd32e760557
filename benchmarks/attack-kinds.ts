import type { World } from "./world.ts";

/** What one kind of attacker does. */
export interface Attack {
  readonly connections: number;
  /** How many addresses they come from. */
  readonly clients: number;
  /** What each connection sends at once. */
  readonly requests: string;
  /** How long a connection is held before it is dropped; 0: until the service closes it. */
  readonly holdMs: number;
  /** Its connections come all in the first moment, and again when the service has closed them, which is after so long. */
  readonly burstEveryS?: number;
}

export function attacksOf(world: World, admin: string): Record<string, Attack> {
  const from = "Host: localhost\r\n{forwarded}";
  const as = (token: string) => `${from}Authorization: Bearer ${token}\r\n`;
  const get = (path: string, headers: string) => `GET ${path} HTTP/1.1\r\n${headers}\r\n`;
  const find = (length: number) =>
    `POST /matchmaker/lobbies/find HTTP/1.1\r\n${as(world.publicToken)}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  const faults = JSON.stringify({ game_modes: Array.from({ length: 30_000 }, () => 1) });
  const list = "/matchmaker/lobbies/list?limit=500&include_state=true";
  return {
    "1,300 pipelined, unread, dropped": {
      connections: 8,
      clients: 2,
      requests: get("/openapi.json", from).repeat(1300),
      holdMs: 500,
    },
    "60 pipelined, unread, held": {
      connections: 100,
      clients: 2,
      requests: get("/openapi.json", from).repeat(60),
      holdMs: 0,
    },
    "event streams, unread": {
      connections: 100,
      clients: 4,
      requests: get("/cloud/games/bench/namespaces/prod/events", as(admin)).repeat(10),
      holdMs: 0,
    },
    "bodies that never come": { connections: 2050, clients: 20, requests: find(100), holdMs: 0, burstEveryS: 30 },
    "bodies full of faults": { connections: 8, clients: 8, requests: find(faults.length) + faults, holdMs: 200 },
    "lists with states, unread": {
      connections: 55,
      clients: 1,
      requests: get(list, as(world.publicToken)).repeat(8),
      holdMs: 0,
    },
  };
}
