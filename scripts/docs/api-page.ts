import { describeCaller, listErrorCodes, type Operation } from "../../src/contract/define.ts";
import { type ErrorCode, errorTable } from "../../src/contract/errors.ts";
import { versionConfig } from "../../src/contract/version-config.ts";
import { type Calls, callsOf } from "./api-calls.ts";
import { type Example, exampleOf } from "./api-examples.ts";
import type { ApiGroup } from "./api-groups.ts";
import type { Highlight } from "./highlight.ts";
import { codeBlock, type Rendered } from "./markdown.ts";
import { schemaTable } from "./schema-rows.ts";
import { escapeHtml, inline } from "./text.ts";

/** A page of the reference: the operations of a group, each as a section. */
export function renderGroup({ title, about, operations }: ApiGroup, highlight: Highlight): Rendered {
  const sections = operations.map(([id, operation]) => operationSection(id, operation, highlight));
  return {
    title,
    html: `<h1>${escapeHtml(title)}</h1><p class="lead">${inline(about)}</p>${tokenField}${sections.join("")}`,
    headings: operations.map(([id]) => ({ depth: 2, id, text: id.slice(id.lastIndexOf(".") + 1) })),
    parts: [
      { id: "", title, text: about },
      ...operations.map(([id, { summary, details = "", method, path }]) => ({
        id,
        title: id,
        text: `${summary} ${details} ${method} ${path}`,
      })),
    ],
  };
}

/** The script shows it: without it nothing can be sent. */
const tokenField = `<form class="token-field" hidden><label for="token">Token for <em>Try it</em></label>
<input id="token" type="password" autocomplete="off" spellcheck="false" placeholder="admin_…, pub_…">
<p>It stays in this page and is sent to this service only. Leave the page, and it is forgotten.</p></form>`;

/** `/docs/api`: how to call, and every operation with a link to its section. */
export function renderApiIndex(groups: readonly ApiGroup[]): Rendered {
  const rows = (group: ApiGroup) =>
    group.operations.map(
      ([id, { method, path, summary }]) =>
        `<tr id="${id}"><td><a href="${group.url}#${id}"><code>${id}</code></a></td><td>${methodMark(method)}</td><td><code>${escapeHtml(path)}</code><br>${inline(summary)}</td></tr>`,
    );
  const sections = groups.map(
    (group) =>
      `<h2 id="${slug(group)}"><a href="${group.url}">${escapeHtml(group.title)}</a></h2><p>${inline(group.about)}</p><div class="table"><table class="operations"><thead><tr><th scope="col">Operation</th><th scope="col">Method</th><th scope="col">Path</th></tr></thead><tbody>${rows(group).join("")}</tbody></table></div>`,
  );
  return {
    title: "API",
    html: `<h1>API</h1>${intro}${sections.join("")}`,
    headings: groups.map((group) => ({ depth: 2, id: slug(group), text: group.title })),
    parts: [{ id: "", title: "API", text: intro.replace(/<[^>]+>/g, "") }],
  };
}

const slug = ({ url }: ApiGroup) => url.slice(url.lastIndexOf("/") + 1);

const intro = `<p class="lead">Every operation of the service. Games call <code>/matchmaker</code>, operators call <code>/cloud</code>.</p>
<p>Every call takes and answers JSON in UTF-8. Tokens go into <code>Authorization: Bearer &lt;token&gt;</code>; <a href="/docs/tokens">Tokens</a>
says which there are. A success without a listed answer is <code>204</code> with an empty body. <code>{game_id}</code> and <code>{namespace_id}</code>
take a UUID or a name_id. Every code of a failure is on the page <a href="/docs/errors">Errors</a>; the document of a version has
<a href="/docs/api/version-document">a page of its own</a>. Machines read <a href="/openapi.json">openapi.json</a> or, what games call, as OpenAPI
3.0 <a href="/openapi-3.0.json">openapi-3.0.json</a>.</p>`;

export function renderVersionDocument(): Rendered {
  const title = "Version document";
  const about =
    "A version says which regions and game modes there are, and how the lobbies of each game mode run. These are its fields.";
  return {
    title,
    html: `<h1>${title}</h1><p class="lead">${about}</p>${schemaTable(versionConfig)}`,
    headings: [],
    parts: [{ id: "", title, text: about }],
  };
}

function operationSection(id: string, operation: Operation, highlight: Highlight): string {
  const example = exampleOf(id, operation);
  const callers = operation.callers.map((caller) => `<li>${describeCaller(caller)}</li>`);
  const parts = [
    `<h2 id="${id}"><span>${id}</span> <a class="anchor" href="#${id}" aria-label="Link to ${id}">#</a></h2>`,
    `<p class="call">${methodMark(operation.method)} <code>${escapeHtml(operation.path)}</code></p>`,
    `<p>${inline(operation.summary)}${operation.details ? ` ${inline(operation.details)}` : ""}</p>`,
    callers.length > 0 ? `<div class="callers"><span>Callers</span><ul>${callers.join("")}</ul></div>` : "",
    exampleTabs(id, callsOf(id, operation, example), highlight),
    answerExample(example, highlight),
    `<button class="try-open" type="button" data-operation="${id}" hidden>Try it<span class="only-read"> ${id}</span></button>`,
    headersPart(operation),
    operation.query ? `<h3>Query</h3>${schemaTable(operation.query)}` : "",
    bodyPart(operation),
    ...answerParts(operation),
    failures(operation),
  ];
  return `<section class="operation">${parts.filter(Boolean).join("\n")}</section>`;
}

const methodMark = (method: string) => `<span class="method ${method.toLowerCase()}">${method}</span>`;

/** All three without the script; the script shows one at a time. */
function exampleTabs(id: string, calls: Calls, highlight: Highlight): string {
  const forms: [keyof Calls, string, string][] = [
    ["curl", "curl", "sh"],
    ["foyer", "foyer", "sh"],
    ["sdk", "SDK", "js"],
  ];
  const panels = forms.map(
    ([form, label, language]) =>
      `<div class="panel" data-form="${form}" data-label="${label}">${codeBlock(calls[form], language, highlight)}</div>`,
  );
  return `<div class="tabs" data-name="${id}">${panels.join("")}</div>`;
}

function answerExample({ answer }: Example, highlight: Highlight): string {
  if (answer === undefined) return "";
  const text = JSON.stringify(answer, null, 2);
  return `<details class="answer"><summary>Example of an answer</summary>${codeBlock(text, "json", highlight)}</details>`;
}

function headersPart({ errors, stream }: Operation): string {
  const rows = [
    errors.includes("MATCHMAKER_IDEMPOTENCY_KEY_REUSED") &&
      "<li><code>Idempotency-Key</code>: 1 to 128 visible ASCII characters. A retry with the same key and body takes no second seat.</li>",
    stream && "<li><code>Last-Event-ID</code>: the id of the last event received. The stream continues after it.</li>",
  ].filter(Boolean);
  return rows.length === 0 ? "" : `<h3>Headers</h3><ul>${rows.join("")}</ul>`;
}

function bodyPart({ body, bodyOptional, rawBody }: Operation): string {
  if (rawBody) return "<h3>Body</h3><p>The bytes of the archive.</p>";
  return body ? `<h3>Body${bodyOptional ? " (optional)" : ""}</h3>${schemaTable(body)}` : "";
}

function answerParts({ reply, dryRunReply, stream, streamWhen, csvField }: Operation): string[] {
  const streamed = stream ? [streamPart(stream, streamWhen)] : [];
  if (!reply) return stream ? streamed : ["<h3>Answer</h3><p><code>204</code>, empty.</p>"];
  const csv = csvField ? "<p>With <code>Accept: text/csv</code> the same as CSV.</p>" : "";
  const dryRun = dryRunReply ? [`<h3>Answer to dry_run</h3>${schemaTable(dryRunReply)}`] : [];
  return [`<h3>Answer</h3>${schemaTable(reply)}${csv}`, ...dryRun, ...streamed];
}

function streamPart(stream: NonNullable<Operation["stream"]>, streamWhen: string | undefined): string {
  const events = Object.entries(stream).map(
    ([name, data]) => `<details><summary><code>${name}</code></summary>${schemaTable(data)}</details>`,
  );
  const title = streamWhen === undefined ? "Answer: events" : `Answer to ${streamWhen}: events`;
  return `<h3>${title}</h3><p>Server-sent events, until one side ends the stream. A line that begins with a colon every 15 seconds shows that
    it lives. The data of each event is JSON:</p>${events.join("")}`;
}

function failures(operation: Operation): string {
  const shared = listErrorCodes(operation).filter((code) => !operation.errors.includes(code));
  const own = operation.errors.length === 0 ? "" : `<ul class="codes">${operation.errors.map(errorItem).join("")}</ul>`;
  return `<h3>Failures</h3>${own}<details><summary>Failures that most operations have</summary><ul class="codes">${shared.map(errorItem).join("")}</ul></details>`;
}

const errorItem = (code: ErrorCode) =>
  `<li><a href="/docs/errors#${code}"><code>${code}</code></a> <span>${errorTable[code].status}</span></li>`;
