import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { openLogReader } from "../../src/operations/live/log-reader.ts";
import { until } from "../support/harness.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type Driver, openDriver, shellLobby } from "./driver.ts";

const drivers: Driver[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const driver of drivers.splice(0)) await driver.close();
});

/** A lobby whose process has written this and ended. */
async function written(text: string): Promise<{ driver: Driver; lobbyId: string }> {
  const driver = await openDriver({ logMaxBytes: 10 * 1024 * 1024 });
  drivers.push(driver);
  const file = join(temporaryFolder(), "text");
  writeFileSync(file, text);
  const lobby = shellLobby(`cat ${file}`);
  await driver.start(lobby);
  await until(() => driver.exitOf(lobby.lobbyId) !== null);
  return { driver, lobbyId: lobby.lobbyId };
}

/** What a listener with this id receives, without line breaks. */
async function followFrom({ driver, lobbyId }: { driver: Driver; lobbyId: string }, lastEventId?: string) {
  const piece = (from: number, maxBytes: number) => driver.logPiece(lobbyId, "stdout", from, maxBytes);
  const reader = await openLogReader({ stream: "stdout", piece, end: async () => ({}) }, lastEventId);
  let text = reader.read() ?? "";
  while (!reader.isAtEnd?.()) {
    await new Promise<void>((resolve) => reader.onNews(resolve));
    text += reader.read();
  }
  const data = [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json!));
  return data.filter(({ event }) => event !== "end");
}

const newToken = (kind = "lobby") => `${kind}_${randomBytes(64).toString("base64url")}`;

/** The pieces of a token that a text shows. Eight characters of what is random in it do not come about by chance. */
function leaksOf(token: string, text: string): string[] {
  const secret = token.slice(token.indexOf("_") + 1);
  const pieces = Array.from({ length: secret.length - 7 }, (_, at) => secret.slice(at, at + 8));
  return pieces.filter((piece) => text.includes(piece));
}

describe("tokens in logs", () => {
  test("[RT17] whatever position a listener asks for, no part of a token is sent", async () => {
    const token = newToken("devplayer");
    const lines = ["first", `${"x".repeat(40)}${token}`, `say "${token}" ${token};${"y".repeat(30)}`, "", "last"];
    const text = `${lines.join("\n")}\n`;
    const log = await written(text);
    const leaks: string[] = [];
    for (let position = 0; position <= text.length; position++) {
      const events = await followFrom(log, `stdout-${position}`);
      if (leaksOf(token, JSON.stringify(events)).length > 0) leaks.push(`from ${position}`);
      const isLineStart = position === 0 || text[position - 1] === "\n";
      const expected = text.slice(position).replaceAll(token, "devplayer_[redacted]").split("\n").slice(0, -1);
      if (isLineStart) expect(events.map((event) => event.text)).toEqual(expected);
    }
    expect(leaks).toEqual([]);
  });

  test("[RT17] the password of an address is not sent from its middle on", async () => {
    const text = "connecting to postgres://foyer:correct-horse-battery@db.example.com/foyer now\n";
    const log = await written(text);
    for (let position = 0; position <= text.length; position++) {
      expect(JSON.stringify(await followFrom(log, `stdout-${position}`))).not.toMatch(/horse|battery/);
    }
  });

  test("[RT17] a line that is sent in pieces is not cut inside a token, with and without text before it", async () => {
    const token = newToken("player");
    const lines = Array.from({ length: 40 }, (_, index) => `${"x".repeat(15_700 + index * 19)}${token}y-${index}`);
    const log = await written(`${lines.join("\n")}\n`);
    const events = await followFrom(log, "stdout-0");
    expect(leaksOf(token, JSON.stringify(events))).toEqual([]);
    // The pieces of a line are the line.
    const whole = events.map(({ text, is_cut }) => (is_cut ? text : `${text}\n`)).join("");
    const expected = lines.map((line) => `${line.slice(0, line.indexOf(token))}player_[redacted]\n`).join("");
    expect(whole).toBe(expected);
    const glued = await written(`${token.repeat(600)} and more\nlast\n`);
    const ofGlued = await followFrom(glued, "stdout-0");
    expect(leaksOf(token, JSON.stringify(ofGlued))).toEqual([]);
    expect(ofGlued.at(-1)).toEqual({ event: "line", text: "last" });
  });

  test("[RT9] however much is asked for, the newest part begins with no piece of a token", async () => {
    const token = newToken();
    const text = `${"x".repeat(700)}${token}${"z".repeat(30)}, ä€😀 end\nafter ${token} it\n`;
    const { driver, lobbyId } = await written(text);
    const whole = text.replace(`${token}${"z".repeat(30)}`, "lobby_[redacted]").replace(token, "lobby_[redacted]");
    for (let bytes = 1; bytes <= Buffer.byteLength(text); bytes++) {
      const log = await driver.logs(lobbyId, "stdout", bytes);
      expect(leaksOf(token, log.text)).toEqual([]);
      expect(whole.endsWith(log.text)).toBe(true);
    }
  });
});

describe("positions in logs", () => {
  test("[RT17] what comes after a very long line is not waited for", async () => {
    const log = await written(`${"x".repeat(300_000)}\nafter it\n`);
    // A listener that waits for its next look would wait for ever.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    expect(await followFrom(log)).toEqual([{ event: "line", text: "after it" }]);
  });

  test("[RT17] a listener that fell behind continues with the newest part", async () => {
    const driver = await openDriver({ logMaxBytes: 512 * 1024 });
    drivers.push(driver);
    // Most of it is written only when the listener is there, however long that takes.
    const go = join(temporaryFolder(), "go");
    const wait = `while [ ! -e ${go} ]; do sleep 0.02; done`;
    const lobby = shellLobby(`echo first; ${wait}; yes 'a line of the log' | head -c 1400000; exec sleep 1000`);
    const written = "first\n".length + 1_400_000;
    await driver.start(lobby);
    const { lobbyId } = lobby;
    const kept = () => driver.logPiece(lobbyId, "stdout", 0, 0);
    // Half of it is written away before the listener looks again.
    let pieces = 0;
    const piece = async (from: number, maxBytes: number) => {
      pieces += 1;
      if (pieces === 2) {
        writeFileSync(go, "");
        await until(async () => (await kept()).first > 0 && (await kept()).end === written);
      }
      return driver.logPiece(lobbyId, "stdout", from, maxBytes);
    };
    await until(async () => (await kept()).end > 0);
    const reader = await openLogReader({ stream: "stdout", piece, end: async () => null }, "stdout-0");
    await new Promise<void>((resolve) => reader.onNews(resolve));
    const position = Number(/^id: stdout-(\d+)\nevent: reset$/m.exec(reader.read() ?? "")?.[1]);
    reader.close();
    expect(written - position).toBeLessThanOrEqual(256 * 1024 + 1);
    await driver.stop(lobbyId);
  });
});
