import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listGroups } from "../../scripts/docs/api-groups.ts";
import { type PlannedPage, readContents } from "../../scripts/docs/contents.ts";
import { settings } from "../../src/config/settings.ts";
import { settingKeys, toFlag, toVariable } from "../../src/config/sources.ts";
import { operationIds } from "../../src/contract/index.ts";
import { type Service, startService } from "../support/harness.ts";
import { read, root, trackedFiles } from "../support/repository.ts";

const planned = readContents();
/** Every page of the table, and the pages of the reference below /docs/api. */
const urls = [...planned.map(({ url }) => url), ...listGroups().map(({ url }) => url), "/docs/api/version-document"];

let service: Service;
const html = new Map<string, string>();

beforeAll(async () => {
  service = await startService("sqlite");
  for (const url of urls) {
    const answer = await service.request("GET", url);
    expect([url, answer.status, answer.headers["content-type"]]).toEqual([url, 200, "text/html; charset=utf-8"]);
    html.set(url, answer.text);
  }
});
afterAll(() => service?.close());

test("[DC1] every page is Markdown at its address with .md, and llms.txt lists it with one line", async () => {
  const { text: llms, headers } = await service.request("GET", "/llms.txt");
  expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
  expect(llms).toMatch(/^# Foyer\n/);
  for (const url of urls) {
    const { status, text, headers } = await service.request("GET", `${url}.md`);
    expect([url, status, headers["content-type"]]).toEqual([url, 200, "text/markdown; charset=utf-8"]);
    expect(text).toMatch(/^# \S/);
    const lines = llms.split("\n").filter((line) => line.includes(`](${url}.md): `));
    expect([url, lines.length]).toEqual([url, 1]);
  }
});

test("[DC2] pages load one script, by its hash, one style sheet, and nothing from elsewhere", async () => {
  const script = await service.request("GET", "/docs/site.js");
  const hash = `sha256-${createHash("sha256").update(script.bytes).digest("base64")}`;
  for (const [url, text] of html) {
    const { headers } = await service.request("HEAD", url);
    const policy = `default-src 'none'; script-src '${hash}'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
    expect(headers).toMatchObject({ "content-security-policy": policy, "x-content-type-options": "nosniff" });
    expect(headers["referrer-policy"]).toBe("no-referrer");
    expect(text.match(/<script[^>]*>/g)).toEqual([`<script src="/docs/site.js" integrity="${hash}" defer>`]);
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+="|javascript:/i);
    const loaded = [...text.matchAll(/<(?:link|img|script|iframe|source|image|use)\b[^>]*?(?:href|src)="([^"]+)"/g)];
    for (const [, source] of loaded)
      expect([url, source]).toEqual([url, expect.stringMatching(/^\/docs[/.]|^\/docs$/)]);
  }
});

/** What the pages link to besides pages: files of the service. */
const files = ["/", "/openapi.json", "/openapi-3.0.json", "/llms.txt", "/play"];

test("[DC3] every link and anchor of the pages leads somewhere", async () => {
  const broken: string[] = [];
  for (const [url, text] of html) {
    const ids = [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id!);
    expect([url, new Set(ids).size]).toEqual([url, ids.length]);
    for (const [, link] of text.matchAll(/<a\b[^>]*?href="([^"]+)"/g)) {
      if (/^(?:https?|mailto):/.test(link!)) continue;
      const [path, anchor] = link!.startsWith("#") ? [url, link!.slice(1)] : link!.split("#");
      if (files.includes(path!)) continue;
      const target = path!.endsWith(".md") && html.has(path!.slice(0, -3)) ? "" : html.get(path!);
      if (target === undefined) broken.push(`${url}: ${link}`);
      else if (anchor && !target.includes(` id="${decodeURIComponent(anchor)}"`)) broken.push(`${url}: ${link}`);
    }
  }
  expect(broken).toEqual([]);
});

test("[DC3] in the repository, anchors of links between documents lead to headings", () => {
  const anchors = (file: string) => {
    const slug = (heading: string) =>
      heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replace(/\s/g, "-");
    return [...read(file).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => slug(heading!));
  };
  const broken = trackedFiles
    .filter((file) => file.endsWith(".md"))
    .flatMap((file) =>
      [
        ...read(file)
          .replace(/```.*?```/gs, "")
          .matchAll(/\]\(((?![a-z]+:|\/)[^)\s]*)#([^)\s]+)\)/g),
      ]
        .map(([, path, anchor]) => [path === "" ? file : normalize(join(dirname(file), path!)), anchor!] as const)
        .filter(
          ([path, anchor]) =>
            !existsSync(join(root, path)) || (path.endsWith(".md") && !anchors(path).includes(anchor)),
        )
        .map(([path, anchor]) => `${file}: ${path}#${anchor}`),
    );
  expect(broken).toEqual([]);
});

test("[DC4] every Markdown file of docs/ is a page, and every page is in the navigation or below one that is", () => {
  const documents = trackedFiles.filter((file) => /^docs\/.*\.md$/.test(file));
  expect(documents.length).toBeGreaterThan(20);
  expect(documents.filter((file) => !planned.some((page) => page.file === file))).toEqual([]);
  const navigation = html.get("/docs")!.split('id="pages"')[1]!.split("</nav>")[0]!;
  const isReached = ({ url, isListed }: PlannedPage) =>
    isListed ? navigation.includes(`href="${url}"`) : html.get(dirname(url))!.includes(`href="${url}"`);
  expect(planned.filter((page) => !isReached(page)).map(({ url }) => url)).toEqual([]);
  for (const { about } of planned) expect(about).toMatch(/^.{10,140}$/);
  const about = planned.filter(({ isListed }) => isListed).map(({ about }) => about);
  expect(about.filter((line) => !line.endsWith("."))).toEqual([]);
});

test("[DC4] the table's order is that of the previous and next links", () => {
  let url: string | undefined = "/docs";
  const seen: string[] = [];
  while (url !== undefined) {
    seen.push(url);
    url = /rel="next" href="([^"]+)"/.exec(html.get(url)!)?.[1];
  }
  const listed = planned.filter(({ isListed }) => isListed).map((page) => page.url);
  expect(seen.filter((each) => listed.includes(each))).toEqual(listed);
});

test("[DC6] the page of settings has every setting with its flag, variable, default and meaning", () => {
  const text = html.get("/docs/settings")!;
  for (const key of settingKeys) {
    const row = text.slice(text.indexOf(`id="${key}"`), text.indexOf("</tr>", text.indexOf(`id="${key}"`)));
    expect(row).toContain(toVariable(key));
    if (!("secret" in settings[key])) expect(row).toContain(toFlag(key));
    const { fallback } = settings[key];
    if (fallback !== null && String(fallback) !== "") expect(row).toContain(String(fallback));
  }
});

test("[DC5] [O3] [T39] every operation has one section, and old addresses of it lead there", () => {
  const index = html.get("/docs/api")!;
  for (const id of operationIds) {
    const pages = [...html].filter(([url, text]) => url.startsWith("/docs/api/") && text.includes(`<h2 id="${id}">`));
    expect([id, pages.length]).toEqual([id, 1]);
    // The script of /docs and /docs/api follows this link when the address ends with the id.
    expect(index).toContain(`<tr id="${id}"><td><a href="${pages[0]![0]}#${id}">`);
  }
});
