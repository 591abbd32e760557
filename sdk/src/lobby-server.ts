import type { ClientOptions } from "./call.ts";
import { FoyerError } from "./error.ts";
import { createPlayerApi } from "./foyer.ts";
import type { HeartbeatAnswer } from "./generated/types.ts";
import { startHeartbeats } from "./heartbeats.ts";
import { createRoster, type LeaveOptions, type Player } from "./roster.ts";
import { onStopSignal, readEnv } from "./runtime.ts";

export interface LobbyServerOptions extends ClientOptions {
  /** How often the server sends its players to Foyer. Absent: three times in the game mode's `heartbeat_s`, else every 10 s. */
  readonly heartbeatMs?: number;
  /** Whether find avoids the lobby now: this server closed it, or an operator did. */
  onClosed?(isClosed: boolean): void;
  /** Another version was deployed: players are no longer routed here. Stop when the game is over. */
  onOutdated?(): void;
  /** A seat that was held for a player has ended: the player did not come back in time, or Foyer ended it. */
  onSeatEnded?(playerId: string): void;
  /** The lobby ends. Save what must be saved; you have some seconds. After `stopped_by_foyer` end the process if it has only this lobby. */
  onStopping?(reason: StopReason): void | Promise<void>;
  /** A call that runs in the background failed. It is repeated with the next heartbeat. Absent: console.error. */
  onError?(error: unknown): void;
  /** Whether SIGTERM and SIGINT stop the lobby and then end the process; true if absent. */
  readonly handleSignals?: boolean;
}

export type StopReason = "signal" | "stopped_by_foyer" | "stop_called";

/** For game servers: one lobby, from ready to stop. */
export interface LobbyServer {
  /** Null with a development token. */
  readonly lobbyId: string | null;
  /** The code that friends type to join; null: the game mode has none. */
  readonly code: string | null;
  /** Call it when players can connect. Heartbeats begin. */
  ready(): Promise<void>;
  /** From now on find sends no players here. They can still join by id or code. */
  close(): Promise<void>;
  /** Find sends players here again, unless an operator has closed the lobby too. */
  open(): Promise<void>;
  /** Text, numbers, lists: what the list of lobbies shows of this one. At most 16 KiB as JSON. */
  setState(state: unknown): Promise<void>;
  /**
   * Admits the player of a token. Throws a FoyerError when the token is not valid here. When this server still has the
   * player, the new connection replaces the old one, whose `signal` aborts. A player whom a restarted server no longer has
   * comes back to the seat when the game mode has a `reconnect_s`.
   */
  admit(playerToken: string): Promise<Player>;
  /**
   * Frees the seat, or holds it when the player may return. Does nothing when a newer connection has replaced this one.
   * It also takes what `admit` returned, for a connection that ends before the player is admitted.
   */
  leave(player: Player | Promise<Player>, options?: LeaveOptions): Promise<void>;
  players(): readonly Player[];
  /** Ends the lobby, and with it the connections of its players. */
  stop(): Promise<void>;
}

export function createLobbyServer(options: LobbyServerOptions = {}): LobbyServer {
  const env = readEnv();
  const token = options.token ?? env.FOYER_TOKEN;
  const endpoint = options.endpoint ?? env.FOYER_API_ENDPOINT;
  if (!token || !endpoint) throw new FoyerError("NOT_CONFIGURED", missingToken, {});
  const api = createPlayerApi({ ...options, token, endpoint });
  // A heartbeat that failed is not repeated: the next one has newer players.
  const heartbeatApi = createPlayerApi({ ...options, token, endpoint, retry: { retries: 0 } });
  const report = createReport(options);
  const roster = createRoster(api, report, (playerId) => options.onSeatEnded?.(playerId));
  const learn = createLearner(options);
  // One call after the other, so that the last one decides.
  let closing: Promise<unknown> = Promise.resolve();
  let stopHeartbeats = () => {};
  let stopping: Promise<void> | null = null;

  function setClosed(isClosed: boolean): Promise<void> {
    const call = closing.catch(() => undefined).then(() => api.lobbies.setClosed({ is_closed: isClosed }));
    closing = call;
    return call;
  }

  function end(reason: StopReason): Promise<void> {
    stopping ??= finish(reason);
    return stopping;
  }

  async function finish(reason: StopReason): Promise<void> {
    stopHeartbeats();
    try {
      await options.onStopping?.(reason);
    } catch (error) {
      report(error);
    }
    roster.dismiss();
    if (reason !== "stopped_by_foyer") await api.lobbies.stop().catch(report);
  }

  const stopListening = options.handleSignals === false ? () => {} : onStopSignal(() => end("signal"));

  return {
    lobbyId: env.FOYER_LOBBY_ID ?? null,
    code: env.FOYER_LOBBY_CODE ?? null,
    async ready() {
      await api.lobbies.ready();
      if (stopping !== null) return;
      stopHeartbeats();
      stopHeartbeats = startHeartbeats({
        api: heartbeatApi,
        roster,
        everyMs: options.heartbeatMs ?? null,
        expectedS: env.FOYER_HEARTBEAT_S === undefined ? null : Number(env.FOYER_HEARTBEAT_S),
        onAnswer: learn,
        onFailure: (error) => void (hasEnded(error) ? end("stopped_by_foyer") : report(error)),
      });
    },
    close: () => setClosed(true),
    open: () => setClosed(false),
    setState: (state) => api.lobbies.setState(state),
    admit: roster.admit,
    leave: roster.leave,
    players: roster.players,
    async stop() {
      await end("stop_called");
      stopListening();
    },
  };
}

const missingToken =
  "FOYER_TOKEN and FOYER_API_ENDPOINT are not set: run this server with `foyer dev -- node server.js`, let Foyer start it, or set them to a development token and Foyer's address.";

/** Foyer has stopped the lobby, or no longer remembers it. */
function hasEnded(error: unknown): boolean {
  return error instanceof FoyerError && (error.status === 401 || error.status === 410);
}

/** What fails because the lobby has ended needs no report. */
function createReport({ onError }: LobbyServerOptions): (error: unknown) => void {
  const report = onError ?? ((error: unknown) => console.error("Foyer:", error));
  return (error) => {
    if (!hasEnded(error)) report(error);
  };
}

/** Reports what changed from one heartbeat's answer to the next. */
function createLearner(options: LobbyServerOptions): (answer: HeartbeatAnswer) => void {
  let wasClosed = false;
  let wasOutdated = false;
  return (answer) => {
    const isClosed = answer.is_closed || answer.is_closed_by_operator;
    const isChanged = isClosed !== wasClosed;
    const isNowOutdated = answer.is_outdated && !wasOutdated;
    wasClosed = isClosed;
    wasOutdated = answer.is_outdated;
    if (isChanged) options.onClosed?.(isClosed);
    if (isNowOutdated) options.onOutdated?.();
  };
}
