import { expect, test } from "vitest";
import { findJsonError } from "./json-error.ts";

test.each([
  ["a missing comma", '{\n  "a": 1\n  "b": 2\n}', 3, 3],
  ["a comma too many", '{ "a": 1, }', 1, 11],
  ["single quotes", "{'a': 1}", 1, 2],
  ["no quotes", '{\n\ta: "ü" }', 2, 2],
  ["more after the end", "{} x", 1, 4],
  ["a number with a leading zero", "[01]", 1, 3],
  ["a bad escape", '["ok", "\\x"]', 1, 9],
  ["a line break in a string", '["a\nb"]', 1, 4],
  ["a word", "[1, NaN]", 1, 5],
  ["characters outside of the first plane count once", '["😀" 1]', 1, 6],
])("[VF10] %s is found in its line and column", (_, text, line, column) => {
  expect(() => JSON.parse(text)).toThrow();
  expect(findJsonError(text)).toEqual({ line, column, isCutOff: false });
});

test.each(["", "{", '{"a": [1, 2', '"abc', '{"a"', "[".repeat(200_000)])(
  "[VF10] a text that ends too early",
  (text) => {
    expect(findJsonError(text).isCutOff).toBe(true);
  },
);
