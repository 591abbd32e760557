import { once } from "node:events";
import { createRequire } from "node:module";

/** As much of the package `ws`, which has no types of its own, as the benchmarks use. */
export interface Client {
  send(data: string): void;
  terminate(): void;
  on(event: "message", listener: (data: Buffer) => void): this;
  removeAllListeners(event: "message"): this;
}

// Border: the package is JavaScript.
const { WebSocket } = createRequire(import.meta.url)("ws") as {
  WebSocket: new (url: string, options: object) => Client & NodeJS.EventEmitter;
};

/** Opens so many WebSockets, 50 at a time. */
export async function openClients(url: string, count: number): Promise<Client[]> {
  const clients: Client[] = [];
  while (clients.length < count) {
    const opening = Array.from({ length: Math.min(50, count - clients.length) }, () => openClient(url));
    clients.push(...(await Promise.all(opening)));
  }
  return clients;
}

async function openClient(url: string): Promise<Client> {
  const client = new WebSocket(url, { perMessageDeflate: false });
  await once(client, "open");
  client.on("error", () => {});
  return client;
}

/** What the server sends first. */
export async function readFirst(url: string): Promise<string> {
  const client = new WebSocket(url, { perMessageDeflate: false });
  const [data] = (await once(client, "message")) as [Buffer];
  client.terminate();
  return String(data);
}

const messageLength = 64;

/** Sends so many messages a second in turn on these sockets, whether answered or not; the times of the answers in ms. */
export async function timeRoundTrips(
  clients: readonly Client[],
  perSecond: number,
  seconds: number,
): Promise<number[]> {
  const count = perSecond * seconds;
  const sentAt: number[] = [];
  const times: number[] = [];
  await new Promise<void>((resolve) => {
    for (const client of clients) {
      client.on("message", (data) => {
        times.push(performance.now() - sentAt[Number(data)]!);
        if (times.length === count) resolve();
      });
    }
    const startedAt = performance.now();
    const timer = setInterval(() => {
      const due = Math.min(count, ((performance.now() - startedAt) / 1000) * perSecond);
      while (sentAt.length < due) {
        const message = String(sentAt.length).padStart(messageLength, "0");
        sentAt.push(performance.now());
        clients[sentAt.length % clients.length]!.send(message);
      }
      if (sentAt.length === count) clearInterval(timer);
    }, 1);
  });
  for (const client of clients) client.removeAllListeners("message");
  return times;
}

/** Each socket always has so many messages on the way; how many came back per second. */
export async function countRoundTrips(clients: readonly Client[], onTheWay: number, seconds: number): Promise<number> {
  const message = "y".repeat(messageLength);
  let answered = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const drained = clients.map(
    (client) =>
      new Promise<void>((resolve) => {
        let waiting = onTheWay;
        client.on("message", () => {
          answered += 1;
          if (performance.now() < endsAt) return client.send(message);
          waiting -= 1;
          if (waiting === 0) resolve();
        });
        for (let i = 0; i < onTheWay; i++) client.send(message);
      }),
  );
  await Promise.all(drained);
  for (const client of clients) client.removeAllListeners("message");
  return answered / ((performance.now() - startedAt) / 1000);
}

/** How many of them still send a message back, within ten seconds. */
export async function countAnswering(clients: readonly Client[]): Promise<number> {
  let answering = 0;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, 10_000);
    for (const client of clients) {
      client.on("message", () => {
        answering += 1;
        if (answering < clients.length) return;
        clearTimeout(timer);
        resolve();
      });
      client.send("still there?");
    }
  });
  return answering;
}
