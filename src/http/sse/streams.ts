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
    /** Its answer lasts until the client disconnects, so it already counts as done. */
    isStreaming: boolean;
  }
}

/** The event streams that are open now. */
export interface EventStreams {
  /**
   * Answers with the stream; it ends when its client disconnects, when its token or its subject is deleted, or with the
   * service.
   */
  send(operation: Operation, request: FastifyRequest, reply: FastifyReply, stream: EventStream): FastifyReply;
  /** Ends every stream, now and from now on. */
  endAll(): void;
}

/** Whether a success is answered with the stream that the operation has. */
export function answersStream({ stream, streamWhen }: Operation, query: unknown): boolean {
  if (!stream || streamWhen === undefined) return stream !== undefined;
  // The query was checked against the operation's schema.
  return (query as Readonly<Record<string, unknown>>)[streamWhen] === true;
}

/** How often Foyer checks whether each stream may continue. */
const checkEveryMs = 2_000;
const timing: SendTiming = { heartbeatEveryMs: 15_000, stalledMs: 30_000 };

/** Checked by the timer that all streams share. */
interface OpenStream {
  check(): Promise<void>;
  end(): void;
}

/** A request that is answered with a stream. */
interface StreamAnswer {
  readonly operation: Operation;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly stream: EventStream;
}

export function createEventStreams({
  metrics,
  authenticate,
}: {
  metrics: Metrics;
  authenticate: Authenticate;
}): EventStreams {
  const streams = new Set<OpenStream>();
  /** The connections of those, each of which carries one. */
  const streaming = new Set<Socket>();
  let isEnded = false;
  metrics.gauge("foyer_event_streams", "Event streams open now.", () => streams.size);
  const timer = setInterval(() => {
    for (const stream of streams) void stream.check();
  }, checkEveryMs).unref();

  function open(answer: StreamAnswer): void {
    const { request, reply, stream } = answer;
    const { socket } = request.raw;
    const entry = createOpenStream(answer, authenticate, leave);
    function leave(): void {
      socket.off("close", leave);
      streaming.delete(socket);
      streams.delete(entry);
      stream.reader.close();
    }
    streams.add(entry);
    streaming.add(socket);
    // An answer whose turn has not come on its connection does not notice that the connection is closed.
    reply.raw.once("close", leave);
    socket.once("close", leave);
  }

  return {
    send(operation, request, reply, stream) {
      const { raw } = reply;
      const { socket } = request.raw;
      // The client left while the stream was opened, and the request is already counted as done.
      if (request.exchange.isDone) {
        stream.reader.close();
        return reply.hijack();
      }
      beginAnswer(request, reply);
      metrics.requestStreams(request.routeOptions.config.operationId ?? "none", 200);
      // A stream lasts as long as its connection, so later requests on that connection can never be answered.
      const hasStream = streaming.has(socket);
      if (raw.destroyed || socket.destroyed || isEnded || hasStream || request.method === "HEAD") {
        stream.reader.close();
        raw.end();
        return reply;
      }

      open({ operation, request, reply, stream });
      return reply;
    },
    endAll() {
      isEnded = true;
      clearInterval(timer);
      for (const stream of streams) stream.end();
    },
  };
}

/** Sends the stream from now on. `leave`: what to do when the answer is cut off before its turn on the connection came. */
function createOpenStream(answer: StreamAnswer, authenticate: Authenticate, leave: () => void): OpenStream {
  const { raw } = answer.reply;
  const startedAt = performance.now();
  const sender = startSending(raw, answer.stream.reader, { ...timing, now: () => performance.now() });
  let isChecking = false;
  return {
    async check() {
      const now = performance.now();
      sender.tick(now);
      // The answers before it on the connection are not taken, or the answer was cut off before its turn came.
      if (raw.destroyed || (raw.socket === null && now - startedAt >= timing.stalledMs)) {
        answer.request.raw.socket.destroy();
        return leave();
      }
      if (isChecking) return;
      isChecking = true;
      if (!(await mayGoOn(answer, authenticate))) raw.end();
      isChecking = false;
    },
    end: () => raw.end(),
  };
}

/** Whether the token still allows the stream, and its subject still exists. */
async function mayGoOn({ operation, request, stream }: StreamAnswer, authenticate: Authenticate): Promise<boolean> {
  const { authorization, origin } = request.headers;
  const { game_id: gameReference } = request.params as { game_id?: string };
  try {
    const authenticated = await authenticate(operation.callers, { authorization, origin, gameReference });
    return !isRefusal(authenticated) && !(await stream.isOver());
  } catch {
    // The store is unavailable, so no token was revoked either. The next check decides.
    return true;
  }
}

/** From here on this file writes the answer, with the headers that every answer has. */
function beginAnswer(request: FastifyRequest, reply: FastifyReply): void {
  request.isStreaming = true;
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  // Proxies must forward each event immediately.
  reply.raw.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" });
}
