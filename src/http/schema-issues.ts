import { shownPlace } from "../operations/cloud/issue-list.ts";
import { listSchemaIssues, type Schema } from "../operations/cloud/schema-issues.ts";
import type { Issue } from "../operations/refusal.ts";

/** The `errors` of an error body. The first hundred are enough. */
export function listIssues(schema: Schema, value: unknown): Issue[] {
  return listSchemaIssues(schema, value, issuesMax).map(({ place, message }) => ({ path: shownPlace(place), message }));
}

export const issuesMax = 100;
