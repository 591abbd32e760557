import { createSocket } from "node:dgram";
import { createServer, isIPv6 } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { LobbyNotStarted, type LobbyPorts } from "./runtime.ts";

export interface PortRange {
  readonly min: number;
  readonly max: number;
}

/** Assigns ports of a range, each to one lobby at a time. */
export interface Ports {
  /**
   * One free port per label. Waits for a port that rests where no other is free, so that a range of exactly as many ports as
   * there are lobbies is enough. Rejects when the range does not have enough.
   */
  take(protocols: Readonly<Record<string, { readonly protocol: string }>>): Promise<Record<string, number>>;
  /** Marks ports that an earlier process of the service assigned. */
  hold(ports: Iterable<number>): void;
  release(ports: Iterable<number>): void;
  /** The lobby that had them has ended. */
  retire(ports: LobbyPorts): void;
  taken(): number;
}

/** `27000-27999`, or a single port. */
export function parsePortRange(text: string): PortRange {
  const [min = 0, max = min] = text.split("-").map(Number);
  return { min, max };
}

export function listPortNumbers(ports: LobbyPorts): number[] {
  return Object.values(ports).map(({ port }) => port);
}

/**
 * Longer than `foyer gateway` uses what it knows about a lobby without asking, and than it waits for the answer. It connects
 * to the port itself, and no lobby says which one it is.
 */
const restMs = 20_000;

/**
 * Goes round the range, so that a port is reused as late as possible: a player who arrives late at an ended lobby must
 * not reach another game.
 */
export function createPorts(
  range: PortRange,
  firstOffset: number,
  bind: string,
  clock = {
    now: () => performance.now(),
    wait: (ms: number): Promise<unknown> => sleep(ms, undefined, { ref: false }),
  },
): Ports {
  const size = range.max - range.min + 1;
  const taken = new Set<number>();
  /** Until when gateways may still connect to the lobby that had the port. */
  const resting = new Map<number, number>();
  let next = firstOffset % size;

  const isResting = (port: number) => (resting.get(port) ?? 0) > clock.now();

  /** Null: none is free. */
  async function tryToTake(protocol: string): Promise<number | null> {
    for (let tries = 0; tries < size; tries++) {
      const port = range.min + next;
      next = (next + 1) % size;
      if (taken.has(port) || isResting(port)) continue;
      resting.delete(port);
      // Marked before the first await, so that two lobbies never check the same port.
      taken.add(port);
      let isChosen = false;
      try {
        isChosen = await isFree(port, protocol, bind);
      } finally {
        if (!isChosen) taken.delete(port);
      }
      if (isChosen) return port;
    }
    return null;
  }

  async function takeOne(protocol: string): Promise<number> {
    const giveUpAt = clock.now() + restMs;
    for (;;) {
      const port = await tryToTake(protocol);
      if (port !== null) return port;
      const freeAt = Math.min(...[...resting.values()].filter((until) => until > clock.now()));
      if (freeAt > giveUpAt) break;
      await clock.wait(Math.ceil(freeAt - clock.now()));
    }
    throw new LobbyNotStarted(
      `Every port from ${range.min} to ${range.max} is in use. Set a wider range with FOYER_LOBBY_PORTS.`,
      { isShortage: true },
    );
  }

  return {
    async take(protocols) {
      const ports: Record<string, number> = {};
      try {
        for (const [label, { protocol }] of Object.entries(protocols)) ports[label] = await takeOne(protocol);
        return ports;
      } catch (error) {
        for (const port of Object.values(ports)) taken.delete(port);
        throw error;
      }
    },
    hold(ports) {
      for (const port of ports) taken.add(port);
    },
    release(ports) {
      for (const port of ports) taken.delete(port);
    },
    retire(ports) {
      for (const { port, routing } of Object.values(ports)) {
        taken.delete(port);
        if (routing === "gateway") resting.set(port, clock.now() + restMs);
      }
    },
    taken: () => taken.size,
  };
}

/** As an address to listen on. */
export const allAddresses = "0.0.0.0";

/**
 * Whether no other program uses the port at the address that the lobby's process listens on, checked by binding it. With
 * all addresses the loopback address is checked too, because not every system includes it. With one address, a proxy may
 * have the same port at another.
 */
async function isFree(port: number, protocol: string, bind: string): Promise<boolean> {
  const isEverywhere = bind === allAddresses;
  const hosts = isEverywhere ? [undefined, "127.0.0.1"] : [bind];
  for (const host of hosts) if (!(await canListen(port, host))) return false;
  return protocol !== "udp" || (await canBind(port, isEverywhere ? undefined : bind));
}

function canListen(port: number, host: string | undefined): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error) => answerTaken(error, host, resolve, reject));
    server.listen({ port, exclusive: true, ...(host !== undefined && { host }) }, () =>
      server.close(() => resolve(true)),
    );
  });
}

function canBind(port: number, address: string | undefined): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(isIPv6(address ?? "") ? "udp6" : "udp4");
    socket.once("error", (error) => socket.close(() => answerTaken(error, address, resolve, reject)));
    socket.bind({ port, exclusive: true, ...(address !== undefined && { address }) }, () =>
      socket.close(() => resolve(true)),
    );
  });
}

/** An address that the machine does not have makes every port look taken, so it is an error of its own. */
function answerTaken(
  error: NodeJS.ErrnoException,
  host: string | undefined,
  resolve: (isFree: boolean) => void,
  reject: (error: Error) => void,
): void {
  if (error.code !== "EADDRNOTAVAIL") {
    resolve(false);
    return;
  }
  const message = `This machine does not have the address ${host} that lobbies listen on. Set FOYER_LOBBY_BIND to one that it has.`;
  reject(new LobbyNotStarted(message, { isShortage: true }));
}
