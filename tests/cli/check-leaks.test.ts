import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Cast: the scripts are plain JavaScript, since they run before anything is installed.
const { findLeaks }: { findLeaks(folder: string): { tokenCount: number; fileCount: number; leaks: string[] } } =
  await import(new URL("../../scripts/check-leaks.mjs", import.meta.url).href);

const lobbyToken = `lobby_${"aB3-".repeat(20)}`;
const ownToken = 'an operator\'s "own" admin token';
let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder, "logs"));
  writeFileSync(join(folder, "issued-tokens.txt"), `${lobbyToken}\n${ownToken}\n${lobbyToken}\n`);
});

test("nothing is found in files without a token, nor in the two that may hold one", () => {
  writeFileSync(
    join(folder, "logs", "a.log"),
    `lobby_[redacted] ${lobbyToken.slice(0, -1)} player_${lobbyToken.slice(6)}`,
  );
  writeFileSync(join(folder, "logs", "admin-token"), lobbyToken);
  expect(findLeaks(folder)).toEqual({ tokenCount: 2, fileCount: 1, leaks: [] });
});

test.each([
  ["in a line of text", `{"token":"${lobbyToken}"}`],
  ["glued to what stands around it", `xx${lobbyToken}yy`],
  ["between bytes that are no text", Buffer.concat([Buffer.from([0xff, 0x00]), Buffer.from(lobbyToken)])],
  ["across two pieces", `${" ".repeat(8 * 1024 * 1024 - 30)}${lobbyToken}`],
])("a token is found %s, and the report does not repeat it", (_where, content) => {
  writeFileSync(join(folder, "logs", "a.log"), content);
  expect(findLeaks(folder).leaks).toEqual([`${join("logs", "a.log")} contains a lobby token`]);
});

test.each(["session", "signin"])("a %s secret is found", (kind) => {
  const secret = `${kind}_${"aB3-".repeat(6)}`;
  writeFileSync(join(folder, "issued-tokens.txt"), `${secret}\n`);
  writeFileSync(join(folder, "logs", "a.log"), `{"url":"http://127.0.0.1/#sign-in=${secret}"}`);
  expect(findLeaks(folder).leaks).toEqual([`${join("logs", "a.log")} contains a ${kind} token`]);
});

test("a token of the operator's own making is found and not repeated", () => {
  writeFileSync(join(folder, "logs", "a.log"), `x${ownToken}x`);
  const { leaks } = findLeaks(folder);
  expect(leaks).toHaveLength(1);
  expect(leaks.join()).not.toContain("own");
});

test("a folder where nothing was issued", () => {
  writeFileSync(join(folder, "issued-tokens.txt"), "");
  expect(findLeaks(folder).tokenCount).toBe(0);
});
