import { setTimeout as sleep } from "node:timers/promises";
import { FoyerError } from "foyer-sdk";
import { type Client, createClient } from "../remote/client.ts";
import { CommandFailed } from "../remote/exit-codes.ts";
import type { LoadOptions } from "./options.ts";
import type { Deployed } from "./own-lobbies.ts";
import { LobbyRefused, type Playground, type Seat } from "./simulate.ts";

const connectWithinMs = 15_000;
const leaveWithinMs = 15_000;
const askEveryMs = 100;

/**
 * The namespace itself: finds start its lobbies and use them, and each player opens a WebSocket and sends its token first.
 * A lobby without a WebSocket port is not connected to; its seats are reserved, and released when the time is over.
 */
export async function openLiveLobbies(
  admin: Client,
  { game_id, namespace, modes }: Deployed,
  { hello }: LoadOptions,
): Promise<Playground> {
  const { namespace_id } = namespace;
  const params = { game_id, namespace_id };
  const { namespaces } = admin.games;
  const { token, token_id } = await namespaces.createGameNamespaceTokenPublic(game_id, namespace_id);
  const players = createClient({ ...admin.connection, token }, undefined, 0);
  const sockets = new Map<string, Socket>();
  /** Seats that this command may still have, by player. */
  const seats = new Map<string, Seat>();
  const arrivals = followArrivals(admin, params);

  return {
    ...{ params, modes, players },
    async enter(seat) {
      seats.set(seat.playerId, seat);
      const url = findUrl(seat.ports);
      if (url === null) return;
      const accepted = arrivals.waitFor(seat.playerId);
      const socket = await openSocket(url, hello.replaceAll("{token}", seat.token));
      sockets.set(seat.playerId, socket);
      const late = sleep(connectWithinMs, "late" as const, { ref: false });
      const outcome = await Promise.race([accepted.then(() => "in" as const), socket.closed, late]);
      if (outcome === "in") return;
      throw new LobbyRefused(outcome === "late" ? "LOBBY_DID_NOT_REPORT_PLAYER" : `LOBBY_CLOSED_${outcome}`);
    },
    async leave(seat) {
      sockets.get(seat.playerId)?.close();
      sockets.delete(seat.playerId);
      await release(players, seat.token);
      seats.delete(seat.playerId);
    },
    seatsOf: () => null,
    async countSeatsLeft() {
      const lobbyIds = new Set([...seats.values()].map(({ lobbyId }) => lobbyId));
      let count = 0;
      for (const lobby_id of lobbyIds) {
        const { lobby } = await namespaces.lobbies.get(game_id, namespace_id, lobby_id);
        count += lobby.players.filter(({ player_id }) => seats.has(player_id)).length;
      }
      return count;
    },
    async remove() {
      arrivals.stop();
      for (const socket of sockets.values()) socket.close();
      await namespaces.revokeToken(game_id, namespace_id, token_id);
    },
  };
}

/** The lobby reports a player who left. A seat that it holds or never connected is released here. */
async function release(players: Client, player_token: string): Promise<void> {
  const endsAt = performance.now() + leaveWithinMs;
  for (;;) {
    try {
      await players.players.release({ player_token });
      return;
    } catch (error) {
      const isStillIn = error instanceof FoyerError && error.code === "MATCHMAKER_PLAYER_ALREADY_CONNECTED";
      if (!isStillIn || performance.now() > endsAt) throw error;
      await sleep(askEveryMs);
    }
  }
}

/** Follows the events of the namespace, and resolves when a lobby has reported a player. */
function followArrivals(
  admin: Client,
  { game_id, namespace_id }: { readonly game_id: string; readonly namespace_id: string },
) {
  const stopped = new AbortController();
  const waiting = new Map<string, () => void>();
  const follow = async () => {
    while (!stopped.signal.aborted) {
      try {
        for await (const { event, data } of admin.games.namespaces.events(game_id, namespace_id, {
          signal: stopped.signal,
        })) {
          if (event === "player.connected") waiting.get(data.player_id)?.();
        }
      } catch {
        // The stream broke off; players whose arrival was missed count as not reported.
        await sleep(askEveryMs);
      }
    }
  };
  void follow();
  return {
    waitFor: (playerId: string) =>
      new Promise<void>((resolve) => {
        waiting.set(playerId, () => {
          waiting.delete(playerId);
          resolve();
        });
      }),
    stop: () => stopped.abort(),
  };
}

/** The address of the first port that takes WebSockets. */
function findUrl(ports: Readonly<Record<string, { readonly url?: string }>>): string | null {
  const url = Object.values(ports).find((port) => port.url !== undefined)?.url;
  return url === undefined ? null : url.replace(/^http/, "ws");
}

interface Socket {
  /** Resolves with the code of its end. */
  readonly closed: Promise<number>;
  close(): void;
}

/** What this command uses of the package `ws`, which has no types of its own. */
interface PlainSocket {
  on(event: string, listener: (value: number) => void): void;
  send(text: string): void;
  close(): void;
}

async function openSocket(url: string, hello: string): Promise<Socket> {
  const packageName: string = "ws";
  // Cast: as the interface above says.
  const { WebSocket } = (await import(packageName)) as { WebSocket: new (url: string, options: object) => PlainSocket };
  const socket = new WebSocket(url, { handshakeTimeout: connectWithinMs, perMessageDeflate: false });
  const closed = new Promise<number>((resolve) => socket.on("close", resolve));
  await new Promise<void>((resolve, reject) => {
    socket.on("open", () => resolve());
    socket.on("error", () => reject(new CommandFailed(`${url} does not accept a WebSocket.`)));
  });
  socket.send(hello);
  return { closed, close: () => socket.close() };
}
