import { describe, expect, test } from "vitest";
import { untakenBytesMax } from "../ground/limits.ts";
import type { ClientAddress } from "./client-address.ts";
import { type ClientShare, createClientShares, type LimitedRequest, leaveFlight, rejoinFlight } from "./limits.ts";

const direct: ClientAddress = {
  address: "192.0.2.1",
  client: "192.0.2.1",
  network: null,
  isDirectLoopback: false,
  isTrustedProxy: false,
  isForwarded: false,
};
const forwarded: ClientAddress = { ...direct, isTrustedProxy: true, isForwarded: true };

function exchange(connectionShare: ClientShare | null = null, writableLength = 0): LimitedRequest {
  // Cast: only this of the socket is looked at.
  const socket = { writableLength } as LimitedRequest["socket"];
  return { socket, connectionShare, share: null, isInShare: false, isInFlight: true, isDone: false };
}

describe("one client", () => {
  test("[T42] has no more connections than the limit, and one more when one is closed", () => {
    const shares = createClientShares({ connectionsMax: 2, inFlightMax: 64 });
    const [first, second] = [shares.connect(direct), shares.connect(direct)];
    expect(first).toBe(second);
    expect(shares.connect(direct)).toBeNull();
    expect(shares.connect({ ...direct, client: "192.0.2.2" })).not.toBeNull();
    shares.disconnect(first!);
    expect(shares.connect(direct)).not.toBeNull();
  });

  test("[T45] that has not taken more than 16 MiB of its answers gets no new ones until it does", () => {
    const shares = createClientShares({ connectionsMax: 256, inFlightMax: 64 });
    const share = shares.connect(direct);
    const [first, second] = [exchange(share, untakenBytesMax), exchange(share, 1)];
    expect(shares.admit(first, direct)).toBeNull();
    expect(shares.admit(second, direct)).toBeNull();
    expect(shares.admit(exchange(share), direct)).toMatchObject({ code: "API_RATE_LIMIT", retryAfterS: 1 });
    expect(shares.admit(exchange(), { ...direct, client: "192.0.2.2" })).toBeNull();
    shares.leave(second);
    expect(shares.admit(exchange(share), direct)).toBeNull();
  });

  test("[T43] is counted from its first request to the end of its last", () => {
    const shares = createClientShares({ connectionsMax: 256, inFlightMax: 2 });
    const [first, second, third] = [exchange(), exchange(), exchange()];
    expect(shares.admit(first, forwarded)).toBeNull();
    expect(shares.admit(second, forwarded)).toBeNull();
    expect(shares.admit(third, forwarded)).toMatchObject({ code: "API_RATE_LIMIT" });
    shares.leave(third);
    leaveFlight(first);
    leaveFlight(first);
    expect(first.share?.inFlight).toBe(1);
    rejoinFlight(first);
    rejoinFlight(first);
    expect(first.share?.inFlight).toBe(2);
    shares.leave(first);
    shares.leave(second);
    expect(first.share?.inFlight).toBe(0);
    // A wait that ends after its connection does not count for ever.
    Object.assign(first, { isDone: true });
    rejoinFlight(first);
    expect(first.share?.inFlight).toBe(0);
  });

  test("[T43] programs on this machine and proxies themselves are not counted", () => {
    const shares = createClientShares({ connectionsMax: 1, inFlightMax: 1 });
    for (const address of [
      { ...direct, isDirectLoopback: true },
      { ...direct, isTrustedProxy: true },
    ]) {
      for (let i = 0; i < 3; i++) expect(shares.admit(exchange(), address)).toBeNull();
    }
  });
});

describe("the clients of one IPv6 /48", () => {
  const at = (subnet: number, more: Partial<ClientAddress> = {}): ClientAddress => ({
    ...direct,
    client: `2001:db8:7:${subnet}::/64`,
    network: "2001:db8:7::/48",
    ...more,
  });
  const elsewhere = { ...direct, client: "2001:db8:8:1::/64", network: "2001:db8:8::/48" };

  test("[GP10] together have four times the connections of one", () => {
    const shares = createClientShares({ connectionsMax: 2, inFlightMax: 64 });
    const opened = Array.from({ length: 8 }, (_, index) => shares.connect(at(index % 5)));
    expect(opened).not.toContain(null);
    expect([shares.connect(at(4)), shares.connect(at(99))]).toEqual([null, null]);
    expect(shares.connect(elsewhere)).not.toBeNull();
    shares.disconnect(opened[0]!);
    expect(shares.connect(at(99))).not.toBeNull();
    expect(shares.connect(at(99))).toBeNull();
  });

  test("[GP10] together have four times the requests in flight of one, and behind a proxy of those under way", () => {
    const shares = createClientShares({ connectionsMax: 256, inFlightMax: 1 });
    const under = Array.from({ length: 4 }, () => exchange());
    for (const [index, one] of under.entries()) expect(shares.admit(one, at(index))).toBeNull();
    expect(shares.admit(exchange(), at(99))).toMatchObject({ code: "API_RATE_LIMIT" });
    expect(shares.admit(exchange(), elsewhere)).toBeNull();
    // A request that waits for a lobby does not occupy the service.
    leaveFlight(under[0]!);
    expect(shares.admit(exchange(), at(99))).toBeNull();
    const late = exchange();
    Object.assign(late, { isInFlight: false });
    expect(shares.admit(late, at(98))).toMatchObject({ code: "API_RATE_LIMIT" });

    const proxied = createClientShares({ connectionsMax: 1, inFlightMax: 64 });
    const through = (subnet: number) => at(subnet, { isTrustedProxy: true, isForwarded: true });
    for (let index = 0; index < 4; index++) expect(proxied.admit(exchange(), through(index))).toBeNull();
    expect(proxied.admit(exchange(), through(99))).toMatchObject({ code: "API_RATE_LIMIT" });
  });

  test("[GP10] a body that arrives when the /48 has too many in flight is refused", () => {
    const shares = createClientShares({ connectionsMax: 256, inFlightMax: 1 });
    const waiting = Object.assign(exchange(), { isInFlight: false });
    expect(shares.admit(waiting, at(0))).toBeNull();
    const under = Array.from({ length: 4 }, () => exchange());
    for (const [index, one] of under.entries()) expect(shares.admit(one, at(index + 1))).toBeNull();
    expect(shares.enter(waiting)).toMatchObject({ code: "API_RATE_LIMIT" });
    shares.leave(under[3]!);
    expect(shares.enter(waiting)).toBeNull();
  });

  test("[GP10] together leave at most four times as much of their answers unread", () => {
    const shares = createClientShares({ connectionsMax: 256, inFlightMax: 64 });
    const full = Array.from({ length: 4 }, () => exchange(null, untakenBytesMax));
    for (const [index, one] of full.entries()) expect(shares.admit(one, at(index))).toBeNull();
    const last = exchange(null, 1);
    expect(shares.admit(last, at(5))).toBeNull();
    expect(shares.admit(exchange(), at(99))).toMatchObject({ code: "API_RATE_LIMIT" });
    shares.leave(last);
    expect(shares.admit(exchange(), at(99))).toBeNull();
  });
});
