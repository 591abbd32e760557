import { expect } from "vitest";
import { type ErrorCode, errorTable } from "../../src/contract/errors.ts";
import type { Answer } from "./harness.ts";

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const requestIdPattern = /^[\w-]{8,64}$/;
export const aUuid = expect.stringMatching(uuidPattern);
export const aTimestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** The whole error body, and the headers that every failure has. `paths`: the paths of all issues, in order. */
export function expectRefusal(answer: Answer, code: ErrorCode, paths?: readonly (readonly string[])[]): void {
  const { status } = errorTable[code];
  // The text is for readers of the failure; a report must not contain a token.
  const text = answer.text.replace(/([a-z]+_)[\w-]{20,}/g, "$1…");
  const shown = { status: answer.status, code: answer.json?.code, text };
  expect(shown).toEqual({ status, code, text });
  const { errors, metadata: _, ...rest } = answer.json;
  expect(rest).toEqual({
    code,
    message: expect.stringMatching(/\S/),
    request_id: answer.headers["x-request-id"],
    documentation: `/docs/errors#${code}`,
  });
  expect(answer.headers["x-request-id"]).toMatch(requestIdPattern);
  expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  if (errors !== undefined) {
    expect(errors.length).toBeGreaterThan(0);
    for (const fault of errors) {
      expect(fault).toEqual({ path: expect.any(Array), message: expect.stringMatching(/\S/) });
    }
  }
  if (paths !== undefined) expect(pathsOf(errors)).toEqual(paths);
}

/** 200 with exactly this body. */
export function expectAnswer(answer: Answer, body: unknown): void {
  expect({ status: answer.status, body: answer.json }).toEqual({ status: 200, body });
  expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(answer.headers["x-request-id"]).toMatch(requestIdPattern);
}

/** 204 with zero bytes. */
export function expectEmpty(answer: Answer): void {
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: "" });
  expect(answer.bytes.length).toBe(0);
  expect(answer.headers["content-type"]).toBeUndefined();
  expect(answer.headers["x-request-id"]).toMatch(requestIdPattern);
}

export function pathsOf(errors: readonly { path: string[] }[] | undefined): string[][] {
  return (errors ?? []).map(({ path }) => path);
}
