import { operationList } from "../../src/contract/index.ts";

/**
 * What this test process has seen: for each store and operation, the codes of its answers, `ok` for a success. A test
 * at the end of a file can so ask whether everything that the contract declares was shown to happen.
 */
const seen = new Set<string>();

export function noteAnswer(store: string, method: string, path: string, status: number, code: unknown): void {
  const operationId = operationAt(method, path);
  if (operationId === null) return;
  seen.add(`${store} ${operationId} ${status < 300 ? "ok" : String(code)}`);
}

export function wasSeen(store: string, operationId: string, code: string): boolean {
  return seen.has(`${store} ${operationId} ${code}`);
}

/** Literal ends come before parameters, as in the service: `…/namespaces/validate` is no namespace. */
const patterns = operationList
  .map(([id, { method, path }]) => ({
    id,
    method,
    literals: path.replace(/\{\w+\}/g, "").length,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
  }))
  .sort((a, b) => b.literals - a.literals);

function operationAt(method: string, path: string): string | null {
  const plain = path.split("?", 1)[0] ?? "";
  return patterns.find((each) => each.method === method && each.pattern.test(plain))?.id ?? null;
}
