import { describe, expect, test } from "vitest";
import { readClients } from "../operations/auth/client-blocks.ts";
import { createClientAddress } from "./client-address.ts";

const direct = createClientAddress([]);
const proxied = createClientAddress(["10.0.0.0/8", "2001:db8:ffff::/48", "127.0.0.1"]);
const via = (socketAddress: string, forwardedFor: string | string[]) =>
  proxied(socketAddress, { "x-forwarded-for": forwardedFor }).client;

describe("without trusted proxies", () => {
  test.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["::ffff:c000:207", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::1", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8::/64"],
    ["fe80::1%eth0", "fe80::/64"],
    ["::1", "::/64"],
    ["", "unknown"],
    ["not an address", "unknown"],
    ["0x7f.1", "unknown"],
  ])("%s is the client %s", (socketAddress, client) => {
    expect(direct(socketAddress, {}).client).toBe(client);
  });

  test.each([
    ["192.0.2.7", null],
    ["::ffff:192.0.2.7", null],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"],
    ["::1", "::/48"],
    ["not an address", null],
  ])("[RA3] %s is in the network %s", (socketAddress, network) => {
    expect(direct(socketAddress, {}).network).toBe(network);
  });

  test("forwarding headers are not believed", () => {
    expect(direct("192.0.2.7", { "x-forwarded-for": "198.51.100.1", "x-real-ip": "198.51.100.1" })).toEqual({
      client: "192.0.2.7",
      address: "192.0.2.7",
      network: null,
      isDirectLoopback: false,
      isTrustedProxy: false,
      isForwarded: false,
    });
  });
});

describe("behind trusted proxies", () => {
  test.each<[trusted: string, address: string, isTrusted: boolean]>([
    ["10.0.0.0/8", "9.255.255.255", false],
    ["10.0.0.0/8", "10.0.0.0", true],
    ["10.0.0.0/8", "10.255.255.255", true],
    ["10.0.0.0/8", "::ffff:10.255.255.255", true],
    ["10.0.0.0/8", "11.0.0.0", false],
    ["10.1.2.3/8", "10.200.0.1", true],
    ["192.0.2.4/30", "192.0.2.3", false],
    ["192.0.2.4/30", "192.0.2.7", true],
    ["192.0.2.4/30", "192.0.2.8", false],
    ["255.255.255.255", "255.255.255.255", true],
    ["255.255.255.255", "255.255.255.254", false],
    ["0.0.0.0/0", "203.0.113.1", true],
    ["::ffff:10.0.0.0/104", "10.9.9.9", true],
    ["::/0", "10.9.9.9", false],
    ["2001:db8::/32", "2001:db9::1", false],
  ])("[T37] with %s, is %s one of them: %s", (trusted, address, isTrusted) => {
    expect(createClientAddress([trusted])(address, {}).isTrustedProxy).toBe(isTrusted);
  });

  test.each<[string, string, string | string[], string]>([
    ["the hop that the proxy saw", "10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["trusted hops are skipped", "10.0.0.1", "198.51.100.1, 10.1.1.1, 10.2.2.2", "198.51.100.1"],
    ["what a client wrote itself is not", "10.0.0.1", "203.0.113.9, 198.51.100.1", "198.51.100.1"],
    ["all trusted: the outermost", "10.0.0.1", "10.3.3.3,10.2.2.2", "10.3.3.3"],
    ["garbage ends the walk", "10.0.0.1", "198.51.100.1, nonsense, 10.2.2.2", "10.2.2.2"],
    ["garbage at once", "10.0.0.1", "unknown", "10.0.0.1"],
    ["empty", "10.0.0.1", "", "10.0.0.1"],
    ["an empty entry", "10.0.0.1", "198.51.100.1,", "10.0.0.1"],
    ["a leading comma", "10.0.0.1", ",10.2.2.2", "10.2.2.2"],
    ["several headers", "10.0.0.1", ["203.0.113.9", "198.51.100.1, 10.2.2.2"], "198.51.100.1"],
    ["with a port", "10.0.0.1", "198.51.100.1:4711", "198.51.100.1"],
    ["IPv6 with a port", "10.0.0.1", "[2001:db8:1:2::5]:4711", "2001:db8:1:2::/64"],
    ["IPv6 in brackets", "10.0.0.1", "[2001:db8:1:2::5]", "2001:db8:1:2::/64"],
    ["mapped entries", "10.0.0.1", "::ffff:198.51.100.1, ::ffff:10.1.1.1", "198.51.100.1"],
    ["a mapped peer", "::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["an IPv6 proxy", "2001:db8:ffff::1", "198.51.100.1", "198.51.100.1"],
    ["an untrusted peer", "192.0.2.7", "198.51.100.1", "192.0.2.7"],
    ["an odd spelling of an address", "10.0.0.1", "0x7f.1", "10.0.0.1"],
    ["numbers alone", "10.0.0.1", "2130706433", "10.0.0.1"],
  ])("%s", (_, socketAddress, forwardedFor, client) => {
    expect(via(socketAddress, forwardedFor)).toBe(client);
  });

  test("only the peer of the socket makes a trusted proxy", () => {
    expect(proxied("10.9.9.9", {}).isTrustedProxy).toBe(true);
    expect(proxied("192.0.2.7", { "x-forwarded-for": "10.0.0.1" }).isTrustedProxy).toBe(false);
  });

  test("the answers stay right when more addresses come than are remembered", () => {
    for (let index = 0; index < 20_000; index++) {
      const address = `198.51.${index >> 8}.${index & 255}`;
      expect(via("10.0.0.1", address)).toBe(address);
    }
  });

  test("a mapped network is the IPv4 network", () => {
    const mapped = createClientAddress(["::ffff:10.0.0.0/104"]);
    expect(mapped("10.1.2.3", {}).isTrustedProxy).toBe(true);
    expect(mapped("11.1.2.3", {}).isTrustedProxy).toBe(false);
  });
});

describe("direct loopback", () => {
  test.each(["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"])("%s", (socketAddress) => {
    expect(direct(socketAddress, { host: "localhost" }).isDirectLoopback).toBe(true);
  });

  test.each(["x-forwarded-for", "forwarded", "x-real-ip", "via", "cf-connecting-ip", "true-client-ip", "x-client-ip"])(
    "not with %s, trusted or not, empty or not",
    (header) => {
      expect(direct("127.0.0.1", { [header]: "127.0.0.1" }).isDirectLoopback).toBe(false);
      expect(direct("::1", { [header]: "" }).isDirectLoopback).toBe(false);
      expect(proxied("127.0.0.1", { [header]: "127.0.0.1" }).isDirectLoopback).toBe(false);
    },
  );

  test("other machines are not loopback", () => {
    expect(direct("10.0.0.1", {}).isDirectLoopback).toBe(false);
  });
});

test.each([
  "",
  "proxy.local",
  "10.0.0.0/33",
  "10.0.0.0/",
  "10.0.0.0/8/8",
  "fd00::/129",
  "10.0.0.0/-1",
  "10.1/8",
  "::ffff:0:0/90",
])("the trusted proxy %j stops the start", (text) => {
  expect(() => createClientAddress([text])).toThrow(/trusted proxy/);
});

test.each(["64:ff9b::192.0.2.33", "2002:c000:221::1", "2001:0:4136:e378:8000:63bf:3fff:fdde"])(
  "[T38] the IPv4 address in %s of NAT64, 6to4 or Teredo is the client",
  (address) => {
    expect(createClientAddress(["192.0.2.33"])(address, {})).toMatchObject({
      ...{ client: "192.0.2.33", network: null, isTrustedProxy: false },
    });
    expect(readClients(address)).toMatchObject({ client: "192.0.2.33" });
  },
);

test.each(["64:ff9b::127.0.0.1", "2002:7f00:1::"])("[T38] %s is not loopback", (address) => {
  expect(createClientAddress([])(address, {})).toMatchObject({ client: "127.0.0.1", isDirectLoopback: false });
});
