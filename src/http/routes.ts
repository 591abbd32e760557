import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Operation } from "../contract/define.ts";
import { type OperationId, operationList } from "../contract/index.ts";
import type { WhenGone } from "../operations/callers.ts";
import type { EventStream, Mocks, ServedHandlers } from "../operations/handlers.ts";
import { JsonText } from "../operations/json-text.ts";
import { isRefusal, type Refusal } from "../operations/refusal.ts";
import type { Admit, Admitted } from "./admit.ts";
import type { Connections } from "./connections.ts";
import { prefersCsv, toCsv } from "./csv.ts";
import { endIfStopping, jsonType, Refused, sendRefusal } from "./errors.ts";
import { leaveFlight, rejoinFlight } from "./limits.ts";
import { checkBody, checkBodyType } from "./request-body.ts";
import { answersStream, type EventStreams } from "./sse/streams.ts";
import type { Uploads } from "./uploads.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    operationId?: OperationId;
    bodyValuesMax?: number | undefined;
  }
  interface FastifyRequest {
    admitted: Admitted | null;
  }
}

/** A handler without the types of its operation. */
type AnyHandler = (request: AnyRequest) => Promise<unknown>;
interface AnyRequest extends Admitted {
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
  readonly lastEventId: string | undefined;
  readonly whenGone: WhenGone;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Makes a route of every operation. The order of checks is the order of Fastify's life cycle, so it is the same everywhere. */
export function addOperations(
  app: FastifyInstance,
  parts: { handlers: ServedHandlers; mocks: Mocks },
  { admit, enter }: Pick<Admit, "admit"> & Pick<Connections, "enter">,
  { streams, uploads }: { streams: EventStreams; uploads: Uploads },
): void {
  const handlers = parts.handlers as unknown as Record<OperationId, AnyHandler>;
  const mocks = parts.mocks as unknown as Partial<Record<OperationId, AnyHandler>>;
  app.decorateRequest("admitted", null);
  app.decorateRequest("isStreaming", false);
  app.decorateRequest("declaredBytes", null);

  for (const [operationId, operation] of operationList) {
    const handler = handlers[operationId];
    const mock = mocks[operationId] ?? handler;
    app.route({
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ":$1"),
      bodyLimit: operation.bodyMaxBytes,
      config: { operationId, bodyValuesMax: operation.bodyValuesMax },
      schema: toRouteSchema(operation),
      onRequest: (request, reply, done) => {
        const proceed = (admitted: Admitted | Refusal) => {
          if (isRefusal(admitted)) return void sendRefusal(reply, request.id, admitted);
          request.admitted = admitted;
          const wrongType = operation.rawBody ? uploads.check(request) : checkBodyType(request);
          done(wrongType ? new Refused(wrongType) : undefined);
        };
        const admitted = admit(operation, request, reply);
        if (admitted instanceof Promise) admitted.then(proceed, done);
        else proceed(admitted);
      },
      preValidation: (request, _reply, done) => {
        // An upload takes no slot of requests that others need.
        if (operation.rawBody) return done();
        const refusal = enter(request) ?? checkBody(operation, request);
        if (refusal) return done(new Refused(refusal));
        // An optional object that is absent is checked like an empty one.
        if (request.body === undefined && isObjectSchema(operation.body)) request.body = {};
        done();
      },
      handler: (request, reply) => {
        const { caller, client } = request.admitted!;
        const { params, query } = request;
        const body = operation.rawBody ? uploads.open(request, reply) : request.body;
        const idempotencyKey = header(request, "idempotency-key");
        const whenGone = (listener: () => void) => whileWaiting(request, listener);
        const handle = caller.kind === "dev" ? mock : handler;
        const lastEventId = header(request, "last-event-id");
        // Not async: awaiting each step would cost several more promises per request.
        const handled = handle({
          caller,
          client,
          requestId: request.id,
          idempotencyKey,
          lastEventId,
          whenGone,
          params,
          query,
          body,
        });
        whenHandled(handled, reply, (answer) => respond(operation, request, reply, answer));
      },
    });
  }

  function respond(operation: Operation, request: FastifyRequest, reply: FastifyReply, answer: unknown): void {
    if (isRefusal(answer)) return void sendRefusal(reply, request.id, answer);
    // An operation that streams answers a stream, as its handler's type says.
    if (answersStream(operation, request.query)) {
      leaveFlight(request.exchange);
      return void streams.send(operation, request, reply, answer as EventStream);
    }
    if (operation.dryRunReply && isDryRun(request.body)) return void sendJson(reply, answer);
    if (operation.csvField && prefersCsv(header(request, "accept")))
      return void sendCsv(operation, request, reply, answer);
    sendAnswer(operation, reply, answer);
  }
}

/** With one promise, where `then` and `catch` would be two. */
function whenHandled(handled: Promise<unknown>, reply: FastifyReply, respond: (answer: unknown) => void): void {
  const fail = (error: unknown) => void reply.send(error);
  handled.then((answer) => {
    try {
      respond(answer);
    } catch (error) {
      fail(error);
    }
  }, fail);
}

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(",") : value;
}

function isObjectSchema(schema: Operation["body"]): boolean {
  return schema !== null && "type" in schema && schema.type === "object";
}

function toRouteSchema(operation: Operation) {
  return {
    querystring: operation.query ?? { type: "object", properties: {}, additionalProperties: false },
    ...(operation.body && { body: operation.body }),
    ...(operation.reply && { response: { 200: operation.reply } }),
  };
}

/** Until the wait for a lobby ends: the request does no work, so it does not count as one of its client's in flight. */
function whileWaiting({ raw, exchange }: FastifyRequest, whenGone: () => void): () => void {
  leaveFlight(exchange);
  if (raw.socket.destroyed) whenGone();
  else raw.socket.once("close", whenGone);
  return () => {
    rejoinFlight(exchange);
    raw.socket.off("close", whenGone);
  };
}

function sendAnswer(operation: Operation, reply: FastifyReply, answer: unknown): FastifyReply {
  endIfStopping(reply);
  if (answer instanceof JsonText) return reply.type(jsonType).send(answer.bytes);
  if (!operation.reply) return reply.code(204).send();
  // A reply of any JSON type is written here: Fastify would send a string without quotes and null as an empty body.
  if (!("type" in operation.reply)) return sendJson(reply, answer);
  return reply.send(answer);
}

/** The Link header points to the next page, because CSV has no field for a cursor. */
function sendCsv(operation: Operation, request: FastifyRequest, reply: FastifyReply, answer: unknown): FastifyReply {
  endIfStopping(reply);
  // The reply of an operation with a csvField has rows there, and a cursor when there is more.
  const { cursor, [operation.csvField!]: rows } = answer as { cursor?: string } & Record<string, never>;
  const { properties } = operation.reply as unknown as ListSchema;
  const columns = Object.keys(properties[operation.csvField!]!.items.properties);
  if (cursor !== undefined) {
    const next = new URLSearchParams({ ...(request.query as Record<string, string>), cursor });
    reply.header("link", `<${request.url.split("?", 1)[0]}?${next}>; rel="next"`);
  }
  return reply.type("text/csv; charset=utf-8").send(toCsv(columns, rows ?? []));
}

interface ListSchema {
  readonly properties: Readonly<Record<string, { readonly items: { readonly properties: object } }>>;
}

function isDryRun(body: unknown): boolean {
  return typeof body === "object" && body !== null && "dry_run" in body && body.dry_run === true;
}

/** Bypasses the schema of the operation's usual reply. */
function sendJson(reply: FastifyReply, answer: unknown): FastifyReply {
  endIfStopping(reply);
  return reply.type("application/json; charset=utf-8").send(JSON.stringify(answer));
}
