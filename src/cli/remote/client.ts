import { createReadStream, statSync } from "node:fs";
import type { Operation } from "../../contract/define.ts";
import { type OperationId, operations } from "../../contract/index.ts";
import type { Connection } from "./connection.ts";
import { CommandFailed, exitCodes } from "./exit-codes.ts";

export interface Input {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** In place of JSON. */
  readonly raw?: { readonly body: ReadableStream; readonly length: number };
}

/** An answer's JSON: its shape is the contract's, and a person reads it. */
// biome-ignore lint/suspicious/noExplicitAny: the commands read the fields that the contract promises.
export type Json = any;

export interface Client {
  readonly connection: Connection;
  /** The JSON of the answer; undefined when it has none. Throws a CommandFailed with the refusal. */
  call(id: OperationId, input?: Input): Promise<Json>;
  /** Every item of a list, over all its pages. */
  all(id: OperationId, field: string, input?: Input): Promise<Json[]>;
  /** Sends a file as the body. */
  upload(id: OperationId, file: string, input: Input, onProgress: (bytes: number) => void): Promise<Json>;
  /** The events of a stream, as they come. */
  events(id: OperationId, input?: Input): AsyncGenerator<{ event: string; data: Json }>;
}

/** Foyer refused a call. */
export class Refused extends CommandFailed {
  override readonly name = "CommandFailed";
  readonly code: string;
  readonly status: number;

  constructor(status: number, error: { code?: string; message?: string; request_id?: string; errors?: Json[] }) {
    const { code = `HTTP ${status}`, message = "The service gave no reason.", request_id, errors = [] } = error;
    const lines = [`${code}: ${message}`, ...errors.map(({ path, message }) => `  ${path.join(".")}: ${message}`)];
    if (request_id) lines.push(`  request id ${request_id}`);
    super(lines.join("\n"), status >= 500 ? exitCodes.unreachable : exitCodes.refused);
    this.code = code;
    this.status = status;
  }
}

export function createClient(connection: Connection, send: typeof fetch = fetch): Client {
  async function open(id: OperationId, input: Input): Promise<Response> {
    const operation: Operation = operations[id];
    const { params = {}, query = {}, body, headers = {}, signal, raw } = input;
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
    const search = Object.keys(query).length === 0 ? "" : `?${new URLSearchParams(query)}`;
    const response = await send(`${connection.endpoint}${path}${search}`, {
      method: operation.method,
      headers: {
        ...headers,
        authorization: `Bearer ${connection.token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(raw && { "content-type": "application/gzip", "content-length": String(raw.length) }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(raw && { body: raw.body, duplex: "half" as const }),
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw new CommandFailed(unreachable(connection, error), exitCodes.unreachable);
    });
    if (response.ok) return response;
    const text = await response.text();
    throw new Refused(response.status, parseError(text));
  }

  async function openUpload(id: OperationId, file: string, input: Input, onProgress: (bytes: number) => void) {
    const counted = async function* () {
      for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
        onProgress(chunk.length);
        yield chunk;
      }
    };
    // Cast: browsers' types of the class, which the dashboard brings, lack `from`.
    const { from } = ReadableStream as unknown as { from(source: AsyncIterable<Buffer>): ReadableStream };
    const body = from(counted());
    return open(id, { ...input, raw: { body, length: statSync(file).size } });
  }

  async function call(id: OperationId, input: Input = {}): Promise<Json> {
    const text = await (await open(id, input)).text();
    return text === "" ? undefined : JSON.parse(text);
  }

  return {
    connection,
    call,
    async all(id, field, input = {}) {
      const items: Json[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await call(id, { ...input, query: { ...input.query, ...(cursor !== undefined && { cursor }) } });
        items.push(...page[field]);
        cursor = page.cursor;
        if (cursor === undefined) return items;
      }
    },
    async upload(id, file, input, onProgress) {
      return JSON.parse(await (await openUpload(id, file, input, onProgress)).text());
    },
    async *events(id, input = {}) {
      const response = await open(id, input);
      yield* readEvents(response);
    },
  };
}

async function* readEvents(response: Response): AsyncGenerator<{ event: string; data: Json }> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(piece, { stream: true });
    const blocks = rest.split("\n\n");
    rest = blocks.pop()!;
    for (const block of blocks) {
      const fields = new Map(block.split("\n").map((line) => [line.split(":", 1)[0]!, line.replace(/^\w*: ?/, "")]));
      const data = fields.get("data");
      if (data !== undefined) yield { event: fields.get("event") ?? "message", data: JSON.parse(data) };
    }
  }
}

function parseError(text: string): ConstructorParameters<typeof Refused>[1] {
  try {
    return JSON.parse(text);
  } catch {
    return { message: `The answer is not Foyer's: ${text.slice(0, 200)}` };
  }
}

function unreachable({ endpoint, origin }: Connection, error: unknown): string {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  const reason = cause?.code ?? cause?.message ?? (error as Error).message;
  return `${endpoint} (${origin}) does not answer: ${reason}. Is Foyer running there?`;
}
