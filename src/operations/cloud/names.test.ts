import { describe, expect, test } from "vitest";
import { checkDisplayName, checkNameId, isName } from "./names.ts";

const reasonOf = (name: string) => checkDisplayName(name).issue?.path[1] ?? "ok";

describe("name_id", () => {
  test.each([
    ["", "too_short"],
    ["a", null],
    ["7", null],
    ["eu-staging-2", null],
    ["a".repeat(32), null],
    ["a".repeat(33), "too_long"],
    ["😀".repeat(32), "invalid"],
    ["😀".repeat(33), "too_long"],
    ["A", "invalid"],
    ["-a", "invalid"],
    ["a-", "invalid"],
    ["-", "invalid"],
    ["a--b", "invalid"],
    ["a_b", "invalid"],
    ["a b", "invalid"],
    ["a\n", "invalid"],
    ["аbc", "invalid"],
    ["١", "invalid"],
    ["validate", "reserved"],
    ["new", "reserved"],
    ["newer", null],
  ])("%j: %s", (value, reason) => {
    const issue = checkNameId(value);
    expect(issue?.path ?? null).toEqual(reason === null ? null : ["name_id", reason]);
  });

  test("reserved words are reserved for name_id alone", () => {
    expect([isName("new"), isName("eu-west"), isName("eu_west"), isName("")]).toEqual([true, true, false, false]);
  });

  test("the message names the limit and the way out", () => {
    expect(checkNameId("x".repeat(40))?.message).toMatch(/40 characters; at most 32/);
  });
});

describe("display_name", () => {
  test.each([
    ["Production", "ok"],
    ["a", "ok"],
    ["Mein Spiel (Test) – 2!", "ok"],
    ["ゲーム", "ok"],
    ["می‌خواهم", "ok"],
    ["👩‍👩‍👧", "ok"],
    ["❤️", "ok"],
    ["🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", "ok"],
    ["🇩🇪 👍🏽", "ok"],
    ["<script>", "ok"],
    ["a".repeat(128), "ok"],
    ["ä".repeat(64), "ok"],
    ["", "too_short"],
    ["a".repeat(129), "too_long"],
    ["ä".repeat(65), "too_long"],
    ["a\u0301".repeat(50_000), "too_long"],
    [" ".repeat(129), "too_long"],
    [" ", "invalid"],
    [" a", "invalid"],
    ["a ", "invalid"],
    ["a  b", "invalid"],
    ["a\tb", "invalid"],
    ["a\nb", "invalid"],
    ["a\0", "invalid"],
    ["a\u007F", "invalid"],
    ["a\u0085b", "invalid"],
    ["a\u00A0b", "invalid"],
    ["a\u3000b", "invalid"],
    ["a\u2028b", "invalid"],
    ["a\u2029b", "invalid"],
    ["a\u202Eb", "invalid"],
    ["a\u2066b", "invalid"],
    ["a\u200Fb", "invalid"],
    ["a\u061Cb", "invalid"],
    ["a\u00ADb", "invalid"],
    ["a\u200Bb", "invalid"],
    ["a\uFEFFb", "invalid"],
    ["a\u2060b", "invalid"],
    ["a\u3164", "invalid"],
    ["a\u180Eb", "invalid"],
    ["a\uE000", "invalid"],
    ["a\u{F0000}", "invalid"],
    ["a\u{10FFFD}", "invalid"],
    ["a\uFFFF", "invalid"],
    ["a\u{1FFFE}", "invalid"],
    ["a\uFDD0", "invalid"],
    ["a\uD800", "invalid"],
    ["\uDC00a", "invalid"],
    ["a\u{E0067}\u{E0062}\u{E0065}\u{E007F}", "invalid"],
    ["🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}", "invalid"],
    ["🏴\u{E0049}\u{E0020}\u{E0061}\u{E007F}", "invalid"],
    ["a\u{E0100}", "invalid"],
    ["\u200D", "invalid"],
    ["\uFE0F", "invalid"],
    ["\u200C \u200D", "invalid"],
    ["\u2800", "invalid"],
  ])("%j: %s", (name, reason) => {
    expect(reasonOf(name)).toBe(reason);
  });

  test("the name to store is in NFC, and its length is counted in that form", () => {
    expect(checkDisplayName("Cafe\u0301")).toEqual({ value: "Caf\u00E9", issue: null });
    expect(checkDisplayName("\u0390".repeat(64).normalize("NFD"))).toEqual({ value: "\u0390".repeat(64), issue: null });
  });

  test("every character that this platform calls invisible, private or white space is refused, except the joiners", () => {
    const suspect = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u;
    const accepted: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code);
      if (!suspect.test(character)) continue;
      if (reasonOf(`a${character}b`) === "ok") accepted.push(code.toString(16));
    }
    const selectors = Array.from({ length: 16 }, (_, index) => (0xfe00 + index).toString(16));
    expect(accepted).toEqual(["20", "200c", "200d", ...selectors]);
  });

  test("the message names the character", () => {
    expect(checkDisplayName("a\u202Eb").issue?.message).toContain("U+202E");
  });
});
