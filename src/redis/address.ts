/** The address of Redis from the settings. */
export interface RedisAddress {
  /** A single server may turn out to be part of a Cluster. */
  readonly kind: "single" | "sentinel" | "cluster";
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly username: string | null;
  readonly password: string | null;
  readonly isTls: boolean;
  /** Sentinel only: the name under which the Sentinels know the primary. */
  readonly primaryName: string | null;
  /** Sentinel only: the password of the Sentinels themselves. */
  readonly sentinelPassword: string | null;
}

/** The address cannot be used. The message says why, and shows no password. */
export class BadRedisAddress extends Error {
  override readonly name = "BadRedisAddress";
}

const forms =
  "redis://host:6379, redis+sentinel://host:26379,host:26379/primary-name or redis+cluster://host:6379,host:6379 " +
  "(rediss for TLS; a password as redis://:password@host)";

/**
 * Parses an address. Standard URLs have only one host, so this code splits the address itself: scheme, user and
 * password, hosts, the name of the primary, the Sentinels' own password.
 */
export function parseRedisAddress(text: string): RedisAddress {
  const parts = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/]*)@)?([^@/?]+)(?:\/([^?]*))?(?:\?(.*))?$/i.exec(text);
  if (parts === null) throw new BadRedisAddress(`The address of Redis must look like ${forms}.`);
  const [, scheme = "", form = "single", login = "", hostList = "", path = "", query = ""] = parts;
  // The cast is safe: the pattern allows nothing else.
  const kind = form.toLowerCase() as RedisAddress["kind"];
  const hosts = hostList.split(",").map((host) => parseHost(host, kind === "sentinel" ? 26379 : 6379));
  if (kind === "single" && hosts.length > 1)
    throw new BadRedisAddress("redis:// takes one host; for several write redis+cluster:// or redis+sentinel://.");
  if (kind === "sentinel" && path === "")
    throw new BadRedisAddress(
      "redis+sentinel:// needs the name under which the Sentinels know the primary, as in redis+sentinel://host:26379/foyer.",
    );
  if (kind !== "sentinel" && !/^0?$/.test(path))
    throw new BadRedisAddress("Foyer uses database 0 of Redis; leave the number out of the address.");
  const colon = login.indexOf(":");
  const username = decode(colon < 0 ? login : login.slice(0, colon));
  const password = colon < 0 ? null : decode(login.slice(colon + 1));
  if (username !== "" && password === null)
    throw new BadRedisAddress("A password follows a colon: redis://:password@host or redis://user:password@host.");
  return {
    kind,
    hosts,
    username: username === "" ? null : username,
    password: password === "" ? null : password,
    isTls: scheme.toLowerCase() === "rediss",
    primaryName: kind === "sentinel" ? decode(path) : null,
    sentinelPassword: readSentinelPassword(query, kind),
  };
}

/** For messages: only hosts and ports. */
export function showRedisAddress({ kind, hosts, primaryName }: RedisAddress): string {
  const list = hosts.map(({ host, port }) => `${host}:${port}`).join(", ");
  return kind === "sentinel" ? `${primaryName} of the Sentinels ${list}` : list;
}

function parseHost(text: string, usualPort: number): { host: string; port: number } {
  const parts = /^(\[[0-9a-f:.]+\]|[^\s:[\]]+)(?::(\d{1,5}))?$/i.exec(text);
  const port = Number(parts?.[2] ?? usualPort);
  if (parts === null || port < 1 || port > 65_535)
    throw new BadRedisAddress(`"${text}" in the address of Redis is not a host with a port, such as 10.0.0.7:6379.`);
  return { host: parts[1]!.replace(/^\[|\]$/g, ""), port };
}

function readSentinelPassword(query: string, kind: RedisAddress["kind"]): string | null {
  const parameters = new URLSearchParams(query);
  const unknown = [...parameters.keys()].find((name) => name !== "password" || kind !== "sentinel");
  if (unknown !== undefined)
    throw new BadRedisAddress(`Unknown parameter "${unknown}" after the question mark of the address of Redis.`);
  return parameters.get("password");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new BadRedisAddress("In the address of Redis, % must start a percent-encoded character; write %25 for a %.");
  }
}
