import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readLastWords } from "../../src/runtime/last-words.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();

/** What a program of that language says about its end, with FOLDER for the folder that it is in. */
function lastWords(name: string, source: string, ...flags: string[]): string {
  const file = join(folder, name);
  writeFileSync(file, source);
  const program = name.endsWith(".py") ? "python3" : process.execPath;
  const { stderr } = spawnSync(program, [...flags, file], { encoding: "utf8", env: { PATH: process.env.PATH } });
  return readLastWords(stderr).replaceAll(folder, "FOLDER");
}

test.each([
  [
    "an uncaught error",
    "throw.cjs",
    'function play() {\n  throw new TypeError("no map");\n}\nplay();',
    "TypeError: no map at play (FOLDER/throw.cjs:2:9)",
  ],
  [
    "one from below Node's own code",
    "below.mjs",
    'import fs from "node:fs";\nfs.readFileSync("/nowhere");',
    "Error: ENOENT: no such file or directory, open '/nowhere' at FOLDER/below.mjs:2:4",
  ],
  [
    "an error with a cause",
    "cause.cjs",
    'throw new Error("outer", { cause: new Error("inner") });',
    "Error: outer at Object.<anonymous> (FOLDER/cause.cjs:1:7)",
  ],
  [
    "a rejection",
    "reject.cjs",
    'async function load() {\n  await null;\n  throw new RangeError("late");\n}\nload();',
    "RangeError: late at load (FOLDER/reject.cjs:3:9)",
  ],
  ["a rejection without an error", "reason.cjs", 'Promise.reject("boom");', "UnhandledPromiseRejection: boom"],
  ["a text that was thrown", "text.cjs", 'throw "boom";', "boom"],
  [
    "a module that is missing",
    "missing.cjs",
    'require("./nowhere");',
    "Error: Cannot find module './nowhere' at Object.<anonymous> (FOLDER/missing.cjs:1:1)",
  ],
  [
    "a package that is missing",
    "package.mjs",
    'import "nowhere";',
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'nowhere' imported from FOLDER/package.mjs",
  ],
  ["a syntax error", "syntax.cjs", "\nconst map = ;", "SyntaxError: Unexpected token ';' at FOLDER/syntax.cjs:2"],
  [
    "a syntax error of a module",
    "syntax.mjs",
    "\nconst map = ;",
    "SyntaxError: Unexpected token ';' at FOLDER/syntax.mjs:2",
  ],
  [
    "an error that the program printed",
    "printed.cjs",
    'console.error("up");\nconsole.error(new Error("no map"));\nprocess.exit(1);',
    "Error: no map at Object.<anonymous> (FOLDER/printed.cjs:2:15)",
  ],
  [
    "output after an error that was caught",
    "caught.cjs",
    'console.error(new Error("once"));\nconsole.error("port 7 is taken");\nprocess.exit(1);',
    "port 7 is taken",
  ],
  ["Python", "raise.py", 'def play():\n    raise ValueError("no map")\nplay()\n', "ValueError: no map"],
  [
    "Python with a cause",
    "chained.py",
    'try:\n    {}["map"]\nexcept KeyError as error:\n    raise ValueError("no map") from error\n',
    "ValueError: no map",
  ],
  [
    "a Python module that is missing",
    "module.py",
    "import nowhere\n",
    "ModuleNotFoundError: No module named 'nowhere'",
  ],
  ["a syntax error of Python", "syntax.py", "map = \n", "SyntaxError: invalid syntax"],
])("[VF4] the last words of a program: %s", (_, name, source, words) => {
  expect(lastWords(name, source)).toBe(words);
});

test("[VF4] the last words of a program whose heap is full are V8's, not its native frames", () => {
  const source = "const all = [];\nfor (;;) all.push(new Array(1000).fill(all.length));";
  expect(lastWords("heap.cjs", source, "--max-old-space-size=16")).toMatch(/^FATAL ERROR: .*heap out of memory$/);
});

test.each([
  ["nothing", "", ""],
  ["a plain line", "up\nport 7 is taken\n\n", "port 7 is taken"],
  [
    "controls",
    "\u001b[31mError: no map\u001b[0m\n    at \u001b[90m/game/a.js:1:2\u001b[39m\n\nNode.js v24.1.0\n",
    "Error: no map at /game/a.js:1:2",
  ],
  ["frames without an error", "    at play (/game/a.js:1:2)\n", "at play (/game/a.js:1:2)"],
  ["only a banner", "Node.js v20.20.2\n", ""],
  ["a heading", "no map\n----- Native stack trace -----\n", "no map"],
])("[VF4] the last words of an output: %s", (_, output, words) => {
  expect(readLastWords(output)).toBe(words);
});

// Each takes less than a millisecond, and minutes where a pattern tries all ways to divide the line.
test.each(["-", "-stack trace", "stack trace "])(
  "[VF4] a line of many %j costs no time that grows with its square",
  { timeout: 20_000 },
  (piece) => {
    expect(readLastWords(`-${piece.repeat(200_000 / piece.length)}x`)).toMatch(/^-/);
  },
);
