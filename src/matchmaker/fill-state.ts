import { isRetired, keyDueAt, lobbyDueAt, playerDueAt } from "./deadlines.ts";
import { fillOrdered } from "./ordered-set.ts";
import { addToPool } from "./pools.ts";
import { isTaken, type Key, type Lobby, type NamespaceRecord, type Player, type Timed } from "./records.ts";
import { configurePool, countClients, countLobby, countSeat, getLobby, type State, takePlace } from "./state.ts";

/** Takes stored records for an empty state, in any order. */
export interface Filling {
  addLobby(lobby: Lobby): void;
  addPlayer(player: Player): void;
  addKey(key: Key): void;
  /** Call it once, after the last one. Null: never configured. */
  finish(namespace: NamespaceRecord | null): void;
}

/**
 * The same as adding records one by one, but each lobby is sorted only once. A player is counted, placed
 * and timed when it is added: when a million have been, the first ones have left the processor's cache.
 */
export function beginFilling(state: State): Filling {
  const lobbies: Lobby[] = [];
  const timed: Timed[] = [];
  /** They came before their lobbies. */
  const early: Player[] = [];

  function setTimer(record: Timed, dueAt: number): void {
    record.dueAt = dueAt;
    if (dueAt !== Infinity) timed.push(record);
  }

  function addPlayer(player: Player, lobby: Lobby | undefined): void {
    state.players.set(player.id, player);
    if (lobby !== undefined && isTaken(player)) {
      // All players of a lobby share its text.
      (player as { lobbyId: string }).lobbyId = lobby.id;
      countSeat(state, lobby, player.status, 1);
      takePlace(state, lobby, player);
    }
    setTimer(player, playerDueAt(player, lobby));
  }

  return {
    addLobby(lobby) {
      lobbies.push(lobby);
      state.lobbies.set(lobby.id, lobby);
      if (lobby.code !== null) state.codes.set(lobby.code, lobby);
      lobby.pool.lobbyCount += 1;
      countLobby(state, lobby, 1);
    },
    addPlayer(player) {
      const lobby = state.lobbies.get(player.lobbyId);
      if (lobby === undefined && isTaken(player)) early.push(player);
      else addPlayer(player, lobby);
    },
    addKey(key) {
      state.keys.set(key.id, key);
      setTimer(key, keyDueAt(key));
    },
    finish(namespace) {
      state.namespace = namespace;
      for (const pool of state.pools.values()) configurePool(state, pool);
      for (const player of early) addPlayer(player, getLobby(state, player));
      for (const lobby of lobbies) addToPool(lobby);
      fillOrdered(state.lobbiesById, lobbies);
      for (const lobby of lobbies) {
        if (!isRetired(lobby)) setTimer(lobby, lobbyDueAt(lobby, state.heardFrom));
        // The next step ends it; as a deadline, all of them would be due for the first command.
        else state.retiredTo = "";
      }
      fillOrdered(state.timers, timed);
      // Otherwise the first find would do it, and others would wait behind it.
      if (namespace !== null && namespace.maxPlayersPerClient !== null) countClients(state);
    },
  };
}
