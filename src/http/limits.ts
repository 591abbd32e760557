import type { Socket } from "node:net";
import { untakenBytesMax } from "../ground/limits.ts";
import type { Metrics } from "../ground/metrics.ts";
import { networkShare } from "../ground/rates.ts";
import { type Refusal, refuse } from "../operations/refusal.ts";
import type { ClientAddress } from "./client-address.ts";

/** A request as far as limits are concerned. */
export interface LimitedRequest {
  readonly socket: Socket;
  /** The client of its connection; null: that is not counted. */
  readonly connectionShare: ClientShare | null;
  /** The client that it is counted for; null: none, or not yet. */
  share: ClientShare | null;
  /** Its body is there, so it counts as in flight. */
  isInFlight: boolean;
  /** It is one of those that the client has in flight. */
  isInShare: boolean;
  isDone: boolean;
}

/** What one client, or one network of clients, occupies of the service. */
export interface ClientShare {
  readonly client: string;
  /** This one, and the one of the network that the client is in: what is counted here counts there too. */
  readonly counted: readonly ClientShare[];
  connections: number;
  inFlight: number;
  /** Its requests whose answers are not finished; also those that wait for their bodies, and streams. */
  readonly requests: Set<LimitedRequest>;
}

export interface ClientShares {
  /** Counts a new connection; null: it is one too many. */
  connect(address: Pick<ClientAddress, "client" | "network">): ClientShare | null;
  disconnect(share: ClientShare): void;
  /** Before the body is read. A refusal when the client has too many unanswered requests. */
  admit(request: LimitedRequest, address: ClientAddress): Refusal<"API_RATE_LIMIT"> | null;
  /** The body is there: counts the request as in flight. A refusal when it is one too many. */
  enter(request: LimitedRequest): Refusal<"API_RATE_LIMIT"> | null;
  /** Its connection is done with the request. */
  leave(request: LimitedRequest): void;
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
    if (address.isForwarded && isFull(share, ({ requests }) => requests.size, connectionsMax)) return underWayMessage;
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
    admit(request, address) {
      if (!isCounted(address)) return null;
      const share = (address.isForwarded ? null : request.connectionShare) ?? findShare(address);
      const message = tooMuch(share, address);
      if (message !== null) {
        forgetIfEmpty(share);
        return refuse("API_RATE_LIMIT", message, { retryAfterS: 1 });
      }

      request.share = share;
      for (const one of share.counted) one.requests.add(request);
      if (request.isInFlight) joinFlight(request, share);
      return null;
    },
    enter(request) {
      const { share } = request;
      if (share === null || request.isInShare) return null;
      if (isFull(share, countInFlight, inFlightMax)) {
        return refuse("API_RATE_LIMIT", inFlightMessage, { retryAfterS: 1 });
      }
      joinFlight(request, share);
      return null;
    },
    leave(request) {
      const { share } = request;
      if (share === null) return;
      leaveFlight(request);
      for (const one of share.counted) one.requests.delete(request);
      forgetIfEmpty(share);
    },
  };
}

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
    const share = { client, counted, connections: 0, inFlight: 0, requests: new Set<LimitedRequest>() };
    counted.push(share);
    if (network !== null) counted.push(findShare({ client: network, network: null }));
    shares.set(client, share);
    return share;
  }

  function forgetIfEmpty(share: ClientShare): void {
    for (const one of share.counted) {
      if (one.connections === 0 && one.requests.size === 0) shares.delete(one.client);
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
    return one.requests.size > 1 && countUntakenBytes(one) > bytesMax;
  });
}

/** The unread bytes of answers on all connections of the client. */
function countUntakenBytes({ requests }: ClientShare): number {
  let bytes = 0;
  for (const { socket } of requests) bytes += socket.writableLength;
  return bytes;
}

function joinFlight(request: LimitedRequest, share: ClientShare): void {
  request.isInShare = true;
  for (const one of share.counted) one.inFlight += 1;
}

/** From now on the request uses nothing that is limited per client: it waits for a lobby, or its answer streams. */
export function leaveFlight(request: LimitedRequest): void {
  if (!request.isInShare) return;
  request.isInShare = false;
  for (const one of request.share!.counted) one.inFlight -= 1;
}

/** The wait is over. The request was admitted, so it continues even if the client has others in flight by now. */
export function rejoinFlight(request: LimitedRequest): void {
  if (request.share !== null && !request.isDone && !request.isInShare) joinFlight(request, request.share);
}

export interface LoadSigns {
  /** Whether the disk falls behind with writes. */
  isStoreBehind(): boolean;
  /** Requests that only wait for a lobby to become ready. */
  waitingCount(): number;
}

/** What the whole service can do at the same time. */
export interface Load {
  /** New requests should wait, because there may soon be room for them. */
  isFull(): boolean;
  /** New requests should be refused: too many are in flight, or the event loop or the disk falls behind. */
  isOverloaded(): boolean;
  stop(): void;
}

const sampleEveryMs = 500;
/** The event loop being this late means that every answer is late; rejecting requests helps. */
const loopDelayMaxMs = 1_000;
/** One late sample may be a single pause, as at the start of the service. */
const lateSamplesMax = 3;

export function createLoad(inFlightMax: number, metrics: Metrics, signs: LoadSigns): Load {
  /** The bodies of requests that have begun may still come, and those should not be rejected. */
  const fullFrom = inFlightMax - inFlightMax / 8;
  let lateSamples = 0;
  let dueAt = performance.now() + sampleEveryMs;
  const timer = setInterval(() => {
    const now = performance.now();
    lateSamples = now - dueAt > loopDelayMaxMs ? lateSamples + 1 : 0;
    dueAt = now + sampleEveryMs;
  }, sampleEveryMs).unref();

  /** A find that waits for its lobby does no work; if it counted, the call that ends its wait might be rejected. */
  const busy = () => metrics.inFlight() - signs.waitingCount();

  return {
    isFull: () => busy() >= fullFrom || signs.isStoreBehind(),
    isOverloaded: () => lateSamples >= lateSamplesMax || busy() >= inFlightMax || signs.isStoreBehind(),
    stop: () => clearInterval(timer),
  };
}

/** The answer to a rejected request, which is counted. */
export function turnAway(metrics: Metrics, cause: "overload" | "stopping"): Refusal {
  metrics.requestShed();
  metrics.requestUnavailable(cause);
  const message = cause === "stopping" ? "The service is stopping." : "The service is overloaded.";
  return refuse("API_UNAVAILABLE", `${message} Try again shortly.`, { retryAfterS: 1 });
}
