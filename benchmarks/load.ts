import autocannon from "autocannon";
import type { ServerProcess } from "./server-process.ts";

/** One of the things that are compared: where to send what, and what must come back. */
export interface Target {
  readonly name: string;
  readonly server: ServerProcess;
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly connections: number;
  /** What one connection sends in turn; asked once per connection and round. */
  requestsOf(connection: number): readonly Sent[];
  accepts(body: string): boolean;
  /** When there are only so many requests to send: how many. The round then ends with them, not with its time. */
  requestCount?(): number;
}

export interface Sent {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Round {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the server's process alone. */
  readonly cpuMicrosecondsPerRequest: number;
  /** The share of one core that the server used: well below 1, the client was what limited the round. */
  readonly busy: number;
}

export interface Plan {
  readonly warmUpS: number;
  readonly rounds: number;
  readonly roundS: number;
}

/** Rounds of all targets in turn, A B C A B C, so that a machine that slows down slows all of them. */
export async function interleave(targets: readonly Target[], plan: Plan): Promise<Map<Target, Round>> {
  const results = new Map(targets.map((target): [Target, Round[]] => [target, []]));
  for (const target of targets) await loadFor(plan.warmUpS, target);
  for (let round = 0; round < plan.rounds; round++) {
    for (const target of targets) results.get(target)?.push(await loadFor(plan.roundS, target));
  }
  return new Map([...results].map(([target, rounds]) => [target, medianRound(rounds)]));
}

/** Loads one target for a while. Any answer but the expected one makes the round worthless, and so an error. */
async function loadFor(seconds: number, target: Target): Promise<Round> {
  const { connections, method } = target;
  const amount = target.requestCount?.();
  const times: number[] = [];
  let connection = 0;
  let firstAt = 0;
  let lastAt = 0;
  const cpuBefore = await target.server.cpuMicroseconds();
  const run = autocannon({
    url: `${target.server.url}${target.path}`,
    method,
    connections,
    ...(amount === undefined ? { duration: seconds } : { amount }),
    setupClient: (client) => client.setRequests(target.requestsOf(connection++)),
    verifyBody: (body) => target.accepts(body),
  });
  run.on("response", (_client, _status, _bytes, milliseconds) => {
    times.push(milliseconds);
    lastAt = performance.now();
    firstAt ||= lastAt;
  });
  const { errors, non2xx, mismatches } = await run;
  // From answer to answer, so that the time in which the client prepares its requests does not count.
  const elapsedS = (lastAt - firstAt) / 1000;
  const cpu = (await target.server.cpuMicroseconds()) - cpuBefore;
  if (errors + non2xx + mismatches > 0 || times.length === 0) {
    throw new Error(
      `${target.name}: ${times.length} answers, of them ${non2xx} no success and ${mismatches} with another body; ` +
        `${errors} errors. The figures would mean nothing.`,
    );
  }
  times.sort((a, b) => a - b);
  return {
    requestsPerSecond: times.length / elapsedS,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    cpuMicrosecondsPerRequest: cpu / times.length,
    busy: cpu / 1e6 / elapsedS,
  };
}

function medianRound(rounds: readonly Round[]): Round {
  const medianOf = (read: (round: Round) => number) => median(rounds.map(read));
  return {
    requestsPerSecond: medianOf((round) => round.requestsPerSecond),
    p50Ms: medianOf((round) => round.p50Ms),
    p99Ms: medianOf((round) => round.p99Ms),
    cpuMicrosecondsPerRequest: medianOf((round) => round.cpuMicrosecondsPerRequest),
    busy: medianOf((round) => round.busy),
  };
}

export function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}

/** Of a sorted list that is not empty. */
export function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}
