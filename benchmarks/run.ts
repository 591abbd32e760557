import { cpus } from "node:os";
import * as validateNamespace from "./validate-namespace.ts";

interface Benchmark {
  readonly question: string;
  /** Gives a table in Markdown. */
  run(): Promise<string>;
}

/** `npm run bench` asks all of them; `npm run bench -- validate-namespace` only those named. */
const benchmarks: Readonly<Record<string, Benchmark>> = { "validate-namespace": validateNamespace };

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(benchmarks, name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(", ")}. There are: ${Object.keys(benchmarks).join(", ")}.`);
  process.exit(1);
}

const today = new Date().toISOString().slice(0, 10);
console.log(`${today}, ${process.platform} ${process.arch}, ${cpus().length} cores, Node ${process.versions.node}`);
for (const [name, benchmark] of Object.entries(benchmarks)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n## ${name}: ${benchmark.question}\n`);
  console.log(await benchmark.run());
}
