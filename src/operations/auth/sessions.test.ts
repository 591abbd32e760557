import { expect, test } from "vitest";
import { hashToken } from "../../ground/tokens.ts";
import { codeLifeMs, codesMax, createSessions, sessionLifeMs, sessionsMax, wrongCodesPerMinute } from "./sessions.ts";

function world() {
  let now = 1_000_000;
  let ids = 0;
  const sessions = createSessions({ now: () => now, newId: () => `id-${++ids}`, monotonic: () => now });
  const open = () => {
    const session = sessions.signIn(sessions.createCode().code);
    if (session === "wrong" || "retryAfterS" in session) throw new Error("the code is right");
    return session;
  };
  const isOpen = ({ token }: { token: string }) => sessions.find(hashToken(token)) !== null;
  return { sessions, open, isOpen, pass: (ms: number) => (now += ms), now: () => now };
}

test("[SG1] a code has 128 random bits, and works once, until its time is over", () => {
  const { sessions, pass, now } = world();
  const first = sessions.createCode();
  expect(first.code).toMatch(/^signin_[\w-]{22}$/);
  expect(Buffer.from(first.code.slice("signin_".length), "base64url")).toHaveLength(16);
  expect(first.expiresTs).toBe(now() + 5 * 60_000);
  const second = sessions.createCode();
  expect(second.code).not.toBe(first.code);
  pass(codeLifeMs - 1);
  expect(sessions.signIn(first.code)).toMatchObject({ tokenId: "id-1" });
  expect(sessions.signIn(first.code)).toBe("wrong");
  pass(1);
  expect(sessions.signIn(second.code)).toBe("wrong");
});

test("[SG1] more codes than may wait end the oldest", () => {
  const { sessions } = world();
  const codes = Array.from({ length: codesMax + 1 }, () => sessions.createCode().code);
  expect(sessions.signIn(codes[0]!)).toBe("wrong");
  for (const code of codes.slice(1)) expect(sessions.signIn(code)).toMatchObject({ token: expect.any(String) });
});

test("[SG2] a session has 256 random bits, and ends after twelve hours, or when it is ended", () => {
  const { sessions, open, isOpen, pass, now } = world();
  const first = open();
  expect(first.token).toMatch(/^session_[\w-]{43}$/);
  expect(first.expiresTs).toBe(now() + 12 * 3_600_000);
  const second = open();
  sessions.end(second.tokenId);
  expect([isOpen(first), isOpen(second)]).toEqual([true, false]);
  pass(sessionLifeMs - 1);
  expect(isOpen(first)).toBe(true);
  pass(1);
  expect(isOpen(first)).toBe(false);
});

test("[SG2] more sessions than there may be end the oldest", () => {
  const { open, isOpen } = world();
  const opened = Array.from({ length: sessionsMax + 1 }, open);
  expect(opened.map(isOpen)).toEqual(opened.map((_, index) => index > 0));
});

test("[SG4] after ten wrong codes in a minute further ones wait for the next; a right one does not", () => {
  const { sessions, open, isOpen, pass } = world();
  for (let count = 0; count < wrongCodesPerMinute; count++) expect(sessions.signIn(`signin_${count}`)).toBe("wrong");
  pass(20_000);
  expect(sessions.signIn("signin_x")).toEqual({ retryAfterS: 40 });
  expect(isOpen(open())).toBe(true);
  pass(40_000);
  expect(sessions.signIn("signin_x")).toBe("wrong");
});
