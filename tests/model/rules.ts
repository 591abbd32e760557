import { BlockList, isIP } from "node:net";
import type {
  ClientRange,
  Command,
  CommandOf,
  CommandType,
  FindRequest,
  Idempotency,
  LobbyView,
  NewLobby,
  Outcome,
  Refusal,
} from "../../src/matchmaker/commands.ts";
import { advance, nextDueAt } from "./due.ts";
import { onLiving, refuse } from "./living.ts";
import {
  byAge,
  byId,
  endLobby,
  endSeat,
  isDeployed,
  isLiving,
  isOpen,
  isTaken,
  lobbyOf,
  lobbyWithCode,
  type Model,
  type ModelConfiguration,
  type ModelLobby,
  type ModelSeat,
  missingOf,
  setFlag,
  takenIn,
  tell,
  tellSeat,
  viewOf,
} from "./model.ts";
import { playerRules } from "./player-rules.ts";

/** What the rules say about one command, and what it changes: first what is due, then the command, then what it made due. */
export function decide(model: Model, command: Command): Outcome<CommandType> {
  advance(model, command.now);
  const rule = rules[command.type] as (model: Model, command: Command) => Outcome<CommandType>;
  const outcome = rule(model, command);
  advance(model, command.now);
  // A namespace with nothing in it leaves nothing behind, not even its time and its heartbeat clocks.
  const hasNothing = model.lobbies.length + model.seats.length + model.keys.length === 0;
  if (model.configuration === null && hasNothing) Object.assign(model, { clock: 0, heardFrom: 0 });
  return outcome;
}

const rules: { readonly [T in CommandType]: (model: Model, command: CommandOf<T>) => Outcome<T> } = {
  configure(model, { revision, limits, deployedVersionId, idleMinimums }) {
    const before = model.configuration;
    if (before !== null && (before.removedAt !== null || before.revision >= revision)) {
      return { ok: true, isApplied: false };
    }
    model.configuration = { revision, limits, deployedVersionId, idleMinimums, removedAt: null };
    const { namespaceId, clock: at } = model;
    model.published.push({ type: "namespace.configured", namespaceId, at, revision, deployedVersionId });
    // By id, however long each has been empty. The histories have fewer of them than end in one step.
    const outdated = model.lobbies.filter(
      (lobby) =>
        isLiving(lobby) && !lobby.made.isExternal && !isDeployed(model, lobby) && takenIn(model, lobby).length === 0,
    );
    const idOf = ({ made }: ModelLobby) => made.lobbyId;
    for (const lobby of outdated.sort((left, right) => (idOf(left) < idOf(right) ? -1 : 1))) {
      endLobby(model, lobby, "outdated", null);
    }
    return { ok: true, isApplied: true };
  },

  find(model, command) {
    const configuration = current(model, command.revision);
    if (configuration === null) return refuse("STALE_REVISION");
    const earlier = replay(model, command.clientId, command.idempotency);
    if (earlier !== null) return earlier;
    const choice = chooseFor(model, configuration, command);
    if ("ok" in choice) return choice;
    return "made" in choice
      ? seat(model, choice, command, false)
      : seat(model, make(model, choice, "found", command.clientId || null), command, true);
  },

  join(model, command) {
    const configuration = current(model, command.revision);
    if (configuration === null) return refuse("STALE_REVISION");
    const earlier = replay(model, command.clientId, command.idempotency);
    if (earlier !== null) return earlier;
    const { lobbyId, code } = command;
    const lobby = lobbyId === null ? lobbyWithCode(model, code!) : lobbyOf(model, lobbyId);
    if (lobby === undefined) return refuse("LOBBY_NOT_FOUND");
    if (!isLiving(lobby)) return refuse("LOBBY_STOPPED");
    const isServer = command.clientId === "";
    if (!lobby.made.isJoinable && !isServer) return refuse("JOIN_DISABLED");
    if (command.keys !== undefined && !lobby.made.takesOpenKeys && !isServer) return refuse("KEY_NOT_VOUCHED");
    const seated = refuseSeated(model, command);
    if (seated !== null) return seated;
    if (isOverClientLimit(model, configuration, command)) return refuse("TOO_MANY_PLAYERS_FROM_SOURCE");
    const cap = Math.min(lobby.made.maxPlayersDirect, configuration.limits.maxPlayers);
    if (takenIn(model, lobby).length + command.playerIds.length > cap) return refuse("LOBBY_FULL");
    return seat(model, lobby, command, false);
  },

  createLobby(model, command) {
    const { lobby, reason, playerIds, idempotency } = command;
    const clientId = command.clientId ?? "";
    const configuration = current(model, command.revision);
    if (configuration === null) return refuse("STALE_REVISION");
    const earlier = replay(model, clientId, idempotency);
    if (earlier !== null) return earlier;
    if (!lobby.isExternal && configuration.deployedVersionId === null) return refuse("NO_VERSION_DEPLOYED");
    if (!lobby.isExternal && configuration.deployedVersionId !== lobby.versionId) return refuse("STALE_REVISION");
    if (reason === "warm" && missingOf(model, lobby.gameMode, lobby.region) === 0) return refuse("NOT_NEEDED");
    const party = { clientId, playerIds, keys: command.keys, idempotency };
    const seated = refuseSeated(model, party);
    if (seated !== null) return seated;
    if (isOverClientLimit(model, configuration, party)) return refuse("TOO_MANY_PLAYERS_FROM_SOURCE");
    const refusal = refuseNewLobby(model, configuration, lobby, playerIds.length);
    if (refusal !== null) return refusal;
    if (isWithoutCode(model, lobby)) return refuse("CODES_TAKEN");
    return seat(model, make(model, lobby, reason, command.registeredBy ?? command.clientId), party, true);
  },

  setReady: onLiving((model, lobby, { waitsFor }) => {
    if (lobby.status === "ready") return { ok: true, isChanged: false };
    if (waitsFor !== undefined) {
      const isChanged = lobby.waitsFor !== waitsFor;
      lobby.waitsFor = waitsFor;
      if (isChanged) tell(model, "lobby.changed", lobby);
      return { ok: true, isChanged };
    }
    lobby.waitsFor = null;
    lobby.status = "ready";
    lobby.readyAt = model.clock;
    tell(model, "lobby.ready", lobby);
    return { ok: true, isChanged: true };
  }),

  setClosed: onLiving((model, lobby, { isClosed }) => {
    if (lobby.isClosed === isClosed) return { ok: true, isChanged: false };
    setFlag(model, lobby, { isClosed });
    return { ok: true, isChanged: true };
  }),

  setOperatorClosed: onLiving((model, lobby, { isClosed }) => {
    if ((lobby.operatorClose !== null) === isClosed) return { ok: true, isChanged: false };
    setFlag(model, lobby, { operatorClose: isClosed ? "operator" : null });
    return { ok: true, isChanged: true };
  }),

  closeRegistered(model, { tokenId, action, after }) {
    const lobbies = lobbiesAfter(model, after).slice(0, 500);
    for (const lobby of lobbies.filter(isLiving)) {
      if (lobby.reason !== "registered" || lobby.createdBy !== tokenId) continue;
      if (action === "stop") endLobby(model, lobby, "operator", null);
      else if (lobby.operatorClose === null) setFlag(model, lobby, { operatorClose: "token_revoked" });
    }
    return { ok: true, next: lobbies.length === 500 ? lobbies.at(-1)!.made.lobbyId : null };
  },

  endSeats(model, { range, after }) {
    let [looked, ended] = [0, 0];
    for (const [at, lobby] of lobbiesAfter(model, after).entries()) {
      const taken = takenIn(model, lobby).sort(byId);
      for (const found of taken.filter(({ clientId }) => isInRange(clientId, range))) {
        endSeat(model, found, "left", "blocked");
        ended += 1;
      }
      looked += taken.length;
      if (at === 499 || looked >= 2000) return { ok: true, ended, next: lobby.made.lobbyId };
    }
    return { ok: true, ended, next: null };
  },

  setState: onLiving((model, lobby, { state }) => {
    lobby.state = state;
    tell(model, "lobby.changed", lobby);
    return { ok: true };
  }),

  setPorts: onLiving((model, lobby, { ports }) => {
    lobby.ports = ports;
    tell(model, "lobby.changed", lobby);
    return { ok: true };
  }),

  placeLobby: onLiving((model, lobby, { nodeId }) => {
    if (lobby.nodeId === nodeId) return { ok: true, isChanged: false };
    if (lobby.nodeId !== null) return refuse("ALREADY_PLACED");
    lobby.nodeId = nodeId;
    tell(model, "lobby.changed", lobby);
    return { ok: true, isChanged: true };
  }),

  stopLobby: onLiving((model, lobby, { reason, exit }) => {
    endLobby(model, lobby, reason, exit);
    return { ok: true };
  }),

  ...playerRules,

  expire: (model) => ({ ok: true, nextDueAt: nextDueAt(model) }),

  restarted: () => ({ ok: true }),

  removeNamespace(model, { force }) {
    const living = model.lobbies.filter(isLiving);
    if (!force && living.length > 0) return refuse("NAMESPACE_NOT_EMPTY");
    living.sort((a, b) => (a.made.lobbyId < b.made.lobbyId ? -1 : 1));
    for (const lobby of living) endLobby(model, lobby, "namespace_removed", null);
    model.lobbies = [];
    model.seats = [];
    model.keys = [];
    const limits = { lobbyCountMax: 0, maxPlayers: 0, maxPlayersPerClient: null };
    model.configuration ??= { revision: 0, limits, deployedVersionId: null, idleMinimums: [], removedAt: null };
    model.configuration.removedAt ??= model.clock;
    return { ok: true };
  },
};

/** By the platform's own notion of addresses; a client of IPv6 is a whole /64. */
function isInRange(clientId: string, { family, high, from, to }: ClientRange): boolean {
  const [address = ""] = clientId.split("/");
  if (isIP(address) !== family) return false;
  const hex = (number: number) =>
    number
      .toString(16)
      .padStart(8, "0")
      .replace(/(....)(....)/, "$1:$2");
  const dotted = (number: number) => [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join(".");
  const list = new BlockList();
  if (family === 4) list.addRange(dotted(from), dotted(to));
  else list.addRange(`${hex(high)}:${hex(from)}::`, `${hex(high)}:${hex(to)}:ffff:ffff:ffff:ffff`, "ipv6");
  return list.check(address, family === 4 ? "ipv4" : "ipv6");
}

function lobbiesAfter(model: Model, after: string | null): ModelLobby[] {
  const later = model.lobbies.filter(({ made }) => after === null || made.lobbyId > after);
  return later.sort((a, b) => (a.made.lobbyId < b.made.lobbyId ? -1 : 1));
}

function current(model: Model, revision: number): ModelConfiguration | null {
  const { configuration } = model;
  return configuration?.removedAt === null && configuration.revision === revision ? configuration : null;
}

interface Party {
  readonly clientId: string;
  readonly playerIds: readonly string[];
  readonly keys?: readonly string[] | undefined;
  readonly idempotency: Idempotency | null;
}

/** A key has one taken seat for each client that brings it, and one for all server tokens together. */
function refuseSeated(model: Model, { clientId, keys = [] }: Pick<Party, "clientId" | "keys">): Refusal | null {
  const seated = keys.flatMap((key, index) => {
    const held = model.seats.find((other) => isTaken(other) && other.clientId === clientId && other.playerKey === key);
    return held === undefined ? [] : [{ index, lobbyId: held.lobbyId }];
  });
  return seated.length === 0 ? null : { ok: false, code: "PLAYER_ALREADY_SEATED", seated };
}

function replay(model: Model, clientId: string, idempotency: Idempotency | null): Outcome<"find"> | null {
  const known = model.keys.find((key) => key.clientId === clientId && key.key === idempotency?.key);
  if (idempotency === null || known === undefined) return null;
  const isHeld = model.seats.some((other) => known.playerIds.includes(other.playerId) && isTaken(other));
  if (!isHeld) return null;
  if (known.bodyHash !== idempotency.bodyHash) return refuse("IDEMPOTENCY_KEY_REUSED");
  const lobby = viewOf(model, lobbyOf(model, known.lobbyId)!);
  return { ok: true, lobby, playerIds: known.playerIds, isNewLobby: false, isReplay: true };
}

function isOverClientLimit(
  model: Model,
  { limits }: ModelConfiguration,
  { clientId, playerIds }: Pick<Party, "clientId" | "playerIds">,
): boolean {
  const held = model.seats.filter((other) => other.clientId === clientId && isTaken(other)).length;
  return clientId !== "" && limits.maxPlayersPerClient !== null && held + playerIds.length > limits.maxPlayersPerClient;
}

function refuseNewLobby(model: Model, { limits }: ModelConfiguration, lobby: NewLobby, party: number): Refusal | null {
  if (party > Math.min(lobby.maxPlayers, limits.maxPlayers)) return refuse("NO_AVAILABLE_LOBBIES");
  return model.lobbies.filter(isLiving).length >= limits.lobbyCountMax ? refuse("TOO_MANY_LOBBIES") : null;
}

/** The lobby that a find takes, or the one it makes, or why neither. */
export function chooseFor(
  model: Model,
  configuration: ModelConfiguration,
  request: FindRequest,
): ModelLobby | NewLobby | Refusal {
  const { limits, deployedVersionId } = configuration;
  if (deployedVersionId === null) return refuse("NO_VERSION_DEPLOYED");
  const seated = refuseSeated(model, request);
  if (seated !== null) return seated;
  if (isOverClientLimit(model, configuration, request)) return refuse("TOO_MANY_PLAYERS_FROM_SOURCE");
  const party = request.playerIds.length;
  for (const { gameMode, region } of request.pairs) {
    const fits = model.lobbies
      .filter((lobby) => isLiving(lobby) && lobby.made.versionId === deployedVersionId)
      .filter(({ made }) => made.gameMode === gameMode && made.region === region)
      .filter((lobby) => isOpen(lobby) && !lobby.made.isPrivate && lobby.silentSince === null)
      .filter(({ made }) => Object.entries(request.tags).every(([name, value]) => made.tags[name] === value))
      .filter((lobby) => takenIn(model, lobby).length + party <= Math.min(lobby.made.maxPlayers, limits.maxPlayers));
    const isReady = (lobby: ModelLobby) => Number(lobby.status === "ready");
    const taken = (lobby: ModelLobby) => takenIn(model, lobby).length;
    const [best] = fits.sort((a, b) => isReady(b) - isReady(a) || taken(b) - taken(a) || byAge(a, b));
    if (best !== undefined) return best;
  }
  const { create } = request;
  if (create === null) return refuse(request.createRefusal);
  if (create.versionId !== deployedVersionId) return refuse("STALE_REVISION");
  const refusal = refuseNewLobby(model, configuration, create, party);
  if (refusal !== null) return refusal;
  return isWithoutCode(model, create) ? refuse("CODES_TAKEN") : create;
}

/** It is to have a code, and every one that it may have belongs to another lobby. */
function isWithoutCode(model: Model, { codes }: NewLobby): boolean {
  return codes !== undefined && freeCodes(model, codes).length === 0;
}

function freeCodes(model: Model, codes: readonly string[]): string[] {
  return codes.filter((code) => lobbyWithCode(model, code) === undefined);
}

function make(model: Model, made: NewLobby, reason: LobbyView["createReason"], createdBy: string | null): ModelLobby {
  const lobby: ModelLobby = {
    made,
    reason,
    createdBy,
    createdAt: model.clock,
    status: "starting",
    isClosed: false,
    operatorClose: null,
    readyAt: null,
    lastHeartbeatAt: null,
    isMute: made.isMute,
    silentSince: null,
    emptySince: model.clock,
    peakSeats: 0,
    stoppedAt: null,
    stopReason: null,
    exit: null,
    state: null,
    ports: made.ports,
    nodeId: null,
    waitsFor: null,
    code: freeCodes(model, made.codes ?? [])[0] ?? null,
  };
  model.lobbies.push(lobby);
  tell(model, "lobby.created", lobby);
  return lobby;
}

function seat(model: Model, lobby: ModelLobby, party: Party, isNewLobby: boolean): Outcome<"find"> {
  const { clientId, playerIds, keys, idempotency } = party;
  const { lobbyId } = lobby.made;
  for (const [index, playerId] of playerIds.entries()) {
    const taken: ModelSeat = {
      playerId,
      lobbyId,
      clientId,
      playerKey: keys?.[index] || null,
      status: "reserved",
      reservedAt: model.clock,
      connectedAt: null,
      heldAt: null,
      endedAt: null,
      hasMissedOne: false,
    };
    model.seats.push(taken);
    lobby.peakSeats = Math.max(lobby.peakSeats, takenIn(model, lobby).length);
    tellSeat(model, "player.reserved", taken);
  }
  if (idempotency !== null) {
    model.keys = model.keys.filter((key) => key.clientId !== clientId || key.key !== idempotency.key);
    model.keys.push({ clientId, ...idempotency, lobbyId, playerIds, createdAt: model.clock });
  }
  return { ok: true, lobby: viewOf(model, lobby), playerIds, isNewLobby, isReplay: false };
}
