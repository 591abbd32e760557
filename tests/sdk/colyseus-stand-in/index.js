import { WebSocketServer } from "ws";

/** The part of Colyseus 0.16 that the SDK's README uses: when a room is called, and with what. */
export class Room {}

const consentedCode = 4000;

export class Server {
  #rooms = new Map();
  #shutdown = () => {};

  define(name, RoomClass) {
    this.#rooms.set(name, new RoomClass());
  }

  onShutdown(callback) {
    this.#shutdown = callback;
  }

  /** Clients send the room's name and their options first, as `joinOrCreate` does. */
  async listen(port) {
    const sockets = new WebSocketServer({ port });
    sockets.on("connection", (socket) => {
      socket.once("message", async (message) => {
        const { name, options } = JSON.parse(String(message));
        const room = this.#rooms.get(name);
        const client = { auth: undefined, leave: (code) => socket.close(code) };
        try {
          client.auth = await room.onAuth(client, options);
        } catch (error) {
          return socket.close(4215, error.message.slice(0, 100));
        }
        socket.on("close", (code) => room.onLeave(client, code === consentedCode));
        await room.onJoin(client, options, client.auth);
        socket.send("joined");
      });
    });
    process.once("SIGTERM", async () => {
      await this.#shutdown();
      process.exit();
    });
    await new Promise((resolve) => sockets.once("listening", resolve));
  }
}
