import { BlockList } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isWithin } from "../../matchmaker/client-ranges.ts";
import { blockTable, readClients } from "./client-blocks.ts";

describe("naming clients", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["192.0.2.1/32", "192.0.2.1"],
    ["192.0.2.77/24", "192.0.2.0/24"],
    ["10.99.3.4/16", "10.99.0.0/16"],
    ["192.0.2.131/25", "192.0.2.128/25"],
    ["255.255.255.255/31", "255.255.255.254/31"],
    ["127.0.0.1", "127.0.0.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1/120", "192.0.2.0/24"],
    ["2001:DB8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::/64", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::/48", "2001:db8:1::/48"],
    ["2001:db8:ffff::/33", "2001:db8:8000::/33"],
    ["2001:db8::/32", "2001:db8::/32"],
    ["::1", "::/64"],
  ])("[BL1] %s is %s", (text, client) => {
    const named = readClients(text);
    expect(named).toMatchObject({ client });
    expect(readClients(client)).toEqual(named);
  });

  test.each([
    ...["", "client", "192.0.2", "192.0.2.1/", "192.0.2.1/x", "192.0.2.1/24/8", " 192.0.2.1", "192.0.2.1 "],
    ...["0x7f.1", "192.0.2.1:80", "[::1]", "fe80::1%eth0", "192.0.2.0/-1", "192.0.2.0/+8", "300.1.1.1", "::1::"],
  ])("[BL1] %s names no client", (text) => {
    expect(readClients(text)).toBe("invalid");
  });

  test.each(["10.0.0.0/15", "0.0.0.0/0", "192.0.2.1/33", "2001:db8::/31", "2001:db8::/65", "2001:db8::1/128", "::/0"])(
    "[BL1] %s is too large or too small a range",
    (text) => {
      expect(readClients(text)).toBe("out_of_range");
    },
  );
});

describe("the table of blocks", () => {
  const block = (client: string, untilTs: number | null = null) => ({ client, createTs: 0, untilTs, note: null });

  test("[BL3] without blocks there is nothing to ask", () => {
    expect(blockTable([])).toBe(null);
  });

  test("[BL4] a block ends by itself, at its time", () => {
    const isBlocked = blockTable([block("192.0.2.1", 1000), block("192.0.2.0/24", 500)])!;
    expect([499, 500, 999, 1000].map((now) => isBlocked("192.0.2.1", now))).toEqual([true, true, true, false]);
    expect([499, 500].map((now) => isBlocked("192.0.2.2", now))).toEqual([true, false]);
  });

  test("[BL3] it agrees with the platform's own list of blocks, for any ranges and clients", () => {
    const octets = fc.tuple(fc.constantFrom(10, 192), fc.constantFrom(0, 1), fc.nat(3), fc.nat(255));
    const v4 = octets.map((parts) => parts.join("."));
    // 2001:0:: and 2002:: are not among them: such a client counts as its IPv4 address.
    const groups = fc.tuple(fc.constantFrom("2001", "2003"), fc.constantFrom("db8", "1"), fc.nat(3), fc.nat(0xffff));
    const v6 = groups.map(([a, b, c, d]) => `${a}:${b}:${c.toString(16)}:${d.toString(16)}::`);
    const ranges = fc.array(
      fc.oneof(fc.tuple(v4, fc.integer({ min: 16, max: 32 })), fc.tuple(v6, fc.integer({ min: 32, max: 64 }))),
      { minLength: 1, maxLength: 12 },
    );
    fc.assert(
      fc.property(ranges, fc.array(fc.oneof(v4, v6), { maxLength: 20 }), (networks, addresses) => {
        const platform = new BlockList();
        const named = networks.map(([address, prefix]) => {
          platform.addSubnet(address, prefix, address.includes(":") ? "ipv6" : "ipv4");
          const clients = readClients(`${address}/${prefix}`);
          if (typeof clients === "string") throw new Error(clients);
          return clients;
        });
        const isBlocked = blockTable(named.map(({ client }) => block(client)))!;
        for (const address of [...addresses, ...networks.map(([own]) => own)]) {
          const wanted = platform.check(address, address.includes(":") ? "ipv6" : "ipv4");
          const clientId = readClients(address);
          if (typeof clientId === "string") throw new Error(clientId);
          expect([address, isBlocked(clientId.client, 0)]).toEqual([address, wanted]);
          expect(named.some(({ range }) => isWithin(clientId.client, range))).toBe(wanted);
        }
      }),
      { numRuns: 300, seed: 20 },
    );
  });
});
