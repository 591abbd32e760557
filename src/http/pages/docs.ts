import { describeCaller, listErrorCodes, type Operation } from "../../contract/define.ts";
import { type ErrorCode, errorCodes, errorTable } from "../../contract/errors.ts";
import { operationList } from "../../contract/index.ts";
import { versionConfig } from "../../contract/version-config.ts";
import { schemaTable } from "./docs-schema.ts";
import { escapeHtml, inline, layout } from "./html.ts";

export { stylesheet } from "./html.ts";

/** `/docs`: every operation, from the same table that runs the server. */
export function referencePage(): string {
  const groups = new Map<string, string[]>();
  for (const [id, operation] of operationList) {
    const group = id.slice(0, id.lastIndexOf("."));
    groups.set(group, [...(groups.get(group) ?? []), operationSection(id, operation)]);
  }
  const contents = operationList.map(
    ([id, { method, path }]) =>
      `<li><a href="#${id}"><code>${id}</code></a> <span class="call">${method} ${escapeHtml(path)}</span></li>`,
  );
  const sections = [...groups].map(([name, operations]) => `<h2>${name}</h2>${operations.join("")}`);
  const version = `<h2 id="VersionConfig">The version document</h2>${schemaTable(versionConfig)}`;
  return layout(
    "API reference",
    `<p>Every call takes and answers JSON in UTF-8. Tokens go into <code>Authorization: Bearer &lt;token&gt;</code>. A success
    without a listed answer is <code>204</code> with an empty body. <code>{game_id}</code> and <code>{namespace_id}</code> take a
    UUID or a name_id. Machines read <a href="/openapi.json">openapi.json</a> or, what games call, as OpenAPI 3.0 <a href="/openapi-3.0.json">openapi-3.0.json</a>; every code of a failure is on the
    <a href="/docs/errors">errors page</a>.</p><ul class="contents">${contents.join("")}</ul>${sections.join("")}${version}`,
  );
}

/** `/docs/errors`: every code with its status and meaning. */
export function errorsPage(): string {
  const rows = errorCodes.map((code) => {
    const { status, meaning } = errorTable[code];
    return `<tr id="${code}"><td><a href="#${code}"><code>${code}</code></a></td><td>${status}</td><td>${inline(meaning)}</td></tr>`;
  });
  return layout(
    "Errors",
    `<p>Every answer that is no success has this body. <code>errors</code> lists every issue, not only the first; it and
    <code>metadata</code> are left out when empty. Quote <code>request_id</code> when you look into the service's log.</p>
    <pre>{ "code": "CLOUD_INVALID_DOMAIN", "message": "…", "request_id": "…",
  "documentation": "/docs/errors#CLOUD_INVALID_DOMAIN", "errors": [{ "path": ["domain"], "message": "…" }] }</pre>
    <table><thead><tr><th>Code</th><th>Status</th><th>Meaning</th></tr></thead><tbody>${rows.join("")}</tbody></table>`,
  );
}

function operationSection(id: string, operation: Operation): string {
  const callers = operation.callers.map(describeCaller);
  const parts = [
    operation.query && `<h4>Query</h4>${schemaTable(operation.query)}`,
    operation.body && `<h4>Body${operation.bodyOptional ? " (optional)" : ""}</h4>${schemaTable(operation.body)}`,
    ...answerParts(operation),
    `<h4>Failures</h4><p class="codes">${listErrorCodes(operation).map(errorLink).join(" ")}</p>`,
  ];
  return `<section id="${id}"><h3><a href="#${id}">${id}</a></h3><p><span class="call">${operation.method} ${escapeHtml(
    operation.path,
  )}</span></p><p>${inline(operation.summary)}${operation.details ? ` ${inline(operation.details)}` : ""} Callers: ${callers.join(", ")}.</p>${parts.filter(Boolean).join("")}</section>`;
}

function answerParts({ reply, dryRunReply, stream, streamWhen }: Operation): string[] {
  const streamed = stream ? [streamPart(stream, streamWhen)] : [];
  if (!reply) return stream ? streamed : ["<h4>Answer: 204, empty</h4>"];
  const dryRun = dryRunReply ? [`<h4>Answer to dry_run: 200</h4>${schemaTable(dryRunReply)}`] : [];
  return [`<h4>Answer: 200</h4>${schemaTable(reply)}`, ...dryRun, ...streamed];
}

function streamPart(stream: NonNullable<Operation["stream"]>, streamWhen: string | undefined): string {
  const events = Object.entries(stream).map(
    ([name, data]) => `<details><summary><code>${name}</code></summary>${schemaTable(data)}</details>`,
  );
  const answer = streamWhen === undefined ? "Answer" : `Answer to ${streamWhen}`;
  return `<h4>${answer}: 200, server-sent events</h4><p>The stream goes on until one side ends it; a line that begins with a colon
    every 15 seconds shows that it lives. Each event has an <code>id</code>: send the last one as <code>Last-Event-ID</code>
    to go on after it. The data of each event is JSON:</p>${events.join("")}`;
}

function errorLink(code: ErrorCode): string {
  return `<a href="/docs/errors#${code}"><code>${code}</code></a>`;
}
