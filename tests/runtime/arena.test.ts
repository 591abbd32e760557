import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, test } from "vitest";
import { until } from "../support/harness.ts";
import { ensureArenaBuilt } from "../support/server.ts";
import { freePort } from "../support/services/programs.ts";

const program = fileURLToPath(new URL("../../examples/arena/dist/server.mjs", import.meta.url));
// Cast: the library of the example's server has no types.
const { WebSocket } = createRequire(import.meta.url)("ws");
const ends: (() => unknown)[] = [];

beforeAll(ensureArenaBuilt);

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** What answers the calls of the example's server, and can be made to take nothing. */
async function startEndpoint() {
  const state = { isClosed: false, isReady: false, isDown: false, refused: 0 };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const text of request) body += text;
    if (state.isDown) {
      if (request.url?.endsWith("/closed")) state.refused += 1;
      // A refusal is not tried again by the call itself, so that this test is short.
      response.writeHead(409, { "content-type": "application/json" });
      response.end('{"code":"NO","message":"not now"}');
      return;
    }
    if (request.url?.endsWith("/ready")) state.isReady = true;
    if (request.url?.endsWith("/closed")) state.isClosed = JSON.parse(body).is_closed;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ is_closed: state.isClosed, player_id: "player", returned: false, players: [] }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => server.closeAllConnections());
  ends.push(() => server.close());
  return { state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test("the example's lobby is opened again after a round whose end fell into an outage", async () => {
  const { state, url } = await startEndpoint();
  const port = await freePort();
  const env = { FOYER_TOKEN: "token", FOYER_API_ENDPOINT: url, FOYER_LOBBY_ID: "lobby", PORT: String(port) };
  const child = spawn(process.execPath, [program], { env: { ...env, HOST: "127.0.0.1" }, stdio: "ignore" });
  ends.push(() => child.kill("SIGKILL"));
  await until(() => state.isReady);
  const play = async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`);
    await once(socket, "open");
    socket.send('{"token":"player","name":"Ada"}');
    await once(socket, "message");
    socket.send('{"type":"new-round"}');
    return socket;
  };

  const socket = await play();
  await until(() => state.isClosed);
  state.isDown = true;
  // A round that everybody has left is over.
  socket.close();
  await until(() => state.refused > 0);
  state.isDown = false;
  await until(() => !state.isClosed);
  // And the next round can start.
  ends.push(
    (
      (again) => () =>
        again.close()
    )(await play()),
  );
  await until(() => state.isClosed);
});
