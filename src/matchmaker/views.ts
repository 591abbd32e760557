import type { LobbyView, PlayerView } from "./commands.ts";
import { compile, objectText } from "./compile.ts";
import { type Fields, namedFields, type Shown } from "./field-kinds.ts";
import { isTaken, type Lobby, type Player, peakSeats, takenSeats } from "./records.ts";
import { lobbyFields, type lobbyShown, playerFields, type playerShown } from "./schema.ts";

/** Copies that never change, for answers and events: the facts that are not hidden, and what is worked out here. */

const workedOutOfLobbies: WorkedOut<Lobby, typeof lobbyShown> = {
  isSilent: (lobby) => lobby.silentSince !== null,
  isOutdated: (lobby) => !lobby.pool.isDeployed,
  reserved: (lobby) => lobby.reserved,
  connected: (lobby) => lobby.connected,
  held: (lobby) => lobby.held,
  emptySince: (lobby) => (takenSeats(lobby) === 0 ? lobby.emptySince : null),
  peakSeats,
};

const workedOutOfPlayers: WorkedOut<Player, typeof playerShown> = {
  expiresAt: (player) => (isTaken(player) && player.dueAt !== Infinity ? player.dueAt : null),
};

type WorkedOut<T, R extends Fields> = { readonly [N in keyof Shown<R>]: (record: T) => Shown<R>[N] };

export const viewLobby = compileView<Lobby, LobbyView>("lobbyId", lobbyFields, workedOutOfLobbies);
export const viewPlayer = compileView<Player, PlayerView>("playerId", playerFields, workedOutOfPlayers);

function compileView<T, V>(
  idName: string,
  fields: Fields,
  workedOut: Readonly<Record<string, unknown>>,
): (record: T) => V {
  const facts = namedFields(fields, (field) => !field.isHidden).map(([name]) => [name, `record.${name}`] as const);
  const others = Object.keys(workedOut).map((name) => [name, `${name}(record)`] as const);
  return compile(["record"], objectText([[idName, "record.id"], ...facts, ...others]), workedOut);
}
