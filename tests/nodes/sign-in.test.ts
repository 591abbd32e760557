import { expect, test } from "vitest";
import { expectEmpty, expectRefusal } from "../support/expectations.ts";
import { signIn } from "../support/harness.ts";
import { install } from "./installation.ts";

test("[SG1] [SG2] codes work once over all nodes; sessions are good on every node, and end on every node", async () => {
  const installation = await install();
  const a = await installation.start("a");
  const b = await installation.start("b");
  for (let round = 0; round < 5; round++) {
    const { code } = await a.admin("POST", "/cloud/sign-in-codes");
    const answers = await Promise.all(
      [a, b, a, b].map((at) => at.request("POST", "/cloud/sign-in", { body: { code } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    const { token } = answers.find(({ status }) => status === 200)!.json;
    for (const at of [b, a]) expect((await at.request("GET", "/cloud/whoami", { token })).status).toBe(200);
  }

  const { token, tokenId } = await signIn(a);
  const { sessions } = (await b.request("GET", "/cloud/sessions?limit=2", { token })).json;
  expect(sessions).toHaveLength(2);
  expect(sessions[0].session_id).toBe(tokenId);
  const other = await signIn(b);
  expectEmpty(await b.request("DELETE", `/cloud/sessions/${tokenId}`, { token: other.token }));
  const again = await b.request("DELETE", `/cloud/sessions/${tokenId}`, { token: other.token });
  expectRefusal(again, "CLOUD_TOKEN_NOT_FOUND");
  for (const at of [a, b]) expectRefusal(await at.request("GET", "/cloud/whoami", { token }), "TOKEN_INVALID");
});
