import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { newKeptToken } from "../../src/ground/tokens.ts";
import { listenTo } from "../support/event-streams.ts";
import { aTimestamp, aUuid, expectAnswer, expectEmpty, expectRefusal } from "../support/expectations.ts";
import {
  createGame,
  createNamespace,
  createToken,
  logFileOf,
  processConfig,
  type Service,
  signIn,
  startService,
  uniqueName,
} from "../support/harness.ts";
import type { ServiceKind } from "../support/services/stores.ts";

export function signInTests(kind: ServiceKind, at: () => Service): void {
  const newCode = async (): Promise<string> => (await at().admin("POST", "/cloud/sign-in-codes")).code;
  const send = (code: string, headers: Record<string, string> = {}, of = at()) =>
    of.request("POST", "/cloud/sign-in", { body: { code }, headers });

  test("[SG1] [SG2] [WH1] a code gives a session once, which says who it is", async () => {
    const made = await at().admin("POST", "/cloud/sign-in-codes");
    expect(made).toEqual({ code: expect.stringMatching(/^signin_[\w-]{22}$/), expires_ts: aTimestamp });
    const session = (await send(made.code)).json;
    expect(session).toEqual({ token: expect.stringMatching(/^session_[\w-]{43}$/), expires_ts: aTimestamp });
    expectAnswer(await at().request("GET", "/cloud/whoami", { token: session.token }), {
      kind: "session",
      token_id: aUuid,
      expires_ts: session.expires_ts,
      may: { create_games: true, run_processes: true, run_containers: expect.any(Boolean) },
    });
    const again = await send(made.code);
    expectRefusal(again, "TOKEN_INVALID");
    expect(again.headers["www-authenticate"]).toBe("Bearer");
  });

  test("[SG1] codes that arrive at the same time give one session", async () => {
    const code = await newCode();
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
  });

  test("[SG3] a session does what the admin token does, but for codes", async () => {
    const { token } = await signIn(at());
    const as = (method: string, path: string, body?: unknown) =>
      at().request(method, path, { token, ...(body !== undefined && { body }) });
    const name_id = uniqueName("session");
    expect((await as("POST", "/cloud/games", { display_name: "Made", name_id })).status).toBe(200);
    expect((await as("POST", `/cloud/games/${name_id}/tokens/cloud`)).status).toBe(200);
    const version = { display_name: "1", config: processConfig };
    expect((await as("POST", `/cloud/games/${name_id}/versions`, version)).status).toBe(200);
    expect((await as("GET", "/cloud/audit?limit=1")).json.entries).toHaveLength(1);
    expect((await as("GET", "/cloud/nodes")).json.nodes).toHaveLength(1);
    expectRefusal(await as("POST", "/cloud/sign-in-codes"), "TOKEN_FORBIDDEN");
    expectRefusal(await as("GET", "/matchmaker/regions"), "TOKEN_FORBIDDEN");
    expectEmpty(await as("DELETE", `/cloud/games/${name_id}`));
  });

  test("[SG2] signing out ends the session and its streams, and no other session", async () => {
    const [own, other] = [await signIn(at()), await signIn(at())];
    const namespace = await createNamespace(at(), await createGame(at()));
    const listener = await listenTo(at(), `${namespace.path}/events`, { token: own.token });
    expect(listener.status).toBe(200);
    expectEmpty(await at().request("DELETE", "/cloud/sign-in", { token: own.token }));
    await listener.ended;
    for (const method of ["GET", "DELETE"]) {
      const path = method === "GET" ? "/cloud/games" : "/cloud/sign-in";
      expectRefusal(await at().request(method, path, { token: own.token }), "TOKEN_INVALID");
    }
    expect((await at().request("GET", "/cloud/games", { token: other.token })).status).toBe(200);
  });

  test("[SG8] open sessions are listed, and ended by anyone who may see them", async () => {
    const [own, other] = [await signIn(at()), await signIn(at())];
    const listed = await at().request("GET", "/cloud/sessions?limit=2", { token: own.token });
    const entry = { create_ts: aTimestamp, last_used_ts: aTimestamp, expires_ts: aTimestamp };
    expectAnswer(listed, {
      sessions: [
        { session_id: other.tokenId, ...entry },
        { session_id: own.tokenId, ...entry },
      ],
      ...(listed.json.cursor && { cursor: listed.json.cursor }),
    });
    const noPage = await at().request("GET", "/cloud/sessions?limit=0", { token: own.token });
    expectRefusal(noPage, "API_BAD_QUERY", [["limit"]]);
    expectEmpty(await at().request("DELETE", `/cloud/sessions/${other.tokenId}`, { token: own.token }));
    expectRefusal(await at().request("GET", "/cloud/whoami", { token: other.token }), "TOKEN_INVALID");
    for (const id of [other.tokenId, "not-an-id", "%00"]) {
      const answer = await at().request("DELETE", `/cloud/sessions/${id}`, { token: at().adminToken });
      expectRefusal(answer, "CLOUD_TOKEN_NOT_FOUND");
    }
  });

  test("[SG5] it takes no token, and of pages only its own", async () => {
    const own = at().url;
    for (const origin of [
      "https://evil.example",
      "null",
      own.replace("http:", "https:"),
      `${own}0`,
      "http://127.0.0.1",
    ]) {
      expectRefusal(await send(await newCode(), { origin }), "TOKEN_FORBIDDEN");
    }
    expect((await send(await newCode(), { origin: own })).status).toBe(200);
    const namespace = await createNamespace(at(), await createGame(at()));
    const { token: publicToken } = await createToken(at(), namespace, "pub");
    for (const token of [at().adminToken, (await signIn(at())).token, publicToken]) {
      const sent = await at().request("POST", "/cloud/sign-in", { token, body: { code: await newCode() } });
      expectRefusal(sent, "TOKEN_FORBIDDEN");
      expect(sent.json.message).toContain("takes no token");
    }
  });

  test("[SG6] the audit log names sessions by id; no code or token is in it or in the log", async () => {
    const { answer, code, token, tokenId } = await signIn(at());
    const name_id = uniqueName("by-session");
    await at().request("POST", "/cloud/games", { token, body: { display_name: "Made", name_id } });
    const { entries } = await at().admin("GET", `/cloud/audit?token_id=${tokenId}`);
    expect(entries).toMatchObject([{ operation: "games.createGame", kind: "session", token_id: tokenId }]);
    const signedIn = await at().admin("GET", "/cloud/audit?operation=auth.signIn&limit=1");
    expect(signedIn.entries).toMatchObject([{ kind: "none", target: tokenId }]);
    expect(signedIn.entries[0].request_id).toBe(answer.headers["x-request-id"]);
    const everything = JSON.stringify(await at().admin("GET", "/cloud/audit?limit=500"));
    const log = readFileSync(logFileOf(at()), "utf8");
    expect(log).toContain(tokenId);
    for (const secret of [code, token])
      expect([everything, log].map((text) => text.includes(secret))).toEqual([false, false]);
  });

  describe("a service of its own", () => {
    test("[SG4] ten wrong codes a minute are looked at, and a right one always", async () => {
      let passedMs = 0;
      const service = await startService(kind, {}, { now: () => Date.now() + passedMs });
      try {
        const codeOf = async () => (await service.admin("POST", "/cloud/sign-in-codes")).code;
        const old = await codeOf();
        passedMs += 5 * 60_000;
        expectRefusal(await send(old, {}, service), "TOKEN_INVALID");
        for (let count = 0; count < 9; count++) expectRefusal(await send("signin_wrong", {}, service), "TOKEN_INVALID");
        const refused = await send("signin_wrong", {}, service);
        expectRefusal(refused, "API_RATE_LIMIT");
        expect(Number(refused.headers["retry-after"])).toBeGreaterThanOrEqual(1);
        const { json } = await send(await codeOf(), {}, service);
        expect((await service.request("GET", "/cloud/games", { token: json.token })).status).toBe(200);
        passedMs += 12 * 3_600_000;
        expectRefusal(await service.request("GET", "/cloud/games", { token: json.token }), "TOKEN_INVALID");
      } finally {
        await service.close();
      }
    });

    test("[SG5] behind a public address its own pages are those of that address, and those on this machine", async () => {
      const publicUrl = "https://foyer.example.com";
      const service = await startService(kind, { publicUrl });
      try {
        const statusFrom = async (origin: string, host?: string) => {
          const { code } = await service.admin("POST", "/cloud/sign-in-codes");
          return (await send(code, { origin, ...(host && { host }) }, service)).status;
        };
        expect(await statusFrom(publicUrl, "foyer.example.com")).toBe(200);
        expect(await statusFrom(service.url)).toBe(200);
        expect(await statusFrom("http://foyer.example.com", "foyer.example.com")).toBe(403);
        expect(await statusFrom("https://other.example.com", "foyer.example.com")).toBe(403);
      } finally {
        await service.close();
      }
    });

    test("[SG2] a restart ends no session, another admin token ends them all", async () => {
      const service = await startService(kind);
      const { token } = await signIn(service);
      await service.close();
      const { dataDir, databaseUrl } = service;
      const restart = async (more: { adminToken?: string }) => {
        const again = await startService(kind, { dataDir, databaseUrl, ...more });
        const answer = await again.request("GET", "/cloud/games", { token });
        await again.close();
        return answer;
      };
      expect((await restart({})).status).toBe(200);
      const answer = await restart({ adminToken: newKeptToken("admin") });
      expectRefusal(answer, "TOKEN_INVALID");
      expect(answer.json.message).toContain("Sign in again");
    });
  });
}
