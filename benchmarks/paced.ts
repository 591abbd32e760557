import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { quantile, type Sent, type Target } from "./load.ts";

/**
 * Sends requests at a steady rate, whether earlier ones were answered or not, and counts each one's time from when it
 * was due: a server that stops for a moment is then charged for everybody who came meanwhile. (autocannon's own rates
 * send each second's requests all at once at its beginning.)
 */
export async function pacedP99(
  target: Target,
  perSecond: number,
  seconds: number,
): Promise<{ p50Ms: number; p99Ms: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: target.connections });
  const sent = target.requestsOf(0);
  const times: number[] = [];
  const answers: Promise<void>[] = [];
  const total = perSecond * seconds;
  const startedAt = performance.now();
  let made = 0;
  while (made < total) {
    const due = Math.min(total, Math.ceil(((performance.now() - startedAt) / 1000) * perSecond));
    for (; made < due; made++) {
      const dueAt = startedAt + (made / perSecond) * 1000;
      const answered = sendOne(agent, target, sent[made % sent.length]!);
      answers.push(answered.then(() => void times.push(performance.now() - dueAt)));
    }
    await sleep(1);
  }
  await Promise.all(answers);
  agent.destroy();

  // The first second opens the connections.
  const settled = times.slice(perSecond).sort((a, b) => a - b);
  return { p50Ms: quantile(settled, 0.5), p99Ms: quantile(settled, 0.99) };
}

function sendOne(agent: Agent, target: Target, { body, headers }: Sent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sending = request(
      `${target.server.url}${target.path}`,
      { agent, method: target.method, headers: { ...headers, "content-length": Buffer.byteLength(body) } },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        response.on("end", () => {
          if (target.accepts(text)) resolve();
          else reject(new Error(`${target.name} answered ${response.statusCode}: ${text}`));
        });
      },
    );
    sending.on("error", reject).end(body);
  });
}
