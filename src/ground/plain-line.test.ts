import { expect, test } from "vitest";
import { readLastLine } from "./plain-line.ts";

test.each([
  ["nothing", "", ""],
  ["only blank lines", "\n \t\r\n\u001b[0m\n", ""],
  ["the last line that says something", "first\nsecond\n\n", "second"],
  ["a line without its break", "first\nsecond", "second"],
  ["colours and cursor movements", "\u001b[1;31mred\u001b[0m \u001b[2K\u001b[1Atext\u009b3D", "red text"],
  ["titles of terminals", "\u001b]0;title\u0007a\u001b]8;;http://x\u001b\\b", "ab"],
  ["a progress bar that overwrites itself", "10 %\r50 %\rdone\r", "done"],
  ["controls and directions", "a\u0000b\u202ec\u2066d\u007f", "abcd"],
  ["an unfinished sequence", "text\u001b[31", "text31"],
])("[VF2] %s", (_, output, line) => {
  expect(readLastLine(output)).toBe(line);
});

test("[VF2] a long line is cut", () => {
  expect(readLastLine("x".repeat(5000))).toHaveLength(200);
});
