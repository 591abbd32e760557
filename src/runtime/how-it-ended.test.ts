import { expect, test } from "vitest";
import { describeExit, describeMissedExit } from "./how-it-ended.ts";

const facts = { wasReady: true, output: "" };
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
    { output: "no map" },
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
    { output: "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n at x" },
    "Its process ran out of memory. Last output: FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
  ],
  [
    "Python",
    { code: 1, signal: null },
    { output: "Traceback\nMemoryError\n" },
    "Its process ran out of memory. Last output: MemoryError",
  ],
  [
    "a shell whose program was killed",
    { code: 137, signal: null },
    { output: "Killed" },
    "Its process exited with code 137: its program was killed by SIGKILL, which Foyer did not send: the machine may be out of memory. Last output: Killed",
  ],
  [
    "a code of 0",
    { code: 0, signal: null },
    { output: "MemoryError" },
    "Its process exited with code 0. Last output: MemoryError",
  ],
])("[VF4] %s in words", (_, exit, more, words) => {
  expect(describeExit(exit, { ...facts, ...more })).toBe(words);
});

test("[VF4] a message has at most 512 characters", () => {
  const output = `Error: ${"x".repeat(1000)}\n    at play (/game/${"y".repeat(1000)}.js:1:1)\n`;
  const message = describeMissedExit({ code: 1, signal: null }, { wasReady: false, output });
  expect(message.length).toBeLessThanOrEqual(512);
});
