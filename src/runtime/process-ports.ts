import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import { LobbyNotStarted, type LobbyPorts } from "./runtime.ts";

export interface PortRange {
  readonly min: number;
  readonly max: number;
}

/** Assigns ports of a range, each to one lobby at a time. */
export interface Ports {
  /** One free port per label. Rejects when the range does not have enough. */
  take(protocols: Readonly<Record<string, { readonly protocol: string }>>): Promise<Record<string, number>>;
  /** Marks ports that an earlier process of the service assigned. */
  hold(ports: Iterable<number>): void;
  release(ports: Iterable<number>): void;
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
 * Goes round the range, so that a port is reused as late as possible: a player who arrives late at an ended lobby must
 * not reach another game.
 */
export function createPorts(range: PortRange, firstOffset: number): Ports {
  const size = range.max - range.min + 1;
  const taken = new Set<number>();
  let next = firstOffset % size;

  async function takeOne(protocol: string): Promise<number> {
    for (let tries = 0; tries < size; tries++) {
      const port = range.min + next;
      next = (next + 1) % size;
      if (taken.has(port)) continue;
      // Marked before the first await, so that two lobbies never check the same port.
      taken.add(port);
      if (await isFree(port, protocol)) return port;
      taken.delete(port);
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
    taken: () => taken.size,
  };
}

/**
 * Whether no other program uses the port, checked by binding it. The loopback address is checked too, because not every
 * system includes it.
 */
async function isFree(port: number, protocol: string): Promise<boolean> {
  if (!(await canListen(port, undefined)) || !(await canListen(port, "127.0.0.1"))) return false;
  return protocol !== "udp" || (await canBind(port));
}

function canListen(port: number, host: string | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, exclusive: true, ...(host !== undefined && { host }) }, () =>
      server.close(() => resolve(true)),
    );
  });
}

function canBind(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket("udp4");
    socket.once("error", () => socket.close(() => resolve(false)));
    socket.bind({ port, exclusive: true }, () => socket.close(() => resolve(true)));
  });
}
