import { createServer } from "node:http";
import { giveUp, sayReady, serveControl } from "./control.mjs";

/**
 * A Colyseus server that only makes matches. Rooms send no state (patchRate null, else 10,000 rooms are 200,000 timers a
 * second) and stay when they are empty; there is no onAuth. Everything else is as the version has it.
 */
export async function serveColyseus({ Server, Room, matchMaker, WebSocketTransport, RedisPresence, RedisDriver }) {
  const { rooms, seats, reservationS, order, redisPort, giveUpAfterS } = JSON.parse(process.argv[2]);

  class Duel extends Room {
    maxClients = seats;
    autoDispose = false;
    patchRate = null;
    // 0.16 and 0.18 have different names for it.
    seatReservationTime = reservationS;
    seatReservationTimeout = reservationS;
  }

  const http = createServer();
  const redis = { host: "127.0.0.1", port: redisPort };
  const shared = redisPort ? { presence: new RedisPresence(redis), driver: new RedisDriver(redis) } : {};
  const server = new Server({
    transport: new WebSocketTransport({ server: http }),
    greet: false,
    gracefullyShutdown: false,
    ...shared,
  });
  const definition = server.define("duel", Duel);
  if (order === "fullest") definition.sortBy({ clients: -1 });
  await server.listen(0, "127.0.0.1");

  const startedAt = performance.now();
  for (let made = 0; made < rooms; made++) {
    const elapsedS = (performance.now() - startedAt) / 1000;
    if (elapsedS > giveUpAfterS) giveUp(`made ${made} of ${rooms} rooms in ${giveUpAfterS} s`);
    await matchMaker.createRoom("duel", {});
  }
  const control = await serveControl({
    async rooms() {
      const listed = await matchMaker.query({});
      return listed.map(({ roomId, clients }) => ({ id: roomId, taken: clients }));
    },
    lock: (roomId) => matchMaker.remoteRoomCall(roomId, "lock"),
  });
  sayReady(http.address().port, control);
}
