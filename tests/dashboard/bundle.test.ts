import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { root } from "../support/repository.ts";
import { ensureDashboardBuilt } from "../support/server.ts";

const dist = join(root, "dashboard/dist");
const patient = 120_000;

beforeAll(ensureDashboardBuilt, patient);

const filesOf = (folder: string) => readdirSync(join(dist, folder)).filter((name) => !name.startsWith("."));

test("[DB20] the dashboard is one page, one script, one style sheet and a sign, and at most 150 kB gzipped", () => {
  expect(filesOf("").sort()).toEqual(["assets", "index.html"]);
  expect(
    filesOf("assets")
      .map((name) => name.replace(/-[\w-]{8}\./, "."))
      .sort(),
  ).toEqual(["foyer.svg", "index.js", "style.css"]);
  const files = ["index.html", ...filesOf("assets").map((name) => join("assets", name))];
  const sizes = files.map((name) => gzipSync(readFileSync(join(dist, name))).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(150_000);
});

test("[DB21] the page has no inline script or style, and names script and style sheet with their hashes", () => {
  const html = readFileSync(join(dist, "index.html"), "utf8");
  expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
  const named = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))" integrity="sha256-([^"]+)"/g)];
  expect(named.length).toBe(2);
  for (const [, path, hash] of named) {
    const content = readFileSync(join(dist, path!));
    expect(createHash("sha256").update(content).digest("base64")).toBe(hash);
  }
});
