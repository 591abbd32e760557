import type { CommandOf, CommandType, Outcome } from "../../src/matchmaker/commands.ts";
import { onLiving, refuse } from "./living.ts";
import {
  byId,
  endSeat,
  isTaken,
  keyOf,
  type Model,
  type ModelLobby,
  type ModelSeat,
  setFlag,
  takenIn,
  tell,
  tellSeat,
} from "./model.ts";

type Rules<T extends CommandType> = { readonly [C in T]: (model: Model, command: CommandOf<C>) => Outcome<C> };

/** What lobbies and players say of seats. */
export const playerRules: Rules<"heartbeat" | "connectPlayer" | "disconnectPlayer" | "releaseSeats" | "releasePlayer"> =
  {
    heartbeat: onLiving((model, lobby, { playerIds, isClosed }) => {
      lobby.lastHeartbeatAt = model.clock;
      lobby.isMute = false;
      if (lobby.silentSince !== null) {
        lobby.silentSince = null;
        tell(model, "lobby.changed", lobby);
      }
      if (isClosed === true && !lobby.isClosed) setFlag(model, lobby, { isClosed: true });
      const inside = () =>
        takenIn(model, lobby)
          .filter(({ status }) => status !== "reserved")
          .sort(byId);
      for (const seat of playerIds === null ? [] : inside()) {
        repair(model, lobby, seat, playerIds!.includes(seat.playerId));
      }
      return {
        ok: true,
        players: inside().map((seat) => ({
          playerId: seat.playerId,
          isHeld: seat.status === "held",
          ...keyOf(seat),
        })),
        isClosed: lobby.isClosed,
        isClosedByOperator: lobby.operatorClose !== null,
        isOutdated: model.configuration?.deployedVersionId !== lobby.made.versionId,
        heartbeatMs: lobby.made.heartbeatMs,
        reconnectMs: lobby.made.reconnectMs,
      };
    }),

    connectPlayer: onLiving((model, lobby, { playerId }) => {
      const found = model.seats.find((other) => other.playerId === playerId);
      if (found === undefined) return refuse("PLAYER_REMOVED");
      if (found.lobbyId !== lobby.made.lobbyId) return refuse("PLAYER_IN_DIFFERENT_LOBBY");
      if (found.status === "connected") return refuse("PLAYER_ALREADY_CONNECTED");
      if (found.status === "expired") return refuse("PLAYER_RESERVATION_EXPIRED");
      if (!isTaken(found)) return refuse("PLAYER_REMOVED");
      const isReturn = found.status === "held";
      found.status = "connected";
      found.connectedAt ??= model.clock;
      tellSeat(model, isReturn ? "player.returned" : "player.connected", found);
      return { ok: true, isReturn, ...keyOf(found) };
    }),

    disconnectPlayer: onLiving((model, lobby, { playerId, mayReturn }) => {
      const found = model.seats.find((other) => other.playerId === playerId);
      if (found === undefined) return refuse("PLAYER_REMOVED");
      if (found.lobbyId !== lobby.made.lobbyId) return refuse("PLAYER_IN_DIFFERENT_LOBBY");
      const isHolding = mayReturn && lobby.made.reconnectMs > 0;
      if (!isTaken(found) || (isHolding && found.status !== "connected")) return { ok: true, isChanged: false };
      drop(model, found, isHolding);
      return { ok: true, isChanged: true };
    }),

    releaseSeats(model, { playerIds }) {
      const reserved = playerIds.flatMap((id) =>
        model.seats.filter(({ playerId, status }) => playerId === id && status === "reserved"),
      );
      for (const found of reserved) endSeat(model, found, "released");
      return { ok: true, released: reserved.length };
    },

    releasePlayer(model, { playerId }) {
      const found = model.seats.find((other) => other.playerId === playerId && isTaken(other));
      if (found?.status === "connected") return refuse("PLAYER_ALREADY_CONNECTED");
      if (found !== undefined) endSeat(model, found, "released");
      return { ok: true, isChanged: found !== undefined };
    },
  };

/** A held player that a heartbeat names is back; a connected one that two in a row do not name has dropped. */
function repair(model: Model, lobby: ModelLobby, seat: ModelSeat, isNamed: boolean): void {
  if (seat.status === "held") {
    if (!isNamed) return;
    seat.status = "connected";
    tellSeat(model, "player.returned", seat);
  } else if (!isNamed && seat.hasMissedOne) drop(model, seat, lobby.made.reconnectMs > 0);
  else seat.hasMissedOne = !isNamed;
}

function drop(model: Model, seat: ModelSeat, isHeld: boolean): void {
  if (isHeld) {
    Object.assign(seat, { status: "held", heldAt: model.clock, hasMissedOne: false });
    tellSeat(model, "player.held", seat);
  } else endSeat(model, seat, "left");
}
