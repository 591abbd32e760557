import { ReplyError } from "ioredis";
import { expect, test } from "vitest";
import { classifyError, isLoginError, isNoScript } from "../../src/redis/errors.ts";

const sha = "a".repeat(40);
// Cast: the class of the replies is exported without a type for its constructor.
const reply = (message: string) => new (ReplyError as unknown as new (message: string) => Error)(message);
const coded = (code: string) => Object.assign(new Error(`connect ${code} 127.0.0.1:6379`), { code });

const passing = ["passing", [true, false, false]] as const;
const wrongServer = ["passing after another connection", [true, true, false]] as const;
const lasting = ["lasting", [false, false, false]] as const;
const alarming = ["alarming", [false, false, true]] as const;

test.each([
  [reply("MOVED 3999 127.0.0.1:6381"), passing],
  [reply("ASK 3999 127.0.0.1:6381"), passing],
  [reply("TRYAGAIN Multiple keys request during rehashing of slot"), passing],
  [reply("CLUSTERDOWN Hash slot not served"), passing],
  [reply("CLUSTERDOWN The cluster is down"), passing],
  [reply("LOADING Redis is loading the dataset in memory"), passing],
  [reply("BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."), passing],
  [reply("NOSCRIPT No matching script. Please use EVAL."), passing],
  [reply("ERR max number of clients reached"), passing],
  [reply("READONLY You can't write against a read only replica."), wrongServer],
  [reply("READONLY Can not run script with write flag on readonly replica."), wrongServer],
  [reply(`READONLY You can't write against a read only replica. script: ${sha}, on @user_script:3.`), wrongServer],
  [reply("MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."), wrongServer],
  [reply("OOM command not allowed when used memory > 'maxmemory'."), lasting],
  [reply("OOM allow-oom flag is not set on the script, can not run it when used memory > 'maxmemory'"), lasting],
  [reply("MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk."), lasting],
  [reply("NOREPLICAS Not enough good replicas to write."), lasting],
  [reply("NOAUTH Authentication required."), alarming],
  [reply("WRONGPASS invalid username-password pair or user is disabled."), alarming],
  [reply("NOPERM User foyer has no permissions to run the 'evalsha' command"), alarming],
  [reply(`ERR user_script:12: attempt to index a nil value script: ${sha}, on @user_script:12.`), alarming],
  [
    reply(`WRONGTYPE Operation against a key holding the wrong kind of value script: ${sha}, on @user_script:3.`),
    alarming,
  ],
  [
    reply(`ERR Script attempted to access a non local key in a cluster node script: ${sha}, on @user_script:2.`),
    alarming,
  ],
  [reply("ERR unknown command 'EVALSHA', with args beginning with: "), alarming],
  [reply("CROSSSLOT Keys in request don't hash to the same slot"), alarming],
  [reply("SOMETHING that no Redis says today"), alarming],
  [coded("ECONNREFUSED"), passing],
  [coded("ECONNRESET"), passing],
  [coded("EPIPE"), passing],
  [new Error("Connection is closed."), passing],
  [new Error("Stream isn't writeable and enableOfflineQueue options is false"), passing],
  [new Error("Cluster isn't ready and enableOfflineQueue options is false"), passing],
  [new Error("Socket timeout. Expecting data, but didn't receive any in 2000ms."), passing],
  [new Error("Too many Cluster redirections. Last error: Error: Connection is closed."), passing],
] as const)("[I26] [RF1] %s", (error, [, flags]) => {
  const info = classifyError(error)!;
  expect([info.isPassing, info.isWrongServer, info.isAlarming]).toEqual(flags);
  expect(info.reason).not.toBe("");
});

test("[RF1] an error in this process is not an error of Redis", () => {
  expect([new TypeError("x is not a function"), new RangeError("out of it"), "text"].map(classifyError)).toEqual([
    null,
    null,
    null,
  ]);
});

test("[RF2] a missing script and a refused login are distinguished from everything else", () => {
  const noScript = reply("NOSCRIPT No matching script. Please use EVAL.");
  const noLogin = reply("NOAUTH Authentication required.");
  expect([noScript, noLogin, new Error("NOSCRIPT")].map(isNoScript)).toEqual([true, false, false]);
  expect([noScript, noLogin, new Error("NOAUTH")].map(isLoginError)).toEqual([false, true, false]);
});
