import { expect, test } from "vitest";
import { describeExit } from "./how-it-ended.ts";

const facts = { wasReady: true, lastOutput: "", log: "" };
const killed = { code: null, signal: "SIGKILL" };

test.each([
  ["an exit code", { code: 3, signal: null }, {}, "Its process exited with code 3."],
  ["a signal", { code: null, signal: "SIGSEGV" }, {}, "Its process was ended by SIGSEGV."],
  ["an unknown end", { code: null, signal: null }, {}, "Its process ended."],
  [
    "before ready",
    { code: 1, signal: null },
    { wasReady: false },
    "Its process exited with code 1 before it called ready.",
  ],
  [
    "with output",
    { code: 1, signal: null },
    { lastOutput: "no map" },
    "Its process exited with code 1. Last output: no map",
  ],
  [
    "an unasked kill",
    killed,
    {},
    "Its process was killed by SIGKILL, which Foyer did not send: the machine may be out of memory.",
  ],
  ["a driver that knows", { ...killed, isOutOfMemory: true }, {}, "Its process ran out of memory."],
  [
    "Node",
    { code: null, signal: "SIGABRT" },
    { log: "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n at x" },
    "Its process ran out of memory.",
  ],
  ["Python", { code: 1, signal: null }, { log: "Traceback\nMemoryError\n" }, "Its process ran out of memory."],
  ["a code of 0", { code: 0, signal: null }, { log: "MemoryError" }, "Its process exited with code 0."],
])("[VF4] %s in words", (_, exit, more, words) => {
  expect(describeExit(exit, { ...facts, ...more })).toBe(words);
});
