import { untakenBytesMax } from "../ground/limits.ts";
import { networkShare } from "../ground/rates.ts";
import { type Refusal, refuse } from "../operations/refusal.ts";
import type { ClientAddress } from "./client-address.ts";
import type { ClientShare, Exchange } from "./exchange.ts";

export interface ClientShares {
  /** Counts a new connection; null: it is one too many. */
  connect(address: Pick<ClientAddress, "client" | "network">): ClientShare | null;
  disconnect(share: ClientShare): void;
  /** Before the body is read. A refusal when the client has too many unanswered requests. */
  admit(exchange: Exchange, address: ClientAddress): Refusal<"API_RATE_LIMIT"> | null;
  /** The body is there: counts the request as in flight. A refusal when it is one too many. */
  enter(exchange: Exchange): Refusal<"API_RATE_LIMIT"> | null;
  /** Its connection is done with the request. */
  leave(exchange: Exchange): void;
}

/**
 * Limits what one client can use, and four times as much for all clients of one IPv6 /48. Programs on the same machine
 * and trusted proxies themselves are not counted.
 */
export function createClientShares(limits: { connectionsMax: number; inFlightMax: number }): ClientShares {
  const { connectionsMax, inFlightMax } = limits;
  const { findShare, forgetIfEmpty } = createShareTable();

  function tooMuch(share: ClientShare, address: ClientAddress): string | null {
    if (isFull(share, countInFlight, inFlightMax)) return inFlightMessage;
    // A proxy's connections belong to no client, so the client's requests are counted instead.
    if (address.isForwarded && isFull(share, ({ exchanges }) => exchanges.size, connectionsMax)) return underWayMessage;
    return hasUntaken(share) ? untakenMessage : null;
  }

  const inFlightMessage = `More than ${inWords(inFlightMax, "requests")} in flight. Wait for answers before you send more.`;
  const underWayMessage = `More than ${inWords(connectionsMax, "requests")} are under way. Finish some first.`;

  return {
    connect(address) {
      const share = findShare(address);
      if (isFull(share, ({ connections }) => connections, connectionsMax)) {
        forgetIfEmpty(share);
        return null;
      }
      for (const one of share.counted) one.connections += 1;
      return share;
    },
    disconnect(share) {
      for (const one of share.counted) one.connections -= 1;
      forgetIfEmpty(share);
    },
    admit(exchange, address) {
      if (!isCounted(address)) return null;
      const share = (address.isForwarded ? null : exchange.connection.share) ?? findShare(address);
      const message = tooMuch(share, address);
      if (message !== null) {
        forgetIfEmpty(share);
        return refuse("API_RATE_LIMIT", message, { retryAfterS: 1 });
      }

      exchange.share = share;
      for (const one of share.counted) one.exchanges.add(exchange);
      if (exchange.isInFlight) joinFlight(exchange, share);
      return null;
    },
    enter(exchange) {
      const { share } = exchange;
      if (share === null || exchange.isInShare) return null;
      if (isFull(share, countInFlight, inFlightMax)) {
        return refuse("API_RATE_LIMIT", inFlightMessage, { retryAfterS: 1 });
      }
      joinFlight(exchange, share);
      return null;
    },
    leave(exchange) {
      const { share } = exchange;
      if (share === null) return;
      leaveFlight(exchange);
      for (const one of share.counted) one.exchanges.delete(exchange);
      forgetIfEmpty(share);
    },
  };
}

/** The name under which the client takes turns: that of its IPv6 /48 if it has one. */
export const turnName = ({ counted }: ClientShare) => counted.at(-1)!.client;

/** Excludes programs on the same machine, and requests of trusted proxies themselves. */
export function isCounted({ isDirectLoopback, isTrustedProxy, isForwarded }: ClientAddress): boolean {
  return !isDirectLoopback && (!isTrustedProxy || isForwarded);
}

/** The shares of clients, by client. A share also counts for its IPv6 /48. */
function createShareTable() {
  const shares = new Map<string, ClientShare>();

  function findShare({ client, network }: Pick<ClientAddress, "client" | "network">): ClientShare {
    const known = shares.get(client);
    if (known) return known;
    const counted: ClientShare[] = [];
    const share = { client, counted, connections: 0, inFlight: 0, exchanges: new Set<Exchange>() };
    counted.push(share);
    if (network !== null) counted.push(findShare({ client: network, network: null }));
    shares.set(client, share);
    return share;
  }

  function forgetIfEmpty(share: ClientShare): void {
    for (const one of share.counted) {
      if (one.connections === 0 && one.exchanges.size === 0) shares.delete(one.client);
    }
  }

  return { findShare, forgetIfEmpty };
}

function isFull(share: ClientShare, occupied: (share: ClientShare) => number, max: number): boolean {
  return share.counted.some((one) => occupied(one) >= max * (one === share ? 1 : networkShare));
}

/** Completes the sentence "More than …". */
export function inWords(max: number, what: string): string {
  return `${max} ${what} of this address, or ${max * networkShare} of its IPv6 /48,`;
}

const untakenMessage = `More than ${inWords(untakenBytesMax / 1024 / 1024, "MiB of answers")} are not read. Read them first.`;

const countInFlight = ({ inFlight }: ClientShare) => inFlight;

/** Whether the client, or its network, has so many unread answers that it gets no new ones. */
function hasUntaken(share: ClientShare): boolean {
  return share.counted.some((one) => {
    const bytesMax = untakenBytesMax * (one === share ? 1 : networkShare);
    return one.exchanges.size > 1 && countUntakenBytes(one) > bytesMax;
  });
}

/** The unread bytes of answers on all connections of the client. */
function countUntakenBytes({ exchanges }: ClientShare): number {
  let bytes = 0;
  for (const { connection } of exchanges) bytes += connection.socket.writableLength;
  return bytes;
}

function joinFlight(exchange: Exchange, share: ClientShare): void {
  exchange.isInShare = true;
  for (const one of share.counted) one.inFlight += 1;
}

/** From now on the request uses nothing that is limited per client: it waits for a lobby, or its answer streams. */
export function leaveFlight(exchange: Exchange): void {
  if (!exchange.isInShare) return;
  exchange.isInShare = false;
  for (const one of exchange.share!.counted) one.inFlight -= 1;
}

/** The wait is over. The request was admitted, so it continues even if the client has others in flight by now. */
export function rejoinFlight(exchange: Exchange): void {
  if (exchange.share !== null && !exchange.isDone && !exchange.isInShare) joinFlight(exchange, exchange.share);
}
