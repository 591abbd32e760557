import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorCodes, errorTable } from "../../src/contract/errors.ts";
import { openApiDocument } from "../../src/contract/openapi.ts";
import { expectAnswer } from "../support/expectations.ts";
import { type Service, startService } from "../support/harness.ts";

let service: Service;
beforeAll(async () => {
  service = await startService("sqlite");
});
afterAll(() => service?.close());

const page = async (path: string) => {
  const answer = await service.request("GET", path);
  expect([path, answer.status, answer.headers["content-type"]]).toEqual([path, 200, "text/html; charset=utf-8"]);
  return answer;
};

describe("the service's own pages need no token", () => {
  test("[O3] [T20] /docs/errors has every code with its status, where the documentation field of an error points", async () => {
    const { text } = await page("/docs/errors");
    for (const code of errorCodes) {
      expect(text.split(`id="${code}"`)).toHaveLength(2);
      const row = text.slice(text.indexOf(`id="${code}"`), text.indexOf("</tr>", text.indexOf(`id="${code}"`)));
      expect(row).toContain(String(errorTable[code].status));
    }
  });

  test("[O1] [O2] [T39] /openapi.json is the contract; /healthz and /readyz are well", async () => {
    expectAnswer(await service.request("GET", "/openapi.json"), JSON.parse(JSON.stringify(openApiDocument(null))));
    expectAnswer(await service.request("GET", "/healthz"), { status: "ok" });
    expectAnswer(await service.request("GET", "/readyz"), { status: "ready" });
  });

  test("[T39] a service known by another name says so in its openapi.json", async () => {
    const known = await startService("sqlite", { publicUrl: "https://foyer.example.com" });
    try {
      const answer = await known.request("GET", "/openapi.json");
      expect(answer.json.servers).toEqual([{ url: "https://foyer.example.com" }]);
    } finally {
      await known.close();
    }
  });
});
