import { describe, expect, test } from "vitest";
import { untakenBytesMax } from "../ground/limits.ts";
import type { ClientAddress } from "./client-address.ts";
import { createClientShares, leaveFlight, rejoinFlight } from "./client-shares.ts";
import type { ClientShare, Exchange } from "./exchange.ts";

const direct: ClientAddress = {
  client: "192.0.2.1",
  network: null,
  isDirectLoopback: false,
  isTrustedProxy: false,
  isForwarded: false,
};
const forwarded: ClientAddress = { ...direct, isTrustedProxy: true, isForwarded: true };

/** Of the request and its connection only what is looked at here. */
function exchange(share: ClientShare | null = null, writableLength = 0): Exchange {
  const seen = { connection: { share, socket: { writableLength } }, share: null, isInShare: false, isInFlight: true };
  return { ...seen, isDone: false } as unknown as Exchange;
}

describe("one client", () => {
  test("[T42] has no more connections than the limit, and one more when one is closed", () => {
    const shares = createClientShares({ connectionsMax: 2, inFlightMax: 64 });
    const [first, second] = [shares.connect("192.0.2.1"), shares.connect("192.0.2.1")];
    expect(first).toBe(second);
    expect(shares.connect("192.0.2.1")).toBeNull();
    expect(shares.connect("192.0.2.2")).not.toBeNull();
    shares.disconnect(first!);
    expect(shares.connect("192.0.2.1")).not.toBeNull();
  });

  test("[T45] that has not taken more than 16 MiB of its answers gets no new ones until it does", () => {
    const shares = createClientShares({ connectionsMax: 256, inFlightMax: 64 });
    const share = shares.connect("192.0.2.1");
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
