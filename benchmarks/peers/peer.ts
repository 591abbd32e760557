import type { Connection, HttpAnswer, HttpRequest } from "./client.ts";
import type { RoomCount } from "./count.ts";

/** One of the things that are compared. */
export interface Peer {
  /** As on the command line. */
  readonly name: string;
  /** As in the tables. */
  readonly title: string;
  /** Foyer's own figures stand out in plots, and the bare server is what all are compared with. */
  readonly kind: "bare" | "foyer" | "other";
  readonly isOnRedis: boolean;
  /** What is counted besides its speed. The bare server and a mere list have no seats. */
  readonly counts: readonly ("burst" | "vanished" | "locked")[];
  start(setup: Setup): Promise<RunningPeer>;
}

export interface Setup {
  readonly rooms: number;
  /** Of each room. */
  readonly seats: number;
  /** How long a seat waits for a player who does not connect. */
  readonly reservationS: number;
}

/** A peer with its servers; `stop` ends all of them. */
export interface RunningPeer {
  readonly url: string;
  /** The call by which a player gets a seat. `index` counts the calls of a turn. */
  requestOf(index: number): HttpRequest;
  /** The room of an answer to that call; null: no seat. */
  seatOf(answer: HttpAnswer, index: number): string | null;
  /** Gives a player who comes to an empty house a seat, by as many calls as the peer needs; null: it was refused. */
  seat(connection: Connection): Promise<string | null>;
  /** Gives back what a turn took, if the peer's seats do not expire by themselves. Not measured. */
  afterTurn(): Promise<void>;
  rooms(): Promise<readonly RoomCount[]>;
  lock(roomId: string): Promise<void>;
  residentMiB(): Promise<{ readonly server: number; readonly redis: number | null }>;
  stop(): Promise<void>;
}

/** Thrown by `start`, with the measured reason in words: it goes into the table in place of figures. */
export class CannotStart extends Error {}
