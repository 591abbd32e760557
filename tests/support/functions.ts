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
    const { program, errors } = parseSync(file, text);
    if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]!.message}`);
    return functionsIn(program, "?")
      .map(({ name, start, end }) => ({ name: `${file} ${name}`, lines: text.slice(start, end).split("\n").length }))
      .filter(({ lines }) => lines > max);
  });
}

interface FoundFunction {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Walks the syntax tree without knowing its types: what matters is which nodes are functions, and what they are called. */
function functionsIn(value: unknown, outerName: string): FoundFunction[] {
  if (Array.isArray(value)) return value.flatMap((item) => functionsIn(item, outerName));
  if (typeof value !== "object" || value === null) return [];
  // Every node of the parser's ESTree has these; other objects, such as comments, have no children that matter.
  const node = value as Partial<FoundFunction> & { type?: string; id?: Named | null; key?: Named | null };
  const name = node.id?.name ?? node.key?.name ?? outerName;
  const isFunction = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type ?? "");
  const own = isFunction ? [{ name, start: node.start!, end: node.end! }] : [];
  return [...own, ...Object.values(value).flatMap((child) => functionsIn(child, name))];
}

interface Named {
  readonly name?: string;
}
