import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { FoyerError, type JoinAnswer } from "foyer-sdk";
import type { Client } from "../remote/client.ts";
import { CommandFailed } from "../remote/exit-codes.ts";
import { countRefusal, type Figures } from "./figures.ts";
import type { LoadOptions } from "./options.ts";
import type { SeatChecks } from "./seat-checks.ts";

/** A seat that a find gave to one player. */
export interface Seat {
  readonly lobbyId: string;
  readonly playerId: string;
  readonly token: string;
  /** As in the answer to the find. */
  readonly ports: JoinAnswer["ports"];
}

/** Where players play: lobbies of this command, or those of the game. */
export interface Playground {
  /** Calls with a public token. */
  readonly players: Client;
  readonly params: { readonly game_id: string; readonly namespace_id: string };
  readonly modes: readonly string[];
  /** Resolves when the lobby has accepted the player. */
  enter(seat: Seat): Promise<void>;
  /** Resolves when the seat has ended. */
  leave(seat: Seat): Promise<void>;
  /** The seats of a lobby, if this command knows them. */
  seatsOf(lobbyId: string): number | null;
  /** Seats of this command's players that the service still counts. */
  countSeatsLeft(): Promise<number>;
  /** Removes what this command made. */
  remove(): Promise<void>;
}

/** The game server did not accept the player. */
export class LobbyRefused extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`The lobby did not accept the player: ${code}.`);
    this.code = code;
  }
}

interface Run {
  readonly options: LoadOptions;
  readonly playground: Playground;
  readonly figures: Figures;
  readonly checks: SeatChecks;
  /** Ends the arrivals, and makes players leave. */
  readonly signal: AbortSignal;
}

/** Every so many-th find is sent twice, as by a client that lost the first answer. */
const repeatEvery = 10;
const tryAgainMs = 1_000;
/** So many calls in a row that got no answer end the run. */
const unansweredMax = 50;

/** Parties arrive, find seats, connect, play and leave. Resolves when the last one has left. */
export async function simulate(run: Run): Promise<void> {
  const { options, figures, signal } = run;
  const stopped = new AbortController();
  const signals = AbortSignal.any([signal, stopped.signal]);
  // Every player who plays listens to it.
  setMaxListeners(0, signals);
  const party = createParty({ ...run, signal: signals }, (error) => stopped.abort(error));
  const parties = new Set<Promise<void>>();
  const gapMs = (1_000 * options.party) / options.rate;
  const endsAt = performance.now() + options.durationMs;
  let nextAt = performance.now();
  for (let index = 0; performance.now() < endsAt && !signals.aborted; ) {
    if (figures.present + options.party > options.players) nextAt = performance.now() + gapMs;
    else {
      nextAt += gapMs;
      const playing = party(index++).finally(() => parties.delete(playing));
      parties.add(playing);
    }
    const waitMs = Math.min(nextAt, endsAt) - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal: signals }).catch(() => undefined);
  }
  await Promise.all(parties);
  if (stopped.signal.aborted) throw stopped.signal.reason;
}

function createParty(run: Run, onFailure: (error: unknown) => void): (index: number) => Promise<void> {
  const { options, playground, figures, signal } = run;
  const steps = createSteps(run);
  return async (index) => {
    figures.present += options.party;
    figures.arrived += options.party;
    const arrivedAt = performance.now();
    try {
      const mode = playground.modes[index % playground.modes.length]!;
      const seats = await steps.findSeats(mode, index, arrivedAt);
      if (seats === null) {
        figures.gaveUp += options.party;
        return;
      }
      await Promise.all(
        seats.map(async (seat) => {
          const isIn = await steps.enter(seat, arrivedAt);
          const playMs = options.playMs * (0.5 + Math.random());
          if (isIn) await sleep(playMs, undefined, { signal }).catch(() => undefined);
          await steps.leave(seat, isIn);
        }),
      );
    } catch (error) {
      onFailure(error);
    } finally {
      figures.present -= options.party;
    }
  };
}

function createSteps({ options, playground, figures, checks, signal }: Run) {
  let unanswered = 0;

  /** The result and how long it took; null: refused, and counted by its code. Throws when the service is not there. */
  async function measure<T>(step: string, call: () => Promise<T>): Promise<{ result: T; tookMs: number } | null> {
    const startedAt = performance.now();
    try {
      const result = await call();
      unanswered = 0;
      return { result, tookMs: performance.now() - startedAt };
    } catch (error) {
      const code = codeOf(error);
      if (code === null) throw error;
      unanswered = code === "NO_ANSWER" ? unanswered + 1 : 0;
      countRefusal(figures, step, code);
      if (unanswered >= unansweredMax) throw error;
      return null;
    }
  }

  async function find(mode: string, isRepeated: boolean): Promise<Seat[] | null> {
    const body = { game_modes: [mode], ...(options.party > 1 && { party_size: options.party }) };
    const idempotencyKey = randomUUID();
    const send = () => playground.players.lobbies.find(body, { idempotencyKey });
    const found = await measure("find", send);
    if (found === null) return null;
    figures.find.add(found.tookMs);
    const seats = toSeats(found.result);
    checks.taken(seats[0]!.lobbyId, ids(seats));
    if (!isRepeated) return seats;
    const again = await measure("find again", send);
    if (again !== null && String(ids(toSeats(again.result))) !== String(ids(seats))) {
      checks.violation("one_seat", `A repeated find got ${ids(toSeats(again.result))} after ${ids(seats)}.`);
    }
    return seats;
  }

  return {
    async findSeats(mode: string, index: number, arrivedAt: number): Promise<Seat[] | null> {
      for (;;) {
        const seats = await find(mode, index % repeatEvery === repeatEvery - 1);
        if (seats !== null || signal.aborted) return seats;
        if (performance.now() + tryAgainMs > arrivedAt + options.patienceMs) return null;
        await sleep(tryAgainMs, undefined, { signal }).catch(() => undefined);
      }
    },
    async enter(seat: Seat, arrivedAt: number): Promise<boolean> {
      const entered = await measure("connect", () => playground.enter(seat));
      if (entered === null) return false;
      figures.connect.add(entered.tookMs);
      figures.seatWait.add(performance.now() - arrivedAt);
      figures.seated += 1;
      return true;
    },
    async leave(seat: Seat, hasPlayed: boolean): Promise<void> {
      checks.leaving(seat.lobbyId, seat.playerId);
      const left = await measure("leave", () => playground.leave(seat));
      if (left === null) return;
      figures.leave.add(left.tookMs);
      if (hasPlayed) figures.played += 1;
    },
  };
}

/** Null: neither Foyer nor a lobby refused. */
function codeOf(error: unknown): string | null {
  if (error instanceof FoyerError || error instanceof LobbyRefused) return error.code;
  return error instanceof CommandFailed ? "NO_ANSWER" : null;
}

const ids = (seats: readonly Seat[]) => seats.map(({ playerId }) => playerId);

function toSeats({ lobby, ports, players }: JoinAnswer): Seat[] {
  return players.map(({ player_id, token }) => ({
    lobbyId: lobby.lobby_id,
    playerId: player_id,
    token,
    ports,
  }));
}
