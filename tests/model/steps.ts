import fc from "fast-check";
import type { ClientRange, Command, CommandType, NewLobby } from "../../src/matchmaker/commands.ts";
import { nextDueAt } from "./due.ts";
import { idleMinimum, type Model } from "./model.ts";

/** One step of a history: numbers that are read as a command on whatever there is at that moment, so that any part can be left out. */
export interface Step {
  readonly kind: number;
  readonly pick: number;
  readonly size: number;
  readonly clock: number;
  readonly flag: boolean;
}

export const histories = (length: number): fc.Arbitrary<Step[]> =>
  // Without fast-check's liking for small numbers: here a small number is nothing special.
  fc.noBias(
    fc.array(
      fc.record({ kind: fc.nat(999), pick: fc.nat(9999), size: fc.nat(11), clock: fc.nat(999), flag: fc.boolean() }),
      { minLength: 1, maxLength: length, size: "max" },
    ),
  );

/** What a step does: a command, or one of the things that can befall the service in between. */
export type Action =
  | { readonly type: "command"; readonly command: Command; readonly isStoreFailing: boolean }
  | { readonly type: "restart"; readonly now: number };

const modes = ["duel", "royale"];
const regions = ["local", "far"];
/** The last one stands for a server token, which is no client. */
const clients = ["192.0.2.1", "192.0.2.2", "2001:db8:0:1::/64", ""];
/** One client, several, and those of IPv6. */
const ranges: readonly ClientRange[] = [
  { family: 4, high: 0, from: 0xc0000201, to: 0xc0000201 },
  { family: 4, high: 0, from: 0xc0000200, to: 0xc00002ff },
  { family: 6, high: 0x20010db8, from: 0, to: 0xffff },
];
const versions = ["version-a", "version-b"];
const serverTokens = ["server-a", "server-b"];
const startOfTime = 1_700_000_000_000;

/** Out of a thousand. What is left over is `expire`. */
const shares: readonly (readonly [CommandType | "restart", number])[] = [
  ["configure", 30],
  ["find", 225],
  ["join", 95],
  ["createLobby", 95],
  ["setReady", 105],
  ["setClosed", 45],
  ["setOperatorClosed", 25],
  ["closeRegistered", 8],
  ["endSeats", 8],
  ["setState", 10],
  ["setPorts", 10],
  ["placeLobby", 10],
  ["heartbeat", 80],
  ["stopLobby", 20],
  ["connectPlayer", 110],
  ["disconnectPlayer", 70],
  ["releaseSeats", 15],
  ["releasePlayer", 8],
  ["removeNamespace", 3],
  ["restart", 12],
];

/** Reads steps as actions on the two models, which stand for two namespaces of one service. */
export function createReader(models: readonly [Model, Model]) {
  let now = startOfTime;
  let ids = 0;
  const newId = () => `00000000-0000-7000-8000-${(++ids).toString(16).padStart(12, "0")}`;
  const at = <T>(items: readonly T[], index: number): T => items[index % items.length]!;
  const party = (size: number) => Array.from({ length: size }, newId);
  /** The last player of a party has no key. */
  const keysOf = (pick: number, size: number) => {
    if (Math.floor(pick / 7) % 3 !== 0) return {};
    const names = ["anna", "ben", "cleo", "ann"];
    const keys = Array.from({ length: size }, (_, seat) => at(names, Math.floor(pick / 21) + seat));
    return { keys: size > 1 ? [...keys.slice(0, -1), ""] : keys };
  };

  function read(step: Step): Action {
    const model = step.pick % 5 === 4 ? models[1] : models[0];
    const other = model === models[0] ? models[1] : models[0];
    now = timeOf(step, model, now);
    const type = typeOf(step.kind);
    if (type === "restart") return { type: "restart", now };
    const command = commandOf(type, step, model, other);
    return { type: "command", command, isStoreFailing: step.clock % 100 === 77 };
  }

  function commandOf(type: CommandType, step: Step, model: Model, other: Model): Command {
    const { pick, size, flag } = step;
    const base = { namespaceId: model.namespaceId, now };
    const { configuration } = model;
    if (configuration === null || type === "configure") return configure(step, model);
    // Sometimes a caller does not know the newest configuration, or knows one that is not applied yet.
    const revision = configuration.revision + (pick % 37 === 0 ? -1 : pick % 41 === 0 ? 1 : 0);
    // Different digits of one number, so that no two choices go together.
    const clientId = at(clients, Math.floor(pick / 5));
    const keyed = Math.floor(pick / 11) % 3 === 0;
    const idempotency = keyed ? { key: `key${size % 2}`, bodyHash: pick % 10 < 7 ? "same" : "other" } : null;
    // Mostly something of this namespace, sometimes of the other one or of none.
    const source = pick % 29 === 0 ? other : model;
    const living = source.lobbies.filter(({ status }) => status !== "stopped");
    const lobbies = living.length === 0 || pick % 17 === 0 ? source.lobbies : living;
    const lobby = lobbies.length === 0 ? undefined : at(lobbies, Math.floor(pick / 3) + size);
    const lobbyId = pick % 43 === 0 ? "unknown" : (lobby?.made.lobbyId ?? "unknown");
    const seat = source.seats.length === 0 ? undefined : at(source.seats, source.seats.length - 1 - (pick % 12));
    const playerId = seat?.playerId ?? "unknown";
    const speaking = pick % 7 === 0 ? lobbyId : (seat?.lobbyId ?? lobbyId);

    switch (type) {
      case "find": {
        const pairs = [0, 1]
          .slice(size % 2)
          .map((i) => ({ gameMode: at(modes, pick + i), region: at(regions, size + i) }));
        const create = flag ? { ...newLobby(step, model), isPrivate: false, isExternal: false } : null;
        const seats = 1 + (size % 3);
        const request = { pairs, tags: tagsOf(step), playerIds: party(seats), ...keysOf(pick, seats), create };
        return { ...base, type, revision, clientId, ...request, createRefusal: "NO_AVAILABLE_LOBBIES", idempotency };
      }
      case "join": {
        const named = pick % 4 === 1 ? { lobbyId: null, code: lobby?.code ?? codeAt(pick) } : { lobbyId };
        const seats = { playerIds: party(1 + (size % 2)), ...keysOf(pick, 1 + (size % 2)) };
        return { ...base, type, revision, clientId, ...named, ...seats, idempotency };
      }
      case "createLobby": {
        const reason = (["created", "registered", "warm"] as const)[size % 3]!;
        const made = { ...newLobby(step, model), isExternal: reason === "registered" };
        if (reason === "created") {
          const seats = { playerIds: party(1 + (pick % 3)), ...keysOf(pick, 1 + (pick % 3)) };
          return { ...base, type, revision, reason, lobby: made, clientId: clientId || null, ...seats, idempotency };
        }
        const nobody = { clientId: null, playerIds: [], idempotency: null };
        if (reason === "warm") return { ...base, type, revision, reason, lobby: made, ...nobody };
        return { ...base, type, revision, reason, lobby: made, ...nobody, registeredBy: at(serverTokens, pick) };
      }
      case "setReady":
      case "stopLobby":
        return type === "setReady"
          ? { ...base, type, lobbyId, ...(pick % 3 === 0 && { waitsFor: flag ? "PORT_A (1)" : "PORT_B (2)" }) }
          : { ...base, type, lobbyId, reason: "self", exit: flag ? "{}" : null };
      case "setClosed":
      case "setOperatorClosed":
        return { ...base, type, lobbyId, isClosed: flag };
      case "closeRegistered": {
        const after = pick % 3 === 0 ? lobbyId : null;
        return { ...base, type, tokenId: at(serverTokens, pick), action: flag ? "unroute" : "stop", after };
      }
      case "endSeats":
        return { ...base, type, range: at(ranges, pick), after: flag ? null : lobbyId };
      case "setState":
        return { ...base, type, lobbyId, state: flag ? `${size}` : null };
      case "setPorts":
        return { ...base, type, lobbyId, ports: `{"default":${size}}` };
      case "placeLobby":
        return { ...base, type, lobbyId, nodeId: flag ? "node-a" : "node-b" };
      case "heartbeat": {
        const named = flag ? source.seats.filter((_, i) => (i + pick) % 4 !== 0).map((one) => one.playerId) : null;
        return { ...base, type, lobbyId, playerIds: named, isClosed: [true, false, null, null][size % 4]! };
      }
      case "connectPlayer":
        return { ...base, type, lobbyId: speaking, playerId };
      case "disconnectPlayer":
        return { ...base, type, lobbyId: speaking, playerId, mayReturn: flag };
      case "releasePlayer":
        return { ...base, type, playerId };
      case "releaseSeats":
        return { ...base, type, playerIds: source.seats.slice(-1 - (size % 4)).map((one) => one.playerId) };
      case "removeNamespace":
        return { ...base, type, force: flag };
      case "restarted":
      case "expire":
        return { ...base, type: "expire" };
    }
  }

  function configure({ pick, size, flag, kind }: Step, model: Model): Command {
    const before = model.configuration;
    const revision = (before?.revision ?? 0) + (pick % 11 === 0 ? 0 : 1);
    const deployed = pick % 53 === 0 ? null : at(versions, kind % 3 === 0 ? pick : 0);
    const limits = {
      lobbyCountMax: pick % 23 === 0 ? 0 : 2 + (pick % 17),
      maxPlayers: pick % 31 === 0 ? 0 : 1 + (size % 6),
      maxPlayersPerClient: flag ? 2 + size : null,
    };
    const min = size % 3;
    const idleMinimums = [
      { gameMode: "duel", region: "local", min },
      { gameMode: "royale", region: "far", min: pick % 2 },
    ];
    return {
      type: "configure",
      namespaceId: model.namespaceId,
      now,
      revision,
      limits,
      deployedVersionId: deployed,
      idleMinimums,
    };
  }

  function newLobby(step: Step, model: Model): NewLobby {
    const { pick, size, flag } = step;
    const maxPlayers = 1 + (pick % 5);
    const gameMode = at(modes, pick);
    const isWanted = idleMinimum(model, gameMode, "far") > 0;
    return {
      lobbyId: newId(),
      versionId: pick % 19 === 0 ? at(versions, size) : (model.configuration?.deployedVersionId ?? versions[0]!),
      gameMode,
      region: isWanted ? "far" : at(regions, Math.floor(size / 2)),
      maxPlayers,
      maxPlayersDirect: maxPlayers + (flag ? 2 : 0),
      isExternal: false,
      isPrivate: pick % 11 === 0,
      isJoinable: pick % 13 !== 0,
      takesOpenKeys: pick % 2 === 0,
      isMute: pick % 4 === 0,
      tags: tagsOf(step),
      readyMs: 5000,
      reservationMs: 2000,
      heartbeatMs: pick % 3 === 0 ? 1000 : 0,
      emptyMs: 1000,
      reconnectMs: pick % 2 === 0 ? 1500 : 0,
      ports: null,
      lobbyConfig: null,
      ...(Math.floor(pick / 7) % 3 !== 0 && { codes: [codeAt(pick), codeAt(pick + size), codeAt(size)] }),
    };
  }

  return { read };
}

/** So few that they run out at times. */
function codeAt(number: number): string {
  return `CODE${number % 12}`;
}

function tagsOf({ pick }: Step): Record<string, string> {
  if (pick % 6 === 0) return { map: "ice" };
  return pick % 6 === 1 ? { map: "ice", rank: String(pick % 4) } : {};
}

function typeOf(kind: number): CommandType | "restart" {
  let upTo = 0;
  for (const [type, share] of shares) {
    upTo += share;
    if (kind < upTo) return type;
  }
  return "expire";
}

/** The clock stands still, ticks, stops just before, on or just after the next deadline, jumps far, or is set back. */
function timeOf({ clock, size }: Step, model: Model, now: number): number {
  if (clock < 600) return now;
  if (clock < 880) return now + (clock % 90);
  if (clock < 950) return Math.max(now, (nextDueAt(model) ?? now) + (clock % 3) - 1);
  if (clock < 970) return now + 900 + size * 300;
  if (clock < 974) return now + (clock % 2 === 0 ? 599_000 : 610_000);
  return now - (clock % 7) * 400;
}
