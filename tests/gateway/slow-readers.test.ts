import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../support/harness.ts";
import { type GatewayWorld, openGatewayWorld, startRawLobby } from "./world.ts";

let world: GatewayWorld;
beforeAll(async () => {
  world = await openGatewayWorld();
});
afterAll(() => world?.close());

const total = 256 * 1024 * 1024;
/** More than the systems' buffers of two connections hold; everything above would be in Foyer. */
const heldMax = 64 * 1024 * 1024;

/** Sends without an end, for as long as the other side takes it. */
function flood(socket: ReturnType<typeof connect>, piece: Buffer): void {
  const more = () => {
    while (socket.bytesWritten < total && socket.write(piece));
  };
  socket.on("drain", more);
  more();
}

/** Waits until nothing moves any longer. */
async function untilStuck(sent: () => number): Promise<void> {
  let before = -1;
  let same = 0;
  await until(() => {
    same = sent() === before && before > 0 ? same + 1 : 0;
    before = sent();
    return same > 20;
  });
}

test.each([
  ["a body", "web", "", "HTTP/1.1 200 OK\r\nContent-Length: 268435456\r\n\r\n"],
  [
    "a WebSocket",
    "game",
    "Connection: Upgrade\r\nUpgrade: websocket\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
  ],
] as const)(
  "[GW21] of %s that the client does not read, the lobby can send no more than the connections hold",
  async (_name, label, headers, head) => {
    const piece = Buffer.alloc(64 * 1024);
    const lobby = await startRawLobby((socket) => {
      socket.once("data", () => {
        socket.write(head);
        flood(socket, piece);
      });
    });
    const routed = await world.lobbyAt(lobby.port);
    const client = connect(world.service.port, "127.0.0.1");
    client.pause();
    client.write(`GET ${routed[label]} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`);
    await until(() => lobby.sockets.length === 1);
    const [socket] = lobby.sockets;
    await untilStuck(() => socket!.bytesWritten - socket!.writableLength);
    expect(socket!.bytesWritten).toBeLessThan(heldMax);

    let received = 0;
    client.on("data", (bytes) => {
      received += bytes.length;
    });
    client.resume();
    await until(() => received >= total);
    client.destroy();
    lobby.close();
  },
);

test("[GW21] of an upload that the lobby does not read, the client can send no more than the connections hold", async () => {
  const lobby = await startRawLobby((socket) => socket.pause());
  const { web } = await world.lobbyAt(lobby.port);
  const client = connect(world.service.port, "127.0.0.1");
  client.write(`POST ${web} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${total}\r\n\r\n`);
  flood(client, Buffer.alloc(64 * 1024));
  await untilStuck(() => client.bytesWritten - client.writableLength);
  expect(client.bytesWritten).toBeLessThan(heldMax);
  let received = 0;
  lobby.sockets[0]!.on("data", (bytes) => {
    received += bytes.length;
  });
  lobby.sockets[0]!.resume();
  await until(() => received >= total);
  client.destroy();
  lobby.close();
});
