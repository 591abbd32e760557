import { expect, test } from "vitest";
import { BadRedisAddress, parseRedisAddress, showRedisAddress } from "../../src/redis/address.ts";

const nothing = { username: null, password: null, isTls: false, primaryName: null, sentinelPassword: null };

test.each([
  ["redis://localhost", { kind: "single", hosts: [{ host: "localhost", port: 6379 }] }],
  ["redis://10.0.0.7:6380/", { kind: "single", hosts: [{ host: "10.0.0.7", port: 6380 }] }],
  ["redis://10.0.0.7/0", { kind: "single", hosts: [{ host: "10.0.0.7", port: 6379 }] }],
  ["rediss://[::1]:6380", { kind: "single", hosts: [{ host: "::1", port: 6380 }], isTls: true }],
  ["redis://:p%40ss%2Fword@host", { kind: "single", hosts: [{ host: "host", port: 6379 }], password: "p@ss/word" }],
  [
    "redis://foyer:a:b@host",
    { kind: "single", hosts: [{ host: "host", port: 6379 }], username: "foyer", password: "a:b" },
  ],
  [
    "redis+cluster://:pw@one:7000,two",
    {
      kind: "cluster",
      hosts: [
        { host: "one", port: 7000 },
        { host: "two", port: 6379 },
      ],
      password: "pw",
    },
  ],
  [
    "rediss+sentinel://:pw@one,two:26380/my-primary?password=other",
    {
      kind: "sentinel",
      hosts: [
        { host: "one", port: 26379 },
        { host: "two", port: 26380 },
      ],
      password: "pw",
      isTls: true,
      primaryName: "my-primary",
      sentinelPassword: "other",
    },
  ],
])("[RF11] %s", (text, expected) => {
  expect(parseRedisAddress(text)).toEqual({ ...nothing, ...expected });
});

test.each([
  ["http://localhost", "must look like"],
  ["redis://", "must look like"],
  ["redis://one,two", "takes one host"],
  ["redis://host/3", "database 0"],
  ["redis+cluster://host/1", "database 0"],
  ["redis+sentinel://host:26379", "needs the name"],
  ["redis://secret@host", "follows a colon"],
  ["redis://:sec%ret@host", "percent-encoded"],
  ["redis://host:99999", "not a host with a port"],
  ["redis://host:abc", "not a host with a port"],
  ["redis://host?db=2", '"db" after the question mark'],
])("[RF11] %s is refused in words", (text, words) => {
  expect(() => parseRedisAddress(text)).toThrow(BadRedisAddress);
  expect(() => parseRedisAddress(text)).toThrow(words);
  expect(() => parseRedisAddress(text)).not.toThrow(/sec%?ret/);
});

test("[RF11] an address is shown without its password", () => {
  const shown = ["redis://:hidden@host", "redis+sentinel://:hidden@a,b:2/name?password=hidden"].map((text) =>
    showRedisAddress(parseRedisAddress(text)),
  );
  expect(shown).toEqual(["host:6379", "name of the Sentinels a:26379, b:2"]);
});
