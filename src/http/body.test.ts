import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bodyValuesMax, createBodyValuesMax } from "../ground/limits.ts";
import { parseJson } from "./body.ts";

const parse = (text: string, valuesMax = bodyValuesMax) => parseJson(Buffer.from(text), valuesMax);
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

describe("accepted", () => {
  test.each([
    ["{}", {}],
    ["null", null],
    [" [1, 2.5, -3e2, true] \n", [1, 2.5, -300, true]],
    ['{"a":{"x":1},"b":{"x":2},"c":[{"x":1},{"x":1}]}', { a: { x: 1 }, b: { x: 2 }, c: [{ x: 1 }, { x: 1 }] }],
    ['{"a":"b","b":"a"}', { a: "b", b: "a" }],
    ['{"a":["a","a"]}', { a: ["a", "a"] }],
    ['{"q":"\\"a\\":{[","r":"\\\\"}', { q: '"a":{[', r: "\\" }],
    ['{"s":"\\ud83d\\ude00 😀"}', { s: "😀 😀" }],
    ['{"constructor":1,"toString":2}', { constructor: 1, toString: 2 }],
    ['"__proto__"', "__proto__"],
    ["1.7976931348623157e308", Number.MAX_VALUE],
    ["1e-999", 0],
    ['{"":1}', { "": 1 }],
    ['"\\\\u0000"', "\\u0000"],
  ])("%s", (text, value) => {
    expect(parse(text)).toEqual({ value });
  });

  test("whatever JSON.stringify writes of well-formed values, unchanged", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: "grapheme" }), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes("\\u0000") && !text.includes("__proto__"));
        expect(parse(text)).toEqual({ value: JSON.parse(text) });
      }),
    );
  });
});

describe("many values", () => {
  const list = (count: number, value = "0") => `[${Array(count).fill(value).join(",")}]`;

  test("[T58] as many as a heartbeat or 64 KiB can hold are taken", () => {
    expect(parse(list(32_000))).toHaveProperty("value");
    expect(parse(list(20_000, '"00000000-0000-7000-8000-000000000001"'))).toHaveProperty("value");
    expect(parse(list(21_000, "[]"))).toHaveProperty("value");
    expect(parse(list(49_998))).toHaveProperty("value");
  });

  test("[T58] as many as a lobby_config can hold are accepted in a create", () => {
    expect(parse(list(8192), createBodyValuesMax)).toHaveProperty("value");
  });

  test.each([2, 1000])("[T58] exactly %s are accepted, and not one more", (valuesMax) => {
    // The list is a value too.
    expect(parse(list(valuesMax - 1), valuesMax)).toHaveProperty("value");
    expect(parse(list(valuesMax), valuesMax)).toEqual({ issue: expect.stringContaining(`accepts ${valuesMax}`) });
  });

  test.each([
    ["numbers", list(60_000)],
    ["texts", list(60_000, '""')],
    ["lists", list(60_000, "[]")],
    ["lists in lists", list(8000, "[[[[[[[]]]]]]]")],
    ["fields", `{${Array.from({ length: 60_000 }, (_, index) => `"k${index}":0`).join(",")}}`],
    ["numbers, and then what is no JSON", `${list(60_000)}x`],
  ])("[T58] too many %s are refused before anything is built", (_title, text) => {
    expect(parse(text)).toEqual({ issue: expect.stringContaining("too many values") });
  });
});

describe("refused", () => {
  test.each([
    ["", /empty/],
    ["{", /too early/],
    ['{"a":', /too early/],
    ["{} x", /not valid JSON/],
    ["{}{}", /not valid JSON/],
    ["{'a':1}", /not valid JSON/],
    ['{"a":1,}', /not valid JSON/],
    ["NaN", /not valid JSON/],
    ["01", /not valid JSON/],
    ["// x\n1", /not valid JSON/],
    ['"a\nb"', /not valid JSON/],
    ['"a\0b"', /not valid JSON/],
    ['"unterminated', /not valid JSON/],
    ['"\\', /not valid JSON/],
    ["\uFEFF{}", /byte order mark/],
    ['{"a":1,"a":2}', /key "a" twice/],
    ['{"a":1,"\\u0061":2}', /key "a" twice/],
    ['{"a" \n : 1, "b":[{"a":1}], "a":2}', /key "a" twice/],
    ['[{"x":{"k":1,"k":1}}]', /key "k" twice/],
    ['{"\\"":1,"\\"":2}', /twice/],
    ['{"":1,"":2}', /twice/],
    ['{"__proto__":1}', /__proto__/],
    ['{"a":[{"__pro\\u0074o__":{}}]}', /__proto__/],
    ['"\\u0000"', /NUL/],
    ['{"a\\u0000":1}', /NUL/],
    ['"\\ud800"', /surrogate/],
    ['"\\ude00\\ud83d"', /surrogate/],
    ['{"\\udc00":1}', /surrogate/],
    ["1e999", /too large/],
    ["[-1E+400]", /too large/],
    ["9".repeat(400), /too large/],
  ])("%j", (text, words) => {
    expect(parse(text)).toEqual({ issue: expect.stringMatching(words) });
  });

  test.each([
    ["a stray continuation byte", [0x22, 0x80, 0x22]],
    ["an overlong slash", [0x22, 0xc0, 0xaf, 0x22]],
    ["a surrogate in UTF-8", [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ["UTF-16", [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
    ["a cut-off character", [0x22, 0xe2, 0x82, 0x22]],
  ])("%s is not UTF-8", (_, bytes) => {
    expect(parseJson(Buffer.from(bytes), bodyValuesMax)).toEqual({ issue: "The body is not valid UTF-8." });
  });

  test("16 levels pass and 17 do not, in arrays and objects and both", () => {
    const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    expect(parse(nested(16))).toHaveProperty("value");
    expect(parse(objects(16))).toHaveProperty("value");
    expect(parse(`${'[{"a":'.repeat(8)}1${"}]".repeat(8)}`)).toHaveProperty("value");
    expect(parse(`[${nested(15)},${nested(15)}]`)).toHaveProperty("value");
    for (const text of [nested(17), objects(17), `[${nested(15)},${nested(16)}]`, "[".repeat(1_000_000)]) {
      expect(parse(text)).toEqual({ issue: expect.stringMatching(/deeper than 16/) });
    }
  });

  test("brackets within strings do not count as depth", () => {
    expect(parse(JSON.stringify("[".repeat(100)))).toHaveProperty("value");
  });

  test("the message never quotes a malformed body, which may hold a secret", () => {
    expect(JSON.stringify(parse('{"token":"admin_secret" oops}'))).not.toContain("secret");
  });

  test("a long key is cut in the message", () => {
    const key = "k".repeat(5000);
    const { issue } = { issue: "", ...parse(`{"${key}":1,"${key}":2}`) };
    expect(issue.length).toBeLessThan(200);
  });
});
