import { untakenBytesMax } from "../ground/limits.ts";
import { type Refusal, refuse } from "../operations/refusal.ts";
import type { ClientAddress } from "./client-address.ts";
import type { ClientShare, Exchange } from "./exchange.ts";

export interface ClientShares {
  /** Counts a new connection; null: it is one too many. */
  connect(client: string): ClientShare | null;
  disconnect(share: ClientShare): void;
  /** Before the body is looked at. A refusal when the client has too much under way. */
  admit(exchange: Exchange, address: ClientAddress): Refusal<"API_RATE_LIMIT"> | null;
  /** The body is there: counts the request as in flight. A refusal when it is one too many. */
  enter(exchange: Exchange): Refusal<"API_RATE_LIMIT"> | null;
  /** Its connection is done with the request. */
  leave(exchange: Exchange): void;
}

/** Bounds what one client can occupy. Programs on the same machine and trusted proxies themselves are not counted. */
export function createClientShares(limits: { connectionsMax: number; inFlightMax: number }): ClientShares {
  const { connectionsMax, inFlightMax } = limits;
  const shares = new Map<string, ClientShare>();

  function findShare(client: string): ClientShare {
    const known = shares.get(client);
    if (known) return known;
    const share = { client, connections: 0, inFlight: 0, exchanges: new Set<Exchange>() };
    shares.set(client, share);
    return share;
  }

  function forgetIfEmpty(share: ClientShare): void {
    if (share.connections === 0 && share.exchanges.size === 0) shares.delete(share.client);
  }

  function tooMuch(share: ClientShare, address: ClientAddress): string | null {
    if (share.inFlight >= inFlightMax) return inFlightMessage;
    // A proxy's connections belong to no client, so what it carries for the client is counted in their place.
    if (address.isForwarded && share.exchanges.size >= connectionsMax) return underWayMessage;
    return share.exchanges.size > 1 && countUntakenBytes(share) > untakenBytesMax ? untakenMessage : null;
  }

  const inFlightMessage = `More than ${inFlightMax} requests of this address at once. Wait for answers before asking more.`;
  const underWayMessage = `More than ${connectionsMax} requests of this address are under way. Finish some first.`;

  return {
    connect(client) {
      const share = findShare(client);
      if (share.connections >= connectionsMax) return null;
      share.connections += 1;
      return share;
    },
    disconnect(share) {
      share.connections -= 1;
      forgetIfEmpty(share);
    },
    admit(exchange, address) {
      if (address.isDirectLoopback || (address.isTrustedProxy && !address.isForwarded)) return null;
      const share = (address.isForwarded ? null : exchange.connection.share) ?? findShare(address.client);
      const message = tooMuch(share, address);
      if (message !== null) return refuse("API_RATE_LIMIT", message, { retryAfterS: 1 });

      exchange.share = share;
      share.exchanges.add(exchange);
      if (exchange.isInFlight) joinFlight(exchange, share);
      return null;
    },
    enter(exchange) {
      const { share } = exchange;
      if (share === null || exchange.isInShare) return null;
      if (share.inFlight >= inFlightMax) return refuse("API_RATE_LIMIT", inFlightMessage, { retryAfterS: 1 });
      joinFlight(exchange, share);
      return null;
    },
    leave(exchange) {
      const { share } = exchange;
      if (share === null) return;
      leaveFlight(exchange);
      share.exchanges.delete(exchange);
      forgetIfEmpty(share);
    },
  };
}

const untakenMessage = `This address has more than ${untakenBytesMax / 1024 / 1024} MiB of answers to take. Read them first.`;

/** How much of their answers the connections of the client have not taken. */
function countUntakenBytes({ exchanges }: ClientShare): number {
  let bytes = 0;
  for (const { connection } of exchanges) bytes += connection.socket.writableLength;
  return bytes;
}

function joinFlight(exchange: Exchange, share: ClientShare): void {
  exchange.isInShare = true;
  share.inFlight += 1;
}

/** From now on the request does nothing that its client should have few of: it waits for a lobby, or its answer streams. */
export function leaveFlight(exchange: Exchange): void {
  if (!exchange.isInShare) return;
  exchange.isInShare = false;
  exchange.share!.inFlight -= 1;
}

/** The wait is over. It was admitted, so it goes on even if the client has others in flight by now. */
export function rejoinFlight(exchange: Exchange): void {
  if (exchange.share !== null && !exchange.isDone && !exchange.isInShare) joinFlight(exchange, exchange.share);
}
