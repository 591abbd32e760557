import { createReadStream, statSync } from "node:fs";
import { createFoyer, type Foyer, type FoyerError } from "foyer-sdk";
import type { OperationId } from "../../contract/index.ts";
import type { Connection } from "./connection.ts";
import { exitCodes } from "./exit-codes.ts";

/** The SDK's client of a service (docs/decisions/0029), and which service that is. */
export interface Client extends Foyer {
  readonly connection: Connection;
}

/** For a command, once it is to stop, every further call fails, so that nothing changes after Ctrl-C. */
export function createClient(connection: Connection, signal?: AbortSignal, retries = 2): Client {
  const { endpoint, token } = connection;
  return {
    connection,
    ...createFoyer({ endpoint, token, retry: { retries }, ...(signal && { fetch: until(signal) }) }),
  };
}

const until = (signal: AbortSignal): typeof fetch => {
  return (url, init) =>
    fetch(url, { ...init, signal: AbortSignal.any([signal, ...(init?.signal ? [init.signal] : [])]) });
};

/** Sends a file as it is read; the SDK alone would need all of it in memory. */
export function uploadClient(
  { endpoint, token }: Connection,
  file: string,
  signal: AbortSignal,
  onProgress: (bytes: number) => void,
): Foyer {
  async function* counted() {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      onProgress(chunk.length);
      yield chunk;
    }
  }
  // Cast: browsers' types of the class, which the dashboard brings, lack `from`.
  const { from } = ReadableStream as unknown as { from(source: AsyncIterable<Buffer>): ReadableStream };
  const send: typeof fetch = (url, init) =>
    until(signal)(url, {
      ...init,
      headers: { ...(init?.headers as Record<string, string>), "content-length": String(statSync(file).size) },
      body: from(counted()),
      duplex: "half",
    } as RequestInit);
  return createFoyer({ endpoint, token, fetch: send, retry: { retries: 0 } });
}

/** Calls an operation by its id: path parameters first, then body, query and options, as the SDK's methods take them. */
export function callById(foyer: Foyer, id: OperationId, args: readonly unknown[]): unknown {
  // Cast: the SDK has a method for each operation of the contract, in groups by the words of its id.
  const method = id.split(".").reduce((group: unknown, name) => (group as Record<string, unknown>)[name], foyer);
  return (method as (...given: readonly unknown[]) => unknown)(...args);
}

/** Every item of all pages of a list. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** A refusal for people: code, message, what is wrong field by field, and the id under which the service logged it. */
export function describeRefusal({ code, message, errors, requestId }: FoyerError): string {
  const lines = [`${code}: ${message}`, ...errors.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`)];
  return [...lines, ...(requestId === null ? [] : [`  request id ${requestId}`])].join("\n");
}

export const refusalExitCode = ({ status }: FoyerError): number =>
  status === 0 || status >= 500 ? exitCodes.unreachable : exitCodes.refused;
