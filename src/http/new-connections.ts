import type { Server } from "node:http";
import type { Socket } from "node:net";
import { createClientLines } from "./client-lines.ts";

/** Decides when a new connection is read. */
export interface NewConnections {
  /** Opens the connection now or, while many are coming, in its client's turn. A client of null never waits. */
  accept(client: string | null, open: () => void): void;
}

/**
 * The event loop accepts one connection in each of its turns, and to read one takes several times as long as to accept it. If
 * each were read immediately, a client that opens thousands would hold up all who connect after it, because a client is
 * unknown until its connection is accepted. So while connections come in one turn after the other, Foyer reads one of each client,
 * and the others when it has accepted all: at most `perTurnMax` of them before the event loop reads what they send
 * (docs/decisions/0019).
 */
export function createNewConnections({ perTurnMax }: { perTurnMax: number }): NewConnections {
  const lines = createClientLines<() => void>();
  let isScheduled = false;
  /** A connection was accepted in this turn of the event loop, and in the one before. */
  let hasAccepted = false;
  let hadAccepted = false;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(endTurn);
  }

  function endTurn(): void {
    isScheduled = false;
    hadAccepted = hasAccepted;
    hasAccepted = false;
    if (hadAccepted || lines.count() > 0) schedule();
    else lines.forget();
    if (hadAccepted) lines.takeWhileAccepting()?.item();
    else for (let left = Math.min(perTurnMax, lines.count()); left > 0; left--) lines.takeNext().item();
  }

  return {
    accept(client, open) {
      hasAccepted = true;
      schedule();
      if (client === null || (!hadAccepted && lines.count() === 0)) open();
      else lines.add(client, open);
    },
  };
}

/** What these send is read and handled before others are opened. */
const openedPerTurnMax = 4;

/**
 * Gives each new connection to `accept` before anything is read from it, and to `opened` when it is the turn of its client, just
 * before it is read. A connection that `accept` has refused is not read as HTTP at all.
 */
export function takeConnections(
  server: Server,
  accept: (socket: Socket) => string | null | "refused",
  opened: (socket: Socket) => void,
): void {
  const newConnections = createNewConnections({ perTurnMax: openedPerTurnMax });
  const handlers = server.listeners("connection") as ((socket: Socket) => void)[];
  server.removeAllListeners("connection");
  // An option of Node's server for sockets, which the one for HTTP does not pass on.
  (server as Server & { pauseOnConnect: boolean }).pauseOnConnect = true;
  server.on("connection", (socket: Socket) => {
    const client = accept(socket);
    if (client === "refused") return ignore(socket);
    newConnections.accept(client, () => {
      if (socket.destroyed) return;
      for (const handle of handlers) handle.call(server, socket);
      opened(socket);
      socket.resume();
    });
  });
}

/** If what the client sends were not taken, its system might not give it the answer. */
function ignore(socket: Socket): void {
  socket.on("error", () => socket.destroy());
  socket.resume();
}
