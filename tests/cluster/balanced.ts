import { setTimeout } from "node:timers/promises";
import {
  type Answer,
  type Connection,
  type Connections,
  isTurnedAway,
  openConnection,
} from "../histories/connection.ts";

/** Connections to several nodes in turn, with what became of the requests. */
export interface Balanced extends Connections {
  /** Waits until so many more requests were answered, and not turned away. */
  more(answered: number): Promise<void>;
  answered(): number;
  /** Requests that were turned away or whose connection broke. */
  lost(): number;
  /** When the last request was lost, and the first one answered after it; null: none was. */
  outage(): { readonly fromMs: number; readonly untilMs: number } | null;
}

/** What a client knows of a request whose connection broke: nothing. */
const broken: Answer = { status: 503, json: { code: "API_UNAVAILABLE", message: "The connection broke." } };

/** As a load balancer would have it: every connection is to one node, and is made again when that node is back. */
export function openBalanced(ports: readonly number[], count: number): Balanced {
  const lines = Array.from({ length: count }, (_, index) => ({
    port: ports[index % ports.length]!,
    connection: null as Connection | null,
  }));
  const free = [...lines];
  const waiting: ((line: (typeof lines)[number]) => void)[] = [];
  let answered = 0;
  let lost = 0;
  let outage: { fromMs: number; untilMs: number } | null = null;
  let isClosed = false;

  async function sendOn(line: (typeof lines)[number], onSent: () => void, request: Parameters<Connection["send"]>) {
    try {
      line.connection ??= await openConnection(line.port);
    } catch {
      // Nothing listens there: a client would wait a moment before it tries again.
      await setTimeout(50);
      onSent();
      return broken;
    }
    onSent();
    try {
      return await line.connection.send(...request);
    } catch {
      line.connection = null;
      return broken;
    }
  }

  function note(answer: Answer): void {
    const now = performance.now();
    if (isTurnedAway(answer)) {
      lost += 1;
      outage = { fromMs: outage?.fromMs ?? now, untilMs: now };
    } else answered += 1;
  }

  return {
    async send(onSent, ...request) {
      const line = free.shift() ?? (await new Promise<(typeof lines)[number]>((resolve) => waiting.push(resolve)));
      try {
        const answer = await sendOn(line, onSent, request);
        note(answer);
        return answer;
      } finally {
        const next = waiting.shift();
        if (next) next(line);
        else free.push(line);
      }
    },
    async more(wanted) {
      const target = answered + wanted;
      while (answered < target && !isClosed) await setTimeout(5);
    },
    answered: () => answered,
    lost: () => lost,
    outage: () => outage,
    close() {
      isClosed = true;
      for (const { connection } of lines) connection?.close();
    },
  };
}
