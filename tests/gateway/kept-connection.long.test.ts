import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { listenOn, openGatewayWorld } from "./world.ts";

const mebibyte = 1024 * 1024;

test("[GW24] 50,000 answers of a service on one connection, every tenth without a body, and memory is flat", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const server = createServer(({ url }, response) => {
    response.statusCode = Number(/(204|304)$/.exec(url ?? "")?.[1] ?? 200);
    if (response.statusCode !== 200) return void response.end();
    // Without it Node's client does not keep the connection after a HEAD.
    response.setHeader("content-length", 5);
    response.end("hello");
  });
  const world = await openGatewayWorld();
  const { web } = await world.lobbyAt(await listenOn(server));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sockets = new Set<unknown>();
  const heaps: number[] = [];
  for (let count = 1; count <= 50_000; count++) {
    const kind = count % 10 === 0 ? (["204", "304", "HEAD"] as const)[(count / 10) % 3]! : "200";
    const method = kind === "HEAD" ? "HEAD" : "GET";
    const sent = request(`${world.service.url}${web}/${kind}`, { agent, method }).end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    expect(answer.statusCode).toBe(kind === "HEAD" ? 200 : Number(kind));
    sockets.add(sent.socket);
    answer.resume();
    await once(answer, "end");
    if (count % 10_000 === 0) heaps.push(heap());
  }
  console.log("MiB after each 10,000:", heaps.map((bytes) => Math.round(bytes / mebibyte)).join(", "));
  expect(sockets.size).toBe(1);
  expect(heaps.at(-1)! - heaps[0]!).toBeLessThan(16 * mebibyte);
  agent.destroy();
  await world.close();
  server.close();
  server.closeAllConnections();
}, 1_200_000);
