import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Operation } from "../../contract/define.ts";
import type { Metrics } from "../../ground/metrics.ts";
import type { Authenticate } from "../../operations/auth/authenticate.ts";
import type { EventStream } from "../../operations/handlers.ts";
import { isRefusal } from "../../operations/refusal.ts";
import { type SendTiming, startSending } from "./sender.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Its answer goes on for as long as somebody listens, so it counts as done although it is not. */
    isStreaming: boolean;
  }
}

/** The event streams that are open now. */
export interface EventStreams {
  /** Answers with the stream; it ends when its client leaves, its token or its subject is gone, or with the service. */
  send(operation: Operation, request: FastifyRequest, reply: FastifyReply, stream: EventStream): FastifyReply;
  /** Ends every stream, now and from now on. */
  endAll(): void;
}

/** Whether a success is answered with the stream that the operation has. */
export function answersStream({ stream, streamWhen }: Operation, query: unknown): boolean {
  if (!stream || streamWhen === undefined) return stream !== undefined;
  // Border: the query was checked against the operation's schema.
  return (query as Readonly<Record<string, unknown>>)[streamWhen] === true;
}

/** How often it is looked whether a stream may go on. */
const checkEveryMs = 2_000;
const timing: SendTiming = { heartbeatEveryMs: 15_000, stalledMs: 30_000 };

/** Looked at by the timer that all streams share. */
interface OpenStream {
  check(): Promise<void>;
  end(): void;
}

export function createEventStreams({
  metrics,
  authenticate,
}: {
  metrics: Metrics;
  authenticate: Authenticate;
}): EventStreams {
  const open = new Set<OpenStream>();
  /** The connections of those, each of which carries one. */
  const streaming = new Set<Socket>();
  let isEnded = false;
  metrics.gauge("foyer_event_streams", "Event streams open now.", () => open.size);
  const timer = setInterval(() => {
    for (const stream of open) void stream.check();
  }, checkEveryMs).unref();

  async function mayGoOn(operation: Operation, request: FastifyRequest, stream: EventStream): Promise<boolean> {
    const { authorization, origin } = request.headers;
    const { game_id: gameReference } = request.params as { game_id?: string };
    try {
      const authenticated = await authenticate(operation.callers, { authorization, origin, gameReference });
      return !isRefusal(authenticated) && !(await stream.isOver());
    } catch {
      // The store is away. Then nobody can have taken the right away either; the next look will tell.
      return true;
    }
  }

  return {
    send(operation, request, reply, stream) {
      const { raw } = reply;
      const { socket } = request.raw;
      const { reader } = stream;
      // The client left while the stream was opened, and the request is already counted as done.
      if (request.exchange.isDone) {
        reader.close();
        return reply.hijack();
      }
      beginAnswer(request, reply);
      metrics.requestStreams(request.routeOptions.config.operationId ?? "none", 200);
      // A stream goes on for as long as its connection, so what is asked for behind it can never be answered.
      const hasStream = streaming.has(socket);
      if (raw.destroyed || socket.destroyed || isEnded || hasStream || request.method === "HEAD") {
        reader.close();
        raw.end();
        return reply;
      }

      const startedAt = performance.now();
      const sender = startSending(raw, reader, { ...timing, now: () => performance.now() });
      let isChecking = false;
      const entry: OpenStream = {
        async check() {
          const now = performance.now();
          sender.tick(now);
          // The answers before it on the connection are not taken, or the answer was cut off before its turn came.
          if (raw.destroyed || (raw.socket === null && now - startedAt >= timing.stalledMs)) return cutOff();
          if (isChecking) return;
          isChecking = true;
          if (!(await mayGoOn(operation, request, stream))) raw.end();
          isChecking = false;
        },
        end: () => raw.end(),
      };
      function cutOff(): void {
        socket.destroy();
        leave();
      }
      function leave(): void {
        socket.off("close", leave);
        streaming.delete(socket);
        open.delete(entry);
        reader.close();
      }
      open.add(entry);
      streaming.add(socket);
      // An answer whose turn has not come on its connection does not notice that the connection is closed.
      raw.once("close", leave);
      socket.once("close", leave);
      return reply;
    },
    endAll() {
      isEnded = true;
      clearInterval(timer);
      for (const stream of open) stream.end();
    },
  };
}

/** From here on the answer is written by hand, with the headers that every answer has. */
function beginAnswer(request: FastifyRequest, reply: FastifyReply): void {
  request.isStreaming = true;
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  // Proxies must pass on each event when it comes.
  reply.raw.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" });
}
