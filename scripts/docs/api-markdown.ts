import { describeCaller, listErrorCodes, type Operation } from "../../src/contract/define.ts";
import { errorTable } from "../../src/contract/errors.ts";
import { versionConfig } from "../../src/contract/version-config.ts";
import { callsOf } from "./api-calls.ts";
import { exampleOf } from "./api-examples.ts";
import type { ApiGroup } from "./api-groups.ts";
import { schemaMarkdown } from "./schema-rows.ts";
import { markdownTable } from "./text.ts";

/** The pages of the reference as Markdown, for programs that read it. */
export function groupMarkdown({ title, about, operations }: ApiGroup): string {
  const sections = operations.map(([id, operation]) => operationMarkdown(id, operation));
  return [`# ${title}`, about, ...sections].join("\n\n").concat("\n");
}

export function apiIndexMarkdown(groups: readonly ApiGroup[]): string {
  const sections = groups.map((group) => {
    const rows = group.operations.map(([id, { method, path, summary }]) => [
      `[${id}](${group.url}.md)`,
      `\`${method} ${path}\``,
      summary,
    ]);
    return `## ${group.title}\n\n${markdownTable(["Operation", "Call", "What it does"], rows)}`;
  });
  return ["# API", "Every operation of the service.", ...sections].join("\n\n").concat("\n");
}

export function versionDocumentMarkdown(): string {
  return `# Version document\n\n${schemaMarkdown(versionConfig)}\n`;
}

function operationMarkdown(id: string, operation: Operation): string {
  const { method, path, summary, details, query, body, reply, stream } = operation;
  const example = exampleOf(id, operation);
  const codes = listErrorCodes(operation).map((code) => `${code} (${errorTable[code].status})`);
  return [
    `## ${id}`,
    `\`${method} ${path}\``,
    [summary, details].filter(Boolean).join(" "),
    `Callers: ${operation.callers.map(describeCaller).join(", ")}.`,
    fenced("sh", callsOf(id, operation, example).curl),
    query && `Query:\n\n${schemaMarkdown(query)}`,
    body && `Body:\n\n${schemaMarkdown(body)}`,
    reply ? `Answer:\n\n${schemaMarkdown(reply)}` : !stream && "Answer: 204, empty.",
    example.answer !== undefined && fenced("json", JSON.stringify(example.answer, null, 2)),
    ...Object.entries(stream ?? {}).map(([name, data]) => `Event \`${name}\`:\n\n${schemaMarkdown(data)}`),
    `Failures: ${codes.join(", ")}.`,
  ]
    .filter(Boolean)
    .join("\n\n");
}

const fenced = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;
