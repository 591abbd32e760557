import { noClient } from "../../src/matchmaker/client-ranges.ts";
import type { Answer, Command, CommandType, LobbyView, Outcome, PlayerView } from "../../src/matchmaker/commands.ts";

/** What an engine shows of a namespace after a step. */
export interface Seen {
  readonly lobbies: readonly LobbyView[];
  /** The taken seats of living lobbies, by lobby. */
  readonly players: ReadonlyMap<string, readonly PlayerView[]>;
  readonly counts: Answer<"counts">;
}

/**
 * Knows nothing of the model and of the rules' code: it gets what was asked and answered, sees what the engine shows,
 * and says which promise was broken, by its number. One auditor follows one namespace.
 */
export function createAuditor() {
  /** Whether each lobby is closed, from the answers alone. */
  const closed = new Map<string, boolean>();
  /** The same of the operator's flag. */
  const operatorClosed = new Map<string, boolean>();
  const readyAt = new Map<string, number>();
  const stopped = new Set<string>();
  const connected = new Set<string>();
  /** Seats end once. */
  const ended = new Set<string>();
  let limits = { lobbyCountMax: 0, maxPlayers: 0, maxPlayersPerClient: null as number | null };
  let before: Seen = { lobbies: [], players: new Map(), counts: noCounts };

  function audit(command: Command | null, outcome: Outcome<CommandType> | null, seen: Seen): string[] {
    const violations: string[] = [];
    const expect = (isTrue: boolean, violation: string) => {
      if (!isTrue) violations.push(violation);
    };
    if (command !== null && outcome?.ok) noteAnswer(command, outcome, expect, seen);
    for (const lobby of seen.lobbies) auditLobby(lobby, seen, expect);
    auditTotals(seen, expect);
    const taken = new Set(playersOf(seen).map(({ playerId }) => playerId));
    for (const { playerId } of playersOf(before)) if (!taken.has(playerId)) ended.add(playerId);
    before = seen;
    return violations;
  }

  function noteAnswer(
    command: Command,
    outcome: Outcome<CommandType> & { ok: true },
    expect: (isTrue: boolean, violation: string) => void,
    seen: Seen,
  ): void {
    if (command.type === "configure" && "isApplied" in outcome && outcome.isApplied) limits = command.limits;
    if (command.type === "removeNamespace") {
      for (const known of [closed, operatorClosed, readyAt]) known.clear();
      stopped.clear();
    }
    if (command.type === "setClosed") closed.set(command.lobbyId, command.isClosed);
    if (command.type === "setOperatorClosed") operatorClosed.set(command.lobbyId, command.isClosed);
    if (command.type === "closeRegistered" && command.action === "unroute") {
      const ofToken = before.lobbies.filter((lobby) => lobby.createdBy === command.tokenId);
      const meant = ofToken.filter(({ lobbyId }) => command.after === null || lobbyId > command.after);
      for (const { lobbyId } of meant) if (isStillThere(lobbyId, seen)) operatorClosed.set(lobbyId, true);
    }
    if (command.type === "heartbeat" && command.isClosed === true) closed.set(command.lobbyId, true);
    if (command.type === "connectPlayer") {
      const isBack = playersOf(before).some(
        ({ playerId, status }) => playerId === command.playerId && status === "held",
      );
      expect(isBack || !connected.has(command.playerId), `[I16] ${command.playerId} connected twice`);
      expect(isBack === ("isReturn" in outcome && outcome.isReturn), `[CB1] ${command.playerId} returned or not`);
      connected.add(command.playerId);
    }
    if (!("isReplay" in outcome) || outcome.isReplay) return;

    const { lobby, playerIds } = outcome;
    const taken = lobby.reserved + lobby.connected + lobby.held;
    const cap = Math.min(command.type === "join" ? lobby.maxPlayersDirect : lobby.maxPlayers, limits.maxPlayers);
    expect(playerIds.length === 0 || taken <= cap, `[I1] lobby ${lobby.lobbyId} was filled to ${taken} of ${cap}`);
    const isParty = "playerIds" in command && command.playerIds?.length === playerIds.length;
    expect(isParty, `[I4] a party was seated as ${playerIds.length}`);
    const earlier = before.lobbies.find((other) => other.lobbyId === lobby.lobbyId);
    expect(outcome.isNewLobby === (earlier === undefined), `[I14] lobby ${lobby.lobbyId} came from nowhere`);
    expect(!stopped.has(lobby.lobbyId), `[I13] lobby ${lobby.lobbyId} was given after it had stopped`);
    if (command.type === "find") {
      expect(!closed.get(lobby.lobbyId), `[I7] a find was given the closed lobby ${lobby.lobbyId}`);
      expect(!operatorClosed.get(lobby.lobbyId), `[I7] a find was given ${lobby.lobbyId}, which the operator closed`);
      expect(!lobby.isPrivate, `[I7] a find was given the private lobby ${lobby.lobbyId}`);
    }
    if (outcome.isNewLobby) {
      const living = seen.counts.starting + seen.counts.ready;
      expect(living <= limits.lobbyCountMax, `[I15] ${living} lobbies where ${limits.lobbyCountMax} may be`);
    }
    const { maxPlayersPerClient } = limits;
    // Calls of server tokens have no client, and so no limit of one ([KY2]).
    const hasClient = "clientId" in command && command.clientId !== noClient;
    if (hasClient && maxPlayersPerClient !== null && playerIds.length > 0) {
      const held = playersOf(seen).filter(({ clientId }) => clientId === command.clientId).length;
      expect(held <= maxPlayersPerClient, `[I5] client ${command.clientId} holds ${held} of ${maxPlayersPerClient}`);
    }
  }

  function auditLobby(lobby: LobbyView, seen: Seen, expect: (isTrue: boolean, violation: string) => void): void {
    const { lobbyId } = lobby;
    const players = seen.players.get(lobbyId) ?? [];
    const count = (status: string) => players.filter((player) => player.status === status).length;
    expect(lobby.reserved === count("reserved"), `[I2] ${lobbyId} counts ${lobby.reserved} reserved seats`);
    expect(lobby.connected === count("connected"), `[I2] ${lobbyId} counts ${lobby.connected} connected seats`);
    expect(lobby.held === count("held"), `[CB6] ${lobbyId} counts ${lobby.held} held seats`);
    expect(lobby.held === 0 || lobby.reconnectMs > 0, `[CB3] ${lobbyId} holds seats and has no time for it`);
    expect(lobby.isClosed === (closed.get(lobbyId) ?? false), `[I8] ${lobbyId} is closed: ${lobby.isClosed}`);
    const isClosedByOperator = operatorClosed.get(lobbyId) ?? false;
    expect((lobby.operatorClose !== null) === isClosedByOperator, `[I8] ${lobbyId} is ${lobby.operatorClose}`);
    const since = readyAt.get(lobbyId);
    expect(since === undefined || since === lobby.readyAt, `[I11] ${lobbyId} became ready twice`);
    if (lobby.readyAt !== null) readyAt.set(lobbyId, lobby.readyAt);
    expect(!stopped.has(lobbyId) || lobby.status === "stopped", `[I13] ${lobbyId} came back to life`);
    if (lobby.status === "stopped") stopped.add(lobbyId);
    expect(
      lobby.status !== "stopped" || lobby.reserved + lobby.connected + lobby.held === 0,
      `[I13] ${lobbyId} kept its seats`,
    );
    for (const { playerId, status } of players) {
      if (status === "reserved") expect(!connected.has(playerId), `[I2] ${playerId} is reserved after it connected`);
      else expect(connected.has(playerId), `[I2] ${playerId} is ${status}, but no connect was answered`);
      expect(!ended.has(playerId), `[I2] the seat of ${playerId} has ended and is taken again`);
    }
  }

  function auditTotals(seen: Seen, expect: (isTrue: boolean, violation: string) => void): void {
    const count = (status: string) => seen.lobbies.filter((lobby) => lobby.status === status).length;
    const players = playersOf(seen);
    const codes = seen.lobbies.flatMap(({ code }) => code ?? []);
    expect(new Set(codes).size === codes.length, `[CO4] two lobbies have one code of ${codes.join(" ")}`);
    expect(seen.counts.starting === count("starting"), `[I15] ${seen.counts.starting} starting lobbies`);
    expect(seen.counts.ready === count("ready"), `[I15] ${seen.counts.ready} ready lobbies`);
    const { reserved, connected, held } = seen.counts;
    expect(reserved + connected + held === players.length, "[I2] the total of seats is another");
    expect(new Set(players.map(({ playerId }) => playerId)).size === players.length, "[I2] a player has two seats");
  }

  return { audit };
}

function playersOf({ players }: Seen): PlayerView[] {
  return [...players.values()].flat();
}

/** One that what was due has stopped just before is not closed any more. */
function isStillThere(lobbyId: string, { lobbies }: Seen): boolean {
  return lobbies.some((lobby) => lobby.lobbyId === lobbyId && lobby.status !== "stopped");
}

const noCounts = { revision: null, starting: 0, ready: 0, reserved: 0, connected: 0, held: 0, nextDueAt: null };
