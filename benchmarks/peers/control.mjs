import { createServer } from "node:http";

/**
 * What the benchmark asks a peer beside its load, on a port of its own so that no peer's routes are touched:
 * which rooms there are and how many seats of each are taken, by the peer's own count, and to lock a room.
 */
export function serveControl({ rooms, lock }) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://control");
    try {
      const answer = pathname === "/rooms" ? await rooms() : await lock(pathname.slice("/lock/".length));
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer ?? null));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${server.address().port}`));
  });
}

/** The benchmark waits for this line. */
export function sayReady(port, control) {
  console.error(`CONTROL ${control} API http://127.0.0.1:${port}`);
}

/** Ends the process with the reason, which the benchmark shows in place of figures. */
export function giveUp(reason) {
  console.error(`CANNOT ${reason}`);
  process.exit(3);
}
