import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** A kind of value: how it is written, what is allowed, how it is read and shown. */
export interface Kind<T> {
  /** Stands for the value in help texts. */
  readonly placeholder: string;
  /** Completes the sentence "must be …". */
  readonly allowed: string;
  /** undefined: the text is not such a value. */
  parse(given: string): T | undefined;
  show(value: T): string;
}

export const toggle: Kind<boolean> = {
  placeholder: "",
  allowed: "true or false",
  parse: (given) =>
    ({ true: true, yes: true, on: true, "1": true, false: false, no: false, off: false, "0": false })[
      given.toLowerCase()
    ],
  show: String,
};

export function whole(placeholder: string, min: number, max: number): Kind<number> {
  return {
    placeholder,
    allowed: `a whole number from ${min} to ${max}`,
    parse(given) {
      const value = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
    show: String,
  };
}

export const port: Kind<number> = whole("PORT", 0, 65_535);

export const portRange: Kind<string> = {
  placeholder: "FROM-TO",
  allowed: "a range of ports such as 27000-27999",
  parse(given) {
    const [min = 0, max = 0, ...rest] = /^\d{1,5}-\d{1,5}$/.test(given) ? given.split("-").map(Number) : [];
    return min >= 1 && max >= min && max <= 65_535 && rest.length === 0 ? given : undefined;
  },
  show: String,
};

export function text(
  placeholder: string,
  min: number,
  max: number,
  pattern = /^[^\0]*$/,
  what = "characters",
): Kind<string> {
  return {
    placeholder,
    allowed: min > 1 ? `at least ${min} ${what}, at most ${max}` : `1 to ${max} ${what}`,
    parse: (given) => (given.length >= min && given.length <= max && pattern.test(given) ? given : undefined),
    show: String,
  };
}

export function choice<const T extends string>(...values: T[]): Kind<T> {
  return {
    placeholder: values.join("|"),
    allowed: `one of ${values.join(", ")}`,
    parse: (given) => values.find((value) => value === given.toLowerCase()),
    show: String,
  };
}

/** Comma-separated; in the file also an array of strings, which arrives here joined. */
export function list(item: Kind<string>): Kind<readonly string[]> {
  return {
    placeholder: `${item.placeholder},…`,
    allowed: `a comma-separated list, each ${item.allowed}`,
    parse(given) {
      const items = given.split(",").map((part) => item.parse(part.trim()));
      return items.includes(undefined) ? undefined : Object.freeze(items.filter((value) => value !== undefined));
    },
    show: (values) => values.join(", "),
  };
}

export const networkRange: Kind<string> = {
  placeholder: "CIDR",
  allowed: "an IP address or a CIDR range such as 10.0.0.0/8",
  parse(given) {
    const [ip = "", bits, ...rest] = given.split("/");
    // ipaddr.js also accepts 0x7f.1 and 127.1; net.isIP accepts only the usual form.
    if (isIP(ip) === 0 || rest.length > 0) return undefined;
    return bits === undefined || ipaddr.isValidCIDR(given) ? given.toLowerCase() : undefined;
  },
  show: String,
};

export const address: Kind<string> = {
  placeholder: "ADDRESS",
  allowed: "an IP address or a host name, without a port",
  parse(given) {
    const bare = /^\[.+\]$/.test(given) ? given.slice(1, -1) : given;
    const isName = bare.length <= 253 && /^(?!-)[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})*$/.test(bare);
    // A name of digits and dots alone is a mistyped address.
    return isIP(bare) !== 0 || (isName && !/^[\d.]+$/.test(bare)) ? bare : undefined;
  },
  show: String,
};

export const ipAddress: Kind<string> = {
  placeholder: "IP",
  allowed: "an IP address, such as 0.0.0.0 or 127.0.0.1",
  parse(given) {
    const bare = /^\[.+\]$/.test(given) ? given.slice(1, -1) : given;
    return isIP(bare) === 0 ? undefined : bare.toLowerCase();
  },
  show: String,
};

export const origin: Kind<string> = {
  placeholder: "URL",
  allowed: "an http:// or https:// address without path, query, user or password, such as https://play.example.com",
  parse(given) {
    const url = parseUrl(given);
    if (!url || !/^https?:\/\//i.test(given) || /[?#@\s]/.test(given)) return undefined;
    return url.pathname === "/" ? url.origin : undefined;
  },
  show: String,
};

export const postgresUrl: Kind<string> = {
  placeholder: "URL",
  allowed: "a postgres:// or postgresql:// address, with special characters of the password percent-encoded",
  parse: (given) => (/^postgres(ql)?:\/\/\S+$/.test(given) && parseUrl(given) ? given : undefined),
  show: String,
};

/** Several servers are separated by commas, which URL does not accept in a host; the connection parses them. */
export const redisUrl: Kind<string> = {
  placeholder: "URL",
  allowed:
    "a redis:// or rediss:// address, redis+sentinel://HOST:PORT,…/NAME or redis+cluster://HOST:PORT,…, " +
    "with special characters of the password percent-encoded",
  parse: (given) => (/^(redis|rediss)(\+(sentinel|cluster))?:\/\/[^\s/]+(\/\S*)?$/.test(given) ? given : undefined),
  show: String,
};

function parseUrl(given: string): URL | null {
  return URL.canParse(given) ? new URL(given) : null;
}
