import { operationList } from "../../src/contract/index.ts";
import { exampleOf } from "./api-examples.ts";
import type { Shape } from "./schema-rows.ts";

/** What the form of "Try it" needs to know about each operation, as JSON by id. */
export function operationsFile(): string {
  const entries = operationList.map(([id, operation]) => {
    const { params, query, body } = exampleOf(id, operation);
    const fields = Object.entries((operation.query as Shape | null)?.properties ?? {});
    return [
      id,
      {
        method: operation.method,
        path: operation.path,
        params,
        query: fields.map(([name, { description = "" }]) => ({ name, description, value: query[name] ?? "" })),
        // A body that may be left out begins empty.
        body: operation.body === null ? null : body === undefined ? "" : JSON.stringify(body, null, 2),
        takesFile: operation.rawBody === true,
        streams: operation.stream !== undefined,
      },
    ] as const;
  });
  return JSON.stringify(Object.fromEntries(entries));
}
