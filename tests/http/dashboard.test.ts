import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectRefusal } from "../support/expectations.ts";
import { type Service, startService } from "../support/harness.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const script = `console.log("the script");\n${"// filling\n".repeat(200)}`;
const hash = createHash("sha256").update(script).digest("base64");
const pagePaths = ["/", "/dashboard", "/dashboard/", "/dashboard/games/a/namespaces/b/lobbies?mode=duel"];

/** A build as small as it can be. */
function buildFolder(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "assets"));
  const scriptElement = `<script type="module" src="/assets/index-abc.js" integrity="sha256-${hash}"></script>`;
  writeFileSync(join(folder, "index.html"), `<!doctype html><html lang="en"><head>${scriptElement}</head></html>`);
  writeFileSync(join(folder, "assets", "index-abc.js"), script);
  writeFileSync(join(folder, "assets", "style-def.css"), "body { margin: 0 }");
  writeFileSync(join(folder, "assets", "notes.txt"), "not for the page");
  return folder;
}

describe("the dashboard", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService(
      "sqlite",
      { trustedProxies: ["127.0.0.1"], ratePages: 4 },
      { dashboardDir: buildFolder() },
    );
  });
  afterAll(() => service?.close());
  const get = (path: string, headers: Record<string, string> = {}) => service.request("GET", path, { headers });

  test("[DB1] / and every address below /dashboard are its page", async () => {
    const texts = [];
    for (const path of pagePaths) {
      const { status, headers, text } = await get(path);
      expect([path, status, headers["content-type"]]).toEqual([path, 200, "text/html; charset=utf-8"]);
      expect(headers["cache-control"]).toBe("no-cache");
      expect((await get(path, { "if-none-match": headers.etag! })).status).toBe(304);
      texts.push(text);
    }
    expect(new Set(texts).size).toBe(1);
    for (const path of ["/dashboards", "/games", "/assets", "/assets/notes.txt", "/assets/../index.html"]) {
      expectRefusal(await get(path), "API_NOT_FOUND");
    }
    expectRefusal(await service.request("POST", "/dashboard/games"), "API_METHOD_NOT_ALLOWED");
  });

  test("[DB2] the policy allows its script by hash, nothing inline, and no frame around it", async () => {
    const { headers } = await get("/dashboard/games");
    const policy = new Map(
      String(headers["content-security-policy"])
        .split("; ")
        .map((directive) => [directive.split(" ", 1)[0], directive.split(" ").slice(1)]),
    );
    expect(policy.get("default-src")).toEqual(["'none'"]);
    expect(policy.get("script-src")).toEqual([`'sha256-${hash}'`]);
    expect(policy.get("connect-src")).toEqual(["'self'"]);
    expect(policy.get("frame-ancestors")).toEqual(["'none'"]);
    expect(String(headers["content-security-policy"])).not.toContain("unsafe");
    expect(headers["referrer-policy"]).toBe("no-referrer");
  });

  test("[DB3] files with a hash in their name are compressed and kept for a year", async () => {
    const { headers, bytes } = await get("/assets/index-abc.js", { "accept-encoding": "gzip" });
    expect(headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "content-encoding": "gzip",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
    });
    expect(gunzipSync(bytes).toString()).toBe(script);
    expect(
      (await get("/assets/index-abc.js", { "if-none-match": (await get("/assets/index-abc.js")).headers.etag! }))
        .status,
    ).toBe(304);
    expect((await get("/assets/style-def.css")).headers["content-type"]).toBe("text/css; charset=utf-8");
  });

  test("[DB4] its page and files count as pages of the service, and answer under its own name only", async () => {
    const from = { "x-forwarded-for": "192.0.2.1" };
    for (const path of ["/", "/dashboard/games", "/assets/index-abc.js", "/assets/style-def.css"]) {
      expect((await get(path, from)).status).toBe(200);
    }
    for (const path of [...pagePaths, "/assets/index-abc.js"]) {
      expectRefusal(await get(path, from), "API_RATE_LIMIT");
      expectRefusal(await get(path, { host: "evil.example" }), "API_WRONG_HOST");
    }
  });
});

test("[DB5] without a build / says so", async () => {
  const service = await startService("sqlite", {}, { dashboardDir: join(temporaryFolder(), "dist") });
  const [{ status, text, headers }, deep] = [
    await service.request("GET", "/"),
    await service.request("GET", "/dashboard/games"),
  ];
  await service.close();
  expect([status, deep.status]).toEqual([200, 404]);
  expect(text).toContain("The dashboard is not built");
  expect(headers["content-security-policy"]).toContain("script-src 'none'");
});
