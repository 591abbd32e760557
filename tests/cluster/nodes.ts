import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Server, startServer } from "../support/server.ts";
import { freePort } from "../support/services/programs.ts";

/** One node of an installation. Its port and data folder stay the same when it is killed and started again. */
export interface Node {
  readonly nodeId: string;
  readonly port: number;
  readonly dataDir: string;
  /** The process that runs now. */
  server(): Server;
  kill(): Promise<void>;
  start(): Promise<void>;
}

export interface Installation {
  readonly nodes: readonly Node[];
  stop(): Promise<void>;
}

export interface InstallationOptions {
  readonly redisUrl: string;
  readonly databaseUrl: string;
  readonly count?: number;
  readonly flags?: readonly string[];
  /** What one node has for itself; they are numbered from 0. */
  readonly flagsOf?: (index: number, port: number) => readonly string[];
}

const secret = { FOYER_SECRET: "s".repeat(32) };

/** Nodes that share a Redis and a PostgreSQL database, as processes of their own. */
export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const { redisUrl, databaseUrl, count = 2, flags = [], flagsOf = () => [] } = options;
  const shared = [`--redis-url=${redisUrl}`, `--database-url=${databaseUrl}`, ...flags];
  const folders: string[] = [];

  async function startNode(_: unknown, index: number): Promise<Node> {
    const dataDir = mkdtempSync(join(tmpdir(), "foyer-node-"));
    folders.push(dataDir);
    const port = await freePort();
    const nodeId = `node-${index + 1}`;
    const start = () =>
      startServer(dataDir, [`--port=${port}`, `--node-id=${nodeId}`, ...shared, ...flagsOf(index, port)], secret);
    let server = await start();
    return {
      nodeId,
      port,
      dataDir,
      server: () => server,
      kill: () => server.kill(),
      async start() {
        server = await start();
      },
    };
  }

  const nodes = await Promise.all(Array.from({ length: count }, startNode));
  return {
    nodes,
    async stop() {
      await Promise.all(nodes.map((node) => node.kill()));
      await Promise.all(
        folders.map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })),
      );
    },
  };
}

/** One call that must succeed; gives the JSON of the answer. */
// biome-ignore lint/suspicious/noExplicitAny: whatever the service says, and the caller looks into it.
export async function call(node: Node, method: string, path: string, token: string, body?: unknown): Promise<any> {
  const response = await request(node, method, path, token, body);
  const text = await response.text();
  if (response.status >= 300) throw new Error(`${path} answered ${response.status}: ${text}`);
  return text === "" ? null : JSON.parse(text);
}

export function request(node: Node, method: string, path: string, token: string, body?: unknown): Promise<Response> {
  return fetch(`http://127.0.0.1:${node.port}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}
