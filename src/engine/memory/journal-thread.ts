import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { WorkerSettings } from "./journal-messages.ts";

/** Starts the worker thread from the file in this folder: compiled, or TypeScript in development and tests. */
export function startThread(settings: WorkerSettings): Worker {
  const options = { workerData: settings, name: "foyer-journal" };
  if (!import.meta.url.endsWith(".ts")) return new Worker(new URL("./journal-worker.js", import.meta.url), options);
  const file = new URL("./journal-worker.ts", import.meta.url);
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
