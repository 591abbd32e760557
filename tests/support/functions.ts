import { parseSync } from "oxc-parser";
import { read } from "./repository.ts";

interface LongFunction {
  /** The file and the name: its own, or that of the variable or property that holds it. */
  readonly name: string;
  readonly lines: number;
}

/** The functions of these files that have more than `max` lines, counted from the first line to the last. */
export function longFunctions(files: readonly string[], max: number): LongFunction[] {
  return files.flatMap((file) => {
    const text = read(file);
    if (text.split("\n").length <= max) return [];
    const { program, errors } = parseSync(file, text);
    if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]!.message}`);
    const found: FoundFunction[] = [];
    collectFunctions(program, "?", found);
    return found
      .map(({ name, start, end }) => ({ name: `${file} ${name}`, lines: text.slice(start, end).split("\n").length }))
      .filter(({ lines }) => lines > max);
  });
}

interface FoundFunction {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const functionTypes = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

/** Walks the syntax tree without knowing its types: what matters is which nodes are functions, and what they are called. */
function collectFunctions(value: unknown, outerName: string, found: FoundFunction[]): void {
  if (typeof value !== "object" || value === null) return;
  // Every node of the parser's ESTree has these; other objects have no children that matter.
  const node = value as Partial<FoundFunction> & { type?: string; id?: Named | null; key?: Named | null };
  const name = node.id?.name ?? node.key?.name ?? outerName;
  if (functionTypes.has(node.type ?? "")) found.push({ name, start: node.start!, end: node.end! });
  for (const child of Object.values(value)) collectFunctions(child, name, found);
}

interface Named {
  readonly name?: string;
}
