import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createIds } from "../../ground/ids.ts";
import { hashToken } from "../../ground/tokens.ts";
import { openDb } from "../../store/open-db.ts";
import {
  codeLifeMs,
  codesMax,
  createSessions,
  idleMs,
  noteUseMs,
  sessionLifeMs,
  sessionsMax,
  wrongCodesPerMinute,
} from "./sessions.ts";

const secret = randomBytes(32);

async function world() {
  let now = 1_000_000_000;
  const dataDir = await mkdtemp(join(tmpdir(), "foyer-sessions-"));
  const db = await openDb({ databaseUrl: null, dataDir });
  onTestFinished(async () => {
    await db.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const errors: unknown[] = [];
  const newId = createIds(() => now);
  const start = (adminToken = "admin_one") =>
    createSessions({
      ...{ db, adminToken, secret, newId, now: () => now, monotonic: () => now },
      onError: (error) => errors.push(error),
    });
  const sessions = start();
  const signIn = async (code: string) => sessions.signIn(code, () => db);
  const open = async () => {
    const session = await signIn((await sessions.createCode()).code);
    if (session === "wrong" || "retryAfterS" in session) throw new Error("the code is right");
    return session;
  };
  const isOpen = async ({ token }: { token: string }, of = sessions) => (await of.find(hashToken(token))) !== null;
  return { db, sessions, start, signIn, open, isOpen, errors, pass: (ms: number) => (now += ms), now: () => now };
}

test("[SG1] a code has 128 random bits, and works once, until its time is over", async () => {
  const { sessions, signIn, pass, now } = await world();
  const first = await sessions.createCode();
  expect(first.code).toMatch(/^signin_[\w-]{22}$/);
  expect(Buffer.from(first.code.slice("signin_".length), "base64url")).toHaveLength(16);
  expect(first.expiresTs).toBe(now() + 5 * 60_000);
  const second = await sessions.createCode();
  expect(second.code).not.toBe(first.code);
  pass(codeLifeMs - 1);
  expect(await signIn(first.code)).toMatchObject({ tokenId: expect.any(String) });
  expect(await signIn(first.code)).toBe("wrong");
  pass(1);
  expect(await signIn(second.code)).toBe("wrong");
});

test("[SG1] more codes than may wait end the oldest", async () => {
  const { sessions, signIn, pass } = await world();
  const codes: string[] = [];
  for (let count = 0; count <= codesMax; count++) {
    codes.push((await sessions.createCode()).code);
    pass(1);
  }
  expect(await signIn(codes[0]!)).toBe("wrong");
  for (const code of codes.slice(1)) expect(await signIn(code)).toMatchObject({ token: expect.any(String) });
});

test("[SG2] a session has 256 random bits, and ends twelve hours after its last use, after 30 days, or when it is ended", async () => {
  const { sessions, open, isOpen, errors, pass, now } = await world();
  const first = await open();
  expect(first.token).toMatch(/^session_[\w-]{43}$/);
  expect(first.expiresTs).toBe(now() + 12 * 3_600_000);
  const second = await open();
  await sessions.end(second.tokenId);
  expect([await isOpen(first), await isOpen(second)]).toEqual([true, false]);
  const untilNoted = () =>
    vi.waitFor(async () => expect((await sessions.find(hashToken(first.token)))?.lastUsedTs).toBe(now()));

  // A use within the minute is not noted.
  pass(noteUseMs - 1);
  await isOpen(first);
  pass(1);
  expect((await sessions.find(hashToken(first.token)))?.lastUsedTs).toBe(now() - noteUseMs);
  await untilNoted();
  for (let used = 0; used < 59; used++) {
    pass(idleMs - 1);
    expect(await isOpen(first)).toBe(true);
    await untilNoted();
  }
  expect((await sessions.find(hashToken(first.token)))?.expiresTs).toBe(first.createTs + sessionLifeMs);
  pass(first.createTs + sessionLifeMs - now() - 1);
  expect(await isOpen(first)).toBe(true);
  pass(1);
  expect(await isOpen(first)).toBe(false);

  const idle = await open();
  pass(idleMs - 1);
  expect(await sessions.list({ after: null, limit: 10 })).toMatchObject([{ tokenId: idle.tokenId }]);
  pass(1);
  expect(await isOpen(idle)).toBe(false);
  expect(await sessions.list({ after: null, limit: 10 })).toEqual([]);
  expect(errors).toEqual([]);
});

test("[SG2] codes and sessions outlive a restart, but not the admin token", async () => {
  const { db, sessions, start, open, isOpen } = await world();
  const session = await open();
  const { code } = await sessions.createCode();
  expect(await isOpen(session, start())).toBe(true);
  const changed = start("admin_two");
  expect(await isOpen(session, changed)).toBe(false);
  expect(await changed.list({ after: null, limit: 10 })).toEqual([]);
  expect(await changed.signIn(code, () => db)).toBe("wrong");
  expect(await start().signIn(code, () => db)).toMatchObject({ token: expect.any(String) });
});

test("[SG2] more sessions than there may be end the oldest", async () => {
  const { db, open, isOpen, pass, now } = await world();
  const oldest = await open();
  const [row] = await db.query.selectFrom("sessions").selectAll().execute();
  const rows = Array.from({ length: sessionsMax - 2 }, (_, index) => ({
    ...row!,
    ...{ session_id: `other ${index}`, hash: `other ${index}`, create_ts: now() + 1 },
  }));
  for (let at = 0; at < rows.length; at += 100)
    await db.query
      .insertInto("sessions")
      .values(rows.slice(at, at + 100))
      .execute();
  pass(2);
  const next = await open();
  expect([await isOpen(oldest), await isOpen(next)]).toEqual([true, true]);
  pass(1);
  const last = await open();
  expect([await isOpen(oldest), await isOpen(next), await isOpen(last)]).toEqual([false, true, true]);
  expect(await db.query.selectFrom("sessions").select("hash").execute()).toHaveLength(sessionsMax);
});

test("[SG4] after ten wrong codes in a minute further ones wait for the next; a right one does not", async () => {
  const { signIn, open, isOpen, pass } = await world();
  for (let count = 0; count < wrongCodesPerMinute; count++) expect(await signIn(`signin_${count}`)).toBe("wrong");
  pass(20_000);
  expect(await signIn("signin_x")).toEqual({ retryAfterS: 40 });
  expect(await isOpen(await open())).toBe(true);
  pass(40_000);
  expect(await signIn("signin_x")).toBe("wrong");
});
