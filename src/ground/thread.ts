import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

/** Starts a worker thread from a file without its extension: compiled, or TypeScript in development and tests. */
export function startThread(path: URL, name: string, workerData: unknown): Worker {
  const options = { workerData, name };
  if (!import.meta.url.endsWith(".ts")) return new Worker(new URL(`${path.href}.js`), options);
  const file = new URL(`${path.href}.ts`);
  return readsTypeScript() ? new Worker(file, options) : new Worker(throughTsx(file), { ...options, eval: true });
}

/** Newer versions of Node strip types by themselves. */
function readsTypeScript(): boolean {
  return "typescript" in process.features && Boolean(process.features.typescript);
}

/** In a thread of Node 20, tsx has no effect with `--import`: it has to be called. */
function throughTsx(file: URL): string {
  const tsx = new URL("dist/esm/api/index.mjs", pathToFileURL(createRequire(file).resolve("tsx/package.json")));
  return `import("${tsx.href}").then((tsx) => { tsx.register(); return import("${file.href}"); });`;
}
