import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A way to a server on which what is sent can be kept back. What was sent arrives, however late, also from a sender that is gone. */
export interface SlowWay {
  readonly port: number;
  /** From now on nothing that is sent arrives; answers do. */
  hold(): void;
  /** Everything arrives at once. Resolves when the server has answered or left each connection that had something kept back. */
  release(): Promise<void>;
  close(): Promise<void>;
}

interface Way {
  readonly toServer: Socket;
  readonly kept: Buffer[];
  readonly answered: Set<() => void>;
}

export async function openSlowWay(serverPort: number): Promise<SlowWay> {
  const ways = new Set<Way>();
  let isHeld = false;
  const listener = createServer((client) => {
    const toServer = connect(serverPort, "127.0.0.1");
    const way: Way = { toServer, kept: [], answered: new Set() };
    ways.add(way);
    const answered = () => {
      for (const tell of way.answered) tell();
    };
    client.on("data", (data) => void (isHeld ? way.kept.push(data) : toServer.write(data)));
    // A sender that is gone takes nothing back.
    client.on("close", () => isHeld || toServer.destroy());
    toServer.on("data", (data) => {
      client.write(data);
      answered();
    });
    toServer.on("close", () => {
      ways.delete(way);
      client.destroy();
      answered();
    });
    for (const socket of [client, toServer]) socket.on("error", () => {});
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("The way has no port.");

  return {
    port: address.port,
    hold() {
      isHeld = true;
    },
    async release() {
      isHeld = false;
      const full = [...ways].filter((way) => way.kept.length > 0);
      await Promise.all(
        full.map(
          (way) =>
            new Promise<void>((resolve) => {
              way.answered.add(resolve);
              way.toServer.write(Buffer.concat(way.kept.splice(0)));
            }),
        ),
      );
    },
    async close() {
      for (const { toServer } of ways) toServer.destroy();
      listener.close();
    },
  };
}
