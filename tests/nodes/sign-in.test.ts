import { expect, test } from "vitest";
import { expectRefusal } from "../support/expectations.ts";
import { signIn } from "../support/harness.ts";
import { install } from "./installation.ts";

test("[SG1] [SG2] codes and sessions are known to the node that made them", async () => {
  const installation = await install();
  const a = await installation.start("a");
  const b = await installation.start("b");
  const { code } = await a.admin("POST", "/cloud/sign-in-codes");
  expectRefusal(await b.request("POST", "/cloud/sign-in", { body: { code } }), "TOKEN_INVALID");
  expect((await a.request("POST", "/cloud/sign-in", { body: { code } })).status).toBe(200);
  const { token } = await signIn(a);
  const elsewhere = await b.request("GET", "/cloud/whoami", { token });
  expectRefusal(elsewhere, "TOKEN_INVALID");
  expect(elsewhere.json.message).toContain("another node");
});
