import { Agent, type RequestOptions, request } from "node:http";
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
  const requests = target.requestsOf(0).map((sent) => ({ options: optionsOf(agent, target, sent), body: sent.body }));
  const times: number[] = [];
  let fault: unknown = null;
  const total = perSecond * seconds;
  const startedAt = performance.now();
  let made = 0;
  while (made < total) {
    const due = Math.min(total, Math.ceil(((performance.now() - startedAt) / 1000) * perSecond));
    for (; made < due; made++) {
      const dueAt = startedAt + (made / perSecond) * 1000;
      const { options, body } = requests[made % requests.length]!;
      sendOne(target, options, body).then(
        () => times.push(performance.now() - dueAt),
        (error: unknown) => {
          fault = error;
        },
      );
    }
    await sleep(1);
  }
  while (times.length < total && fault === null) await sleep(1);
  agent.destroy();
  if (fault !== null) throw fault;

  // The first second opens the connections.
  const settled = times.slice(perSecond).sort((a, b) => a - b);
  return { p50Ms: quantile(settled, 0.5), p99Ms: quantile(settled, 0.99) };
}

/** Made once: the client shares its machine with the server, so each microsecond it takes is one the server waits. */
function optionsOf(agent: Agent, target: Target, { body, headers }: Sent): RequestOptions {
  const { hostname, port } = new URL(target.server.url);
  const all = { ...headers, "content-length": Buffer.byteLength(body) };
  return { agent, hostname, port, path: target.path, method: target.method, headers: all };
}

function sendOne(target: Target, options: RequestOptions, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const sending = request(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => {
        if (target.accepts(text)) resolve();
        else reject(new Error(`${target.name} answered ${response.statusCode}: ${text}`));
      });
    });
    sending.on("error", reject).end(body);
  });
}
