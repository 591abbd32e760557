import { describe, expect, test } from "vitest";
import { createLog, type LogOptions, throttled, throttledByText } from "../src/ground/log.ts";
import { redact } from "../src/ground/redact.ts";
import { newKeptToken, newSignInCode } from "../src/ground/tokens.ts";

function logInto(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const log = createLog({
    level: "trace",
    format: "json",
    destination: { write: (line) => lines.push(line) },
    ...options,
  });
  return { log, lines, text: () => lines.join("") };
}

const kinds = ["admin", "cloud", "pub", "dev", "server", "lobby", "player", "devplayer", "session"];
const random = "Ab3_-9".repeat(8);

describe("secrets", () => {
  test.each(kinds)(
    "[O12] a %s token is redacted in messages, fields, nested fields, keys, errors and causes",
    (kind) => {
      for (const format of ["json", "pretty"] as const) {
        const { log, text } = logInto({ format });
        const token = `${kind}_${random}`;
        log.info({ token, deep: { list: [`Bearer ${token}`] }, [token]: 1 }, `got ${token}!`);
        log.error(new Error(`bad ${token}`, { cause: new Error(`worse ${token}`) }));
        log.child({ token }).warn("child");
        expect(text()).toContain(`${kind}_[redacted]`);
        expect(text()).not.toContain(random);
      }
    },
  );

  test("[SG6] [O12] the code of a sign-in address is redacted", () => {
    const address = "http://127.0.0.1:7100/#sign-in=";
    expect(redact(`${address}${newSignInCode()}`)).toBe(`${address}signin_[redacted]`);
    expect(redact(`"${newKeptToken("session")}"`)).toBe('"session_[redacted]"');
  });

  test("[O12] a token glued to other text is redacted too, with the right kind", () => {
    expect(redact(`xdevplayer_${random}`)).toBe("xdevplayer_[redacted]");
    expect(redact(`lobby_${random}.${random} end`)).toBe("lobby_[redacted] end");
  });

  test("ordinary names are left alone", () => {
    const text = "lobby_count_max player_id=7 dev_tools http://127.0.0.1:7100/a@b file:///x/@scope/y 12:30@noon";
    expect(redact(text)).toBe(text);
  });

  test("[O12] passwords in URLs are redacted, with an @ in them and as a query parameter", () => {
    expect(redact("postgres://foyer:p@ss:w@db:5432/x")).toBe("postgres://foyer:[redacted]@db:5432/x");
    expect(redact("redis://:hush@cache")).toBe("redis://:[redacted]@cache");
    expect(redact("postgres:///x?user=a&password=hush&ssl=1")).toBe("postgres:///x?user=a&password=[redacted]&ssl=1");
  });

  test("[O12] texts named as secret are hidden, whatever they look like", () => {
    const { log, text } = logInto({ secrets: ['my "own" admin secret'] });
    log.info({ header: 'Bearer my "own" admin secret' }, 'my "own" admin secret');
    expect(text()).not.toContain("own");
  });

  test("an error is logged with type, code, message, stack and cause, but not with the values of a query", () => {
    const { log, lines } = logInto();
    const fault = Object.assign(new Error("duplicate key"), { code: "23505", parameters: ["hush"], detail: "hush" });
    log.error({ err: new AggregateError([fault], "all failed", { cause: fault }) }, "failed");
    const { err } = JSON.parse(lines[0]!);
    expect(err).toMatchObject({ type: "AggregateError", message: "all failed", cause: { code: "23505" } });
    expect(err.errors).toHaveLength(1);
    expect(err.stack).toContain("log.test.ts");
    expect(lines[0]).not.toContain("hush");
  });

  test("a circle of causes ends", () => {
    const { log, lines } = logInto();
    const error = new Error("round");
    error.cause = error;
    log.error(error);
    expect(lines).toHaveLength(1);
  });
});

describe("form", () => {
  test("JSON: one line each, with level name and time", () => {
    const { log, lines } = logInto({ level: "info" });
    log.debug("not this");
    log.info({ lobbies: 3 }, "ready");
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toEqual({
      level: "info",
      time: expect.stringMatching(/Z$/),
      lobbies: 3,
      msg: "ready",
    });
    expect(lines[0]!.endsWith("}\n")).toBe(true);
  });

  test("auto is pretty on a terminal and JSON elsewhere", () => {
    for (const isTTY of [true, false]) {
      const lines: string[] = [];
      createLog({ level: "info", format: "auto", destination: { write: (line) => lines.push(line), isTTY } }).info(
        "hi",
      );
      expect(lines[0]!.startsWith("{")).toBe(!isTTY);
    }
  });

  test("pretty: time, level, message, key=value, and the stack below", () => {
    const { log, lines } = logInto({ format: "pretty" });
    log.info({ lobbies: 3, name: "two words", flags: { a: true } }, "ready");
    log.error({ err: new Error("bad"), request: "r1" }, "failed");
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} INFO {2}ready lobbies=3 name="two words" flags={"a":true}\n$/);
    expect(lines[1]).toMatch(/^\S+ ERROR failed request=r1\n {4}Error: bad\n {8}at /);
  });

  test("pretty: a logged text cannot add lines or move the cursor", () => {
    const { log, lines } = logInto({ format: "pretty" });
    log.warn({ agent: "a\nb\u001b[2J" }, "x\n12:00:00.000 INFO fake\u001b[1A");
    expect(lines[0]!.trimEnd()).not.toContain("\n");
    expect(lines[0]).not.toContain("\u001b");
  });

  test("[VF2] on a terminal no logged text has control characters, in JSON neither, and the JSON says the same", () => {
    const text = "a\u009b2J\u007f\u202eb\u2028c\td";
    for (const format of ["json", "pretty"] as const) {
      const lines: string[] = [];
      const destination = { write: (line: string) => lines.push(line), isTTY: true };
      createLog({ level: "info", format, destination }).warn({ log: text }, text);
      expect(lines[0]!.trimEnd()).not.toMatch(/[\u007f-\u009f\u202e\u2028\n]/);
      if (format === "json") expect(JSON.parse(lines[0]!)).toMatchObject({ log: text, msg: text });
    }
  });

  test("[VF11] pretty: a change is one short line; the JSON log has the whole entry", () => {
    const audit = {
      audit_id: "0193",
      operation: "games.namespaces.lobbies.stop",
      kind: "admin",
      target: "0194",
      client: "127.0.0.1",
      request_id: "0195",
    };
    const { log, lines } = logInto({ format: "pretty" });
    log.info({ audit }, "changed by games.namespaces.lobbies.stop");
    expect(lines[0]).toMatch(
      /^[\d:.]+ changed {2}games\.namespaces\.lobbies\.stop 0194, with the admin token, from 127\.0\.0\.1\n$/,
    );
    const json = logInto({ format: "json" });
    json.log.info({ audit }, "changed by games.namespaces.lobbies.stop");
    expect(JSON.parse(json.lines[0]!)).toMatchObject({ audit, msg: "changed by games.namespaces.lobbies.stop" });
  });

  test("[VF11] pretty: a deploy is printed once, by the line that names the version; the JSON log has its entry", () => {
    const audit = {
      operation: "games.namespaces.updateGameNamespaceVersion",
      kind: "admin",
      target: "0194",
      client: "127.0.0.1",
    };
    const pretty = logInto({ format: "pretty" });
    pretty.log.info({ audit }, "changed");
    expect(pretty.lines.join("")).toBe("");
    const json = logInto({ format: "json" });
    json.log.info({ audit }, "changed");
    expect(json.lines).toHaveLength(1);
  });

  test("pretty: a long value is cut", () => {
    const { log, lines } = logInto({ format: "pretty" });
    log.warn({ log: "x ".repeat(1000) }, "ended");
    expect(lines[0]!.length).toBeLessThan(400);
  });

  test("pretty: colours only when asked for", () => {
    const { log, lines } = logInto({ format: "pretty", colours: true });
    log.info("hi");
    expect(lines[0]).toContain("\u001b[32mINFO");
  });
});

test("a repeated message is logged immediately, and then not for a while", () => {
  const said: [string, number][] = [];
  const say = throttled((what: string, times) => said.push([what, times]));
  for (const what of ["first", "second", "third"]) say(what);
  expect(said).toEqual([["first", 1]]);
});

test("throttling one message does not suppress another", () => {
  const said: [string, number][] = [];
  const say = throttledByText((what, times) => said.push([what, times]));
  for (const what of ["no room here", "no room there", "no room here"]) say(what);
  expect(said).toEqual([
    ["no room here", 1],
    ["no room there", 1],
  ]);
});
