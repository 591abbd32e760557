/** Tables of what clients send by mistake or on purpose. Each row: a title, the body, and what must be said about it. */

type Path = readonly string[];

/** Texts that are no JSON, or JSON that is refused as a text. `good` is a whole object. */
export function badJson(good: string): [title: string, body: string | Buffer][] {
  const inner = good.slice(1, -1);
  const [first] = Object.keys(JSON.parse(good) as object) as [string];
  const deep = (levels: number) => `{${inner},"x":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
  return [
    ["cut off in the middle", good.slice(0, good.length >> 1)],
    ["cut off at the end", good.slice(0, -1)],
    ["something after the end", `${good}x`],
    ["two values", `${good}${good}`],
    ["a comma too many", `{${inner},}`],
    ["single quotes", good.replaceAll('"', "'")],
    ["a comment", `{${inner}/* */}`],
    ["bare words", "undefined"],
    ["NaN", `{${inner},"x":NaN}`],
    ["a number too large for any", `{${inner},"x":1e999}`],
    ["white space only", "  \n"],
    ["a byte order mark", `\ufeff${good}`],
    ["UTF-16", Buffer.from(good, "utf16le")],
    [
      "a byte that is no UTF-8",
      Buffer.concat([Buffer.from(`{${inner},"x":"`), Buffer.from([0xff]), Buffer.from('"}')]),
    ],
    ["an overlong form", Buffer.concat([Buffer.from(`{${inner},"x":"`), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')])],
    [
      "a surrogate in UTF-8",
      Buffer.concat([Buffer.from(`{${inner},"x":"`), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    ],
    ["half of a surrogate pair", `{${inner},"x":"\\ud800"}`],
    ["the other half", `{${inner},"x":"\\udc00\\ud800"}`],
    ["half of a surrogate pair in a key", `{${inner},"\\udfff":1}`],
    ["NUL as an escape", `{${inner},"x":"a\\u0000b"}`],
    ["NUL as a byte", `{${inner},"x":"a\u0000b"}`],
    ["a raw line break in a string", `{${inner},"x":"a\nb"}`],
    ["__proto__", `{${inner},"__proto__":{"is_closed":true}}`],
    ["__proto__ in disguise", `{${inner},"\\u005f_proto__":{}}`],
    ["__proto__ further down", `{${inner},"x":{"__proto__":1}}`],
    ["the same key twice", `{${inner},"${first}":null}`],
    [
      "the same key twice, once in disguise",
      `{${inner},"\\u${first.charCodeAt(0).toString(16).padStart(4, "0")}${first.slice(1)}":null}`,
    ],
    ["the same unknown key twice, further down", `{${inner},"x":{"a":1,"a":2}}`],
    ["17 levels", deep(17)],
    ["10,000 levels", `${"[".repeat(10_000)}${"]".repeat(10_000)}`],
    ["30,000 levels that do not end", "[".repeat(30_000)],
  ];
}

/** JSON of the wrong shape, and the places that must be named. */
export function badShapes(good: Record<string, unknown>): [title: string, body: unknown, paths: Path[]][] {
  const fields = Object.keys(good);
  const all = fields.map((field) => [field]);
  const wrong: [string, unknown][] = [
    ["null", null],
    ["an object", {}],
    ["a list", [good[fields[0]!]]],
    ...(typeof good[fields[0]!] === "string"
      ? ([] as [string, unknown][])
      : ([
          ["text", "5"],
          ["empty text", ""],
          ["true as text", "true"],
        ] as [string, unknown][])),
    ...(typeof good[fields[0]!] === "number"
      ? ([] as [string, unknown][])
      : ([
          ["a number", 5],
          ["zero", 0],
          ["one", 1],
        ] as [string, unknown][])),
    ...(typeof good[fields[0]!] === "boolean"
      ? ([] as [string, unknown][])
      : ([
          ["true", true],
          ["false", false],
        ] as [string, unknown][])),
  ];
  return [
    ["no field at all", {}, all],
    ["null instead of an object", null, [[]]],
    ["a list instead of an object", [good], [[]]],
    ["text instead of an object", "x", [[]]],
    ["a number instead of an object", 5, [[]]],
    ["an unknown field", { ...good, extra: 1 }, [["extra"]]],
    ["several unknown fields", { ...good, extra: 1, Extra: 2, "": 3 }, [["extra"], ["Extra"], [""]]],
    [
      "a known field in the wrong case",
      camelCased(good),
      [...all, ...Object.keys(camelCased(good)).map((field) => [field])],
    ],
    ["constructor and prototype", { ...good, constructor: 1, prototype: 2 }, [["constructor"], ["prototype"]]],
    ...wrong.map(([title, value]): [string, unknown, Path[]] => [
      `${title} in every field`,
      Object.fromEntries(fields.map((field) => [field, value])),
      all,
    ]),
    ...(fields.length > 1
      ? fields.map((field): [string, unknown, Path[]] => {
          const { [field]: _, ...rest } = good;
          return [`${field} is missing`, rest, [[field]]];
        })
      : []),
  ];
}

function camelCased(good: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(good).map(([field, value]) => [`${field[0]!.toUpperCase()}${field.slice(1)}`, value]),
  );
}

/** As text, because JSON.stringify would change some of them. */
export const badMatchmakerConfigs: [body: string, paths: Path[]][] = [
  ...[
    "4294967296",
    "-1",
    "1.5",
    '"5"',
    "null",
    "true",
    "false",
    "[]",
    "{}",
    "1e10",
    "-0.5",
    "9007199254740993",
    "1e300",
    "5e-324",
  ].flatMap((value): [string, Path[]][] => [
    [`{"lobby_count_max":${value},"max_players":1}`, [["lobby_count_max"]]],
    [`{"lobby_count_max":1,"max_players":${value}}`, [["max_players"]]],
    [`{"lobby_count_max":${value},"max_players":${value}}`, [["lobby_count_max"], ["max_players"]]],
  ]),
  ...["4294967296", "-1", "1.5", '"5"', "true"].map((value): [string, Path[]] => [
    `{"lobby_count_max":1,"max_players":1,"max_players_per_client":${value}}`,
    [["max_players_per_client"]],
  ]),
  [
    '{"lobby_count_max":-1,"max_players":"x","max_players_per_client":0.5,"y":1}',
    [["lobby_count_max"], ["max_players"], ["max_players_per_client"], ["y"]],
  ],
];

export const goodMatchmakerConfigs: [body: string, stored: { lobby_count_max: number; max_players: number }][] = [
  ['{"lobby_count_max":4294967295,"max_players":4294967295}', { lobby_count_max: 4294967295, max_players: 4294967295 }],
  ['{"lobby_count_max":1.0,"max_players":1e3}', { lobby_count_max: 1, max_players: 1000 }],
  ['{"lobby_count_max":-0,"max_players":-0.0}', { lobby_count_max: 0, max_players: 0 }],
  ['{"lobby_count_max":4.294967295e9,"max_players":10E-1}', { lobby_count_max: 4294967295, max_players: 1 }],
  ['{"lobby_count_max":2147483648,"max_players":2147483647}', { lobby_count_max: 2147483648, max_players: 2147483647 }],
];

const good = { display: "Good", name: "good-name" };
const display = (reason: string): Path[] => [["display_name", reason]];
const name = (reason: string): Path[] => [["name_id", reason]];

export const badNames: [title: string, displayName: string, nameId: string, faults: Path[]][] = [
  ["both empty", "", "", [...display("too_short"), ...name("too_short")]],
  ["a space", " ", good.name, display("invalid")],
  ["spaces at the ends", " a ", good.name, display("invalid")],
  ["two spaces", "a  b", good.name, display("invalid")],
  ["a tab", "a\tb", good.name, display("invalid")],
  ["a line break", "a\nb", good.name, display("invalid")],
  ["a control character of the second set", "a\u0085b", good.name, display("invalid")],
  ["a no-break space", "a\u00a0b", good.name, display("invalid")],
  ["an ideographic space", "a\u3000b", good.name, display("invalid")],
  ["text turned around", "a\u202eb", good.name, display("invalid")],
  ["an isolate", "a\u2066b", good.name, display("invalid")],
  ["a private-use character", "a\uf8ffb", good.name, display("invalid")],
  ["a private-use character of a high plane", "a\u{f0000}b", good.name, display("invalid")],
  ["a zero-width space", "a\u200bb", good.name, display("invalid")],
  ["a byte order mark inside", "a\ufeffb", good.name, display("invalid")],
  ["a soft hyphen", "a\u00adb", good.name, display("invalid")],
  ["a non-character", "a\uffffb", good.name, display("invalid")],
  ["joiners only", "\u200d\u200d", good.name, display("invalid")],
  ["129 bytes", "x".repeat(129), good.name, display("too_long")],
  ["43 characters of 3 bytes", "\u20ac".repeat(43), good.name, display("too_long")],
  ["60,000 bytes", "x".repeat(60_000), good.name, display("too_long")],
  ["33 characters", good.display, "a".repeat(33), name("too_long")],
  ["10,000 characters", good.display, "a".repeat(10_000), name("too_long")],
  ["capitals", good.display, "Prod", name("invalid")],
  ["a space in the name_id", good.display, "a b", name("invalid")],
  ["an underscore", good.display, "a_b", name("invalid")],
  ["a dot", good.display, "a.b", name("invalid")],
  ["a slash", good.display, "a/b", name("invalid")],
  ["a hyphen first", good.display, "-a", name("invalid")],
  ["a hyphen last", good.display, "a-", name("invalid")],
  ["a hyphen alone", good.display, "-", name("invalid")],
  ["two hyphens", good.display, "a--b", name("invalid")],
  ["a line break at the end", good.display, "prod\n", name("invalid")],
  ["a Cyrillic look-alike", good.display, "pr\u043ed", name("invalid")],
  ["full-width letters", good.display, "\uff50rod", name("invalid")],
  ["an emoji", good.display, "\u{1f3ae}", name("invalid")],
  ["a percent escape", good.display, "%61", name("invalid")],
  ["a word of the API", good.display, "validate", name("reserved")],
  ["another word of the API", good.display, "new", name("reserved")],
];

export const oddDomains: string[] = [
  "",
  " ",
  "example",
  "localhost",
  "https://example.com",
  "http://example.com/",
  "//example.com",
  "example.com/",
  "example.com/path",
  "example.com:443",
  "example.com:",
  "user@example.com",
  "example.com?q=1",
  "example.com#f",
  "*.example.com",
  "exa_mple.com",
  "a..com",
  ".example.com",
  "example.com.",
  "-a.com",
  "a-.com",
  "a.-com",
  "1.2.3.4",
  "0x7f.1",
  "127.1",
  "2130706433",
  "[::1]",
  "::1",
  "example.123",
  "example.0x1",
  " example.com",
  "example.com ",
  "exam ple.com",
  "example.com\n",
  "exa\tmple.com",
  "example\u3002com ",
  "exa%6Dple.com",
  "example.com\\evil.com",
  "xn--.com",
  "xn--a.com",
  "xn--zzzzzzzzzzz.com",
  `${"a".repeat(64)}.com`,
  `${"a.".repeat(126)}com`,
  `${"a".repeat(60_000)}.com`,
  "\u{1f600}",
  "example.com,example.org",
  "null",
  "<script>.com",
];
