import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { openDb } from "../../src/store/open-db.ts";
import { checkDocument } from "../../src/store/transfer/import.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { exported, fill, sourceOf } from "./transfer-fixtures.ts";

let lines: readonly string[] = [];

beforeAll(async () => {
  const place = { databaseUrl: null, dataDir: temporaryFolder() };
  const db = await openDb(place);
  await fill(db);
  await db.close();
  lines = (await exported(place)).trimEnd().split("\n");
});

const text = (of: readonly string[]) => of.map((line) => `${line}\n`).join("");
const fault = async (document: string | Buffer) =>
  checkDocument(sourceOf(document)).then(
    () => "no fault",
    (error: Error) => `${error.name}: ${error.message}`,
  );

/** The document with other rows, and the last line that belongs to them: only the rows themselves can be wrong. */
function sealed(rows: readonly string[]): string {
  const counts: Record<string, number> = JSON.parse(lines.at(-1)!).end.rows;
  for (const word of Object.keys(counts)) counts[word] = rows.filter((row) => row.startsWith(`{"${word}"`)).length;
  const body = text(rows);
  return (
    body + text([JSON.stringify({ end: { rows: counts, sha256: createHash("sha256").update(body).digest("hex") } })])
  );
}

const indexOf = (word: string) => lines.findIndex((line) => line.startsWith(`{"${word}"`));
const body = () => lines.slice(0, -1);

/** The document with the first row of that kind changed; gives its line, too. */
function changed(word: string, change: (row: Record<string, unknown>) => void) {
  const index = indexOf(word);
  const row = JSON.parse(lines[index]!);
  change(row[word]);
  return { document: sealed(body().with(index, JSON.stringify(row))), line: index + 1 };
}

test("[MD5] the document as it was exported has no issue", async () => {
  expect(await fault(text(lines))).toBe("no fault");
  expect(await fault(sealed(body()))).toBe("no fault");
});

describe("a document that is damaged or foreign", () => {
  test("[MD5] is refused when it breaks off, wherever that is", async () => {
    const whole = text(lines);
    expect(await fault("")).toBe("DocumentError: The document is empty.");
    for (let count = 1; count < lines.length; count++) {
      expect(await fault(text(lines.slice(0, count)))).toBe(
        `DocumentError: The document is cut off after line ${count}: its last line is missing.`,
      );
    }
    for (let bytes = 1; bytes < Buffer.byteLength(whole) - 1; bytes += 97) {
      expect(await fault(Buffer.from(whole).subarray(0, bytes))).toMatch(/^DocumentError: /);
    }
  });

  test("[MD5] is refused when any one bit has changed", async () => {
    const whole = Buffer.from(text(lines));
    for (let position = 0; position < whole.length; position += 13) {
      const damaged = Buffer.from(whole);
      damaged[position]! ^= 1 << (position % 8);
      expect(await fault(damaged), `byte ${position}`).toMatch(/^DocumentError: .*[Ll]ine \d+/);
    }
  });

  test("[MD5] is refused when a line is missing, doubled, added or out of order, and the line is named", async () => {
    const index = indexOf("token");
    expect(await fault(text(lines.toSpliced(index, 1)))).toContain(
      'counts 4 rows named "token", but the document has 3',
    );
    expect(await fault(sealed(body().toSpliced(index, 0, lines[index]!)))).toBe(
      `DocumentError: Line ${index + 2}: the token has the same token_id as an earlier one.`,
    );
    const [game, ...rest] = body().slice(1);
    expect(await fault(sealed([lines[0]!, ...rest, game!]))).toMatch(
      /Line \d+: the version refers by game_id to a game/,
    );
    const late = [...body().toSpliced(index, 1), lines[index]!];
    expect(await fault(sealed(late))).toBe(`DocumentError: Line ${late.length}: the token comes after a past_lobby.`);
    expect(await fault(text([...lines, lines[1]!]))).toBe(
      `DocumentError: Line ${lines.length + 1} comes after the end of the document in line ${lines.length}.`,
    );
    expect(await fault(sealed([...body(), '{"surprise":{}}']))).toBe(
      `DocumentError: Line ${lines.length} is not a line of an export of Foyer.`,
    );
  });

  test.each([
    ["a dump of a database", "-- PostgreSQL database dump\n", "Line 1 is not valid JSON"],
    ["a configuration", '{ "port": 7100 }\n', "Line 1 is not the first line of an export of Foyer."],
    ["a list", "[1, 2]\n", "Line 1 is not a JSON object"],
    ["bytes", Buffer.alloc(5_000_000, 0xff), "Line 1 is longer than 4194304 bytes"],
    ["a later format", '{"foyer_export":2}\n', "Line 1 has format 2, and this Foyer reads 1"],
    ["an odd format", '{"foyer_export":"1"}\n', "Line 1 is not the first line of an export of Foyer."],
  ])("[MD5] %s is refused", async (_name, document, sentence) => {
    expect(await fault(document)).toContain(sentence);
  });
});

describe("a row that no store could have written, in a document with a right checksum", () => {
  const cases: [word: string, what: string, change: (row: Record<string, unknown>) => void, sentence: string][] = [
    [
      "game",
      "an odd id",
      (row) => Object.assign(row, { game_id: "1" }),
      "game has an invalid game_id: it must be a UUID",
    ],
    ["game", "a name in capitals", (row) => Object.assign(row, { name_id: "Big" }), "game has an invalid name_id"],
    ["game", "no name", (row) => delete row.display_name, "game has no display_name"],
    ["game", "a NUL", (row) => Object.assign(row, { display_name: "a\0" }), "game has an invalid display_name"],
    [
      "game",
      "half a character",
      (row) => Object.assign(row, { display_name: "\ud800" }),
      "game has an invalid display_name",
    ],
    ["game", "a column too many", (row) => Object.assign(row, { colour: 1 }), 'game has an unknown column "colour"'],
    [
      "version",
      "no JSON",
      (row) => Object.assign(row, { config: "{" }),
      "version has an invalid config: it must be text",
    ],
    ["namespace", "too large a limit", (row) => Object.assign(row, { max_players: 2 ** 32 }), "invalid max_players"],
    ["namespace", "a fraction", (row) => Object.assign(row, { lobby_count_max: 1.5 }), "invalid lobby_count_max"],
    ["namespace", "text for a number", (row) => Object.assign(row, { revision: "1" }), "invalid revision"],
    ["namespace", "a boolean", (row) => Object.assign(row, { allow_localhost: true }), "invalid allow_localhost"],
    ["domain", "a protocol", (row) => Object.assign(row, { domain: "https://a.example" }), "invalid domain"],
    ["token", "a token for a hash", (row) => Object.assign(row, { hash: `pub_${"x".repeat(43)}` }), "invalid hash"],
    ["token", "an admin", (row) => Object.assign(row, { kind: "admin" }), "invalid kind: it must be one of cloud"],
    ["token", "another kind", (row) => Object.assign(row, { kind: "pub" }), "a pub token has a namespace"],
    [
      "namespace",
      "a version without a game",
      (row) => Object.assign(row, { version_id: row.namespace_id }),
      "refers by game_id and version_id to a version that the document does not have",
    ],
  ];
  test.each(cases)("[MD5] %s with %s", async (word, _what, change, sentence) => {
    const { document, line } = changed(word, change);
    const message = await fault(document);
    expect(message).toMatch(new RegExp(`^DocumentError: Line ${line}: the ${word} `));
    expect(message).toContain(sentence);
  });
});
