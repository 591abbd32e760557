import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { addDurations } from "./durations.ts";
import { isLoopback, isOwnName } from "./local-host.ts";

export interface Metrics {
  readonly registry: Registry;
  /** A request is being handled now. Each is followed by exactly one requestDone or requestStreams. */
  requestStarted(): void;
  requestDone(operation: string, status: number, seconds: number): void;
  /**
   * Instead of requestDone: the answer is a stream that lasts until the client disconnects, so it is no longer in
   * flight.
   */
  requestStreams(operation: string, status: number): void;
  /** A request was rejected: too many in flight, or the service is overloaded or stopping. */
  requestShed(): void;
  /** A request was answered 503 for this cause. */
  requestUnavailable(cause: UnavailableCause): void;
  /** Requests started and not yet done. */
  inFlight(): number;
  /** Adds a gauge whose value is read at each scrape. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** Adds a counter with one label; the function that it returns counts one. */
  counter(name: string, help: string, label: string): (value: string) => void;
  /** Adds a histogram of durations with one label; the function that it returns records one duration. */
  durations(name: string, help: string, label: string): (value: string, seconds: number) => void;
}

/** `live_state` is the engine: the journal of one node, or Redis. */
type UnavailableCause = "overload" | "stopping" | "store" | "live_state";

/** Each service has its own registry, so that two services in one process do not share counts. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  /** Given to prom-client at each scrape, because prom-client checks and joins the labels on every increment. */
  const answered = new Map<string, Map<number, number>>();
  new Counter({
    name: "foyer_http_requests_total",
    help: "Requests answered, by operation and status.",
    labelNames: ["operation", "status"],
    registers,
    collect() {
      this.reset();
      for (const [operation, byStatus] of answered) {
        for (const [status, count] of byStatus) this.inc({ operation, status }, count);
      }
    },
  });
  const shed = new Counter({
    name: "foyer_http_shed_total",
    help: "Requests rejected before any work: overload, or the service is stopping.",
    registers,
  });
  const gauge: Metrics["gauge"] = (name, help, read) => {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read());
      },
    });
  };

  // prom-client checks and joins the labels at each labels() call, so the result is kept.
  const counter: Metrics["counter"] = (name, help, label) => {
    const counted = new Counter({ name, help, labelNames: [label], registers });
    const of = memo((value) => counted.labels(value));
    return (value) => of(value).inc();
  };
  const durations: Metrics["durations"] = (name, help, label) => addDurations(registry, name, help, label);

  let inFlight = 0;
  gauge("foyer_http_in_flight", "Requests being handled now.", () => inFlight);

  const noteDuration = durations(
    "foyer_http_request_duration_seconds",
    "Time from the arrival of a request to its answer.",
    "operation",
  );
  const noteUnavailable = counter("foyer_http_unavailable_total", "Requests answered 503, by cause.", "cause");
  function countAnswer(operation: string, status: number): void {
    const byStatus = answered.get(operation) ?? new Map<number, number>();
    if (byStatus.size === 0) answered.set(operation, byStatus);
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  }

  return {
    registry,
    requestStarted() {
      inFlight += 1;
    },
    requestDone(operation, status, seconds) {
      inFlight -= 1;
      countAnswer(operation, status);
      noteDuration(operation, seconds);
    },
    requestStreams(operation, status) {
      inFlight -= 1;
      countAnswer(operation, status);
    },
    requestShed: () => shed.inc(),
    requestUnavailable: noteUnavailable,
    inFlight: () => inFlight,
    gauge,
    counter,
    durations,
  };
}

/** Serves GET /metrics and nothing else. */
export async function startMetricsServer(
  metrics: Metrics,
  { host, port }: { host: string; port: number },
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(
    { headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 5_000, connectionsCheckingInterval: 1_000 },
    async (request, response) => {
      if (isLoopback(host) && !isOwnName(request.headers.host ?? "localhost")) {
        response
          .writeHead(421, { "content-type": "text/plain; charset=utf-8" })
          .end("The Host header does not name this service.\n");
        return;
      }
      if (request.method !== "GET" || request.url?.split("?")[0] !== "/metrics") {
        response
          .writeHead(404, { "content-type": "text/plain; charset=utf-8" })
          .end("This port serves only GET /metrics.\n");
        return;
      }
      try {
        const text = await metrics.registry.metrics();
        response.writeHead(200, { "content-type": metrics.registry.contentType }).end(text);
      } catch {
        // A gauge that reads the store fails while the store is unavailable; the next scrape tries again.
        response
          .writeHead(503, { "content-type": "text/plain; charset=utf-8" })
          .end("Metrics are temporarily unavailable.\n");
      }
    },
  );
  server.maxConnections = 64;
  await listen(server, host, port);

  const { port: actualPort } = server.address() as AddressInfo;
  const shownHost = host.includes(":") ? `[${host}]` : host;
  return {
    url: `http://${shownHost}:${actualPort}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function memo<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}
