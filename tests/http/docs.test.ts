import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorCodes, errorTable } from "../../src/contract/errors.ts";
import { operationIds, operations } from "../../src/contract/index.ts";
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
  test("[O3] [T39] /docs names every operation with its method and path, once", async () => {
    const { text } = await page("/docs");
    for (const id of operationIds) {
      expect(text.split(`id="${id}"`)).toHaveLength(2);
      expect(text).toContain(`${operations[id].method} ${operations[id].path}`);
    }
  });

  test("[O3] [T20] /docs/errors has every code with its status, where the documentation field of an error points", async () => {
    const { text } = await page("/docs/errors");
    for (const code of errorCodes) {
      expect(text.split(`id="${code}"`)).toHaveLength(2);
      const row = text.slice(text.indexOf(`id="${code}"`), text.indexOf("</tr>", text.indexOf(`id="${code}"`)));
      expect(row).toContain(String(errorTable[code].status));
    }
  });

  test("[O3] every link on the pages leads somewhere", async () => {
    const seen = new Map<string, string>();
    for (const path of ["/docs", "/docs/errors"]) seen.set(path, (await page(path)).text);
    for (const [path, text] of seen) {
      const links = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link]) => link!);
      expect(links.length).toBeGreaterThan(0);
      for (const link of new Set(links)) {
        const target = new URL(link, `${service.url}${path}`);
        expect(target.origin).toBe(new URL(service.url).origin);
        const answer = seen.get(target.pathname) ?? (await service.request("GET", target.pathname)).text;
        if (!seen.has(target.pathname)) {
          const { status } = await service.request("GET", target.pathname);
          expect([link, status]).toEqual([link, 200]);
        }
        if (target.hash) expect([link, answer.includes(`id="${target.hash.slice(1)}"`)]).toEqual([link, true]);
      }
    }
  });

  test("[O3] pages bring no scripts and nothing from elsewhere", async () => {
    for (const path of ["/docs", "/docs/errors"]) {
      const { text, headers } = await page(path);
      expect(text).not.toMatch(/<script|https?:\/\/(?!127\.0\.0\.1|localhost|example)/i);
      expect(headers["content-security-policy"]).toContain("default-src 'none'");
      expect(headers["x-content-type-options"]).toBe("nosniff");
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
