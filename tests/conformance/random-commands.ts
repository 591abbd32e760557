import fc from "fast-check";
import { apply } from "../../src/matchmaker/apply.ts";
import { type Changes, loadState, type StoredRecord } from "../../src/matchmaker/changes.ts";
import type { Command, CommandType, NewLobby, Outcome } from "../../src/matchmaker/commands.ts";
import { createState, type State } from "../../src/matchmaker/state.ts";
import { readChanges } from "../support/changes.ts";
import { checkInvariants } from "../support/invariants.ts";
import { allRecords, stateHash } from "../support/state-hash.ts";

/** One step of a random history: numbers that are read as a command on whatever there is at that moment. */
export interface Step {
  readonly kind: number;
  readonly pick: number;
  readonly size: number;
  readonly wait: number;
  readonly flag: boolean;
}

export const steps = (length: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      kind: fc.nat(99),
      pick: fc.nat(1000),
      size: fc.nat(4),
      wait: fc.oneof(
        { weight: 20, arbitrary: fc.constant(0) },
        { weight: 20, arbitrary: fc.nat(60) },
        { weight: 3, arbitrary: fc.constantFrom(999, 1000, 1001, 2000) },
        { weight: 1, arbitrary: fc.constantFrom(5000, 10_000, 599_000) },
      ),
      flag: fc.boolean(),
    }),
    { minLength: length / 2, maxLength: length, size: "max" },
  );

export const randomNamespaceId = "dddddddd-0000-7000-8000-00000000000d";

const modes = ["duel", "royale"];
const regions = ["local", "far"];
/** The last one stands for a server token, which is no client. */
const clients = ["192.0.2.1", "192.0.2.2", "2001:db8:0:1::/64", ""];
const versions = ["version-a", "version-b"];
const serverTokens = ["server-a", "server-b"];

/** Turns steps into valid commands; ids of lobbies and players made so far are picked from, unknown ones among them. */
export function createHistory(namespaceId = randomNamespaceId) {
  const lobbyIds = ["unknown"];
  const playerIds = ["unknown"];
  const lobbyOfPlayer = new Map<string, string>();
  let next = 0;
  let now = 1_000_000;
  let revision = 0;
  const newId = () => `id-${(next++).toString().padStart(6, "0")}`;
  const at = <T>(items: readonly T[], index: number): T => items[index % items.length]!;
  let deployed = versions[0]!;
  /** The last player that was reported as dropped, which may come back. */
  let dropped: { readonly lobbyId: string; readonly playerId: string } | null = null;

  function newLobby(step: Step): NewLobby {
    const lobbyId = newId();
    const maxPlayers = 1 + (step.pick % 5);
    return {
      lobbyId,
      versionId: deployed,
      gameMode: at(modes, step.pick),
      region: at(regions, step.size),
      maxPlayers,
      maxPlayersDirect: maxPlayers + (step.flag ? 2 : 0),
      isExternal: step.pick % 7 === 0,
      isPrivate: step.pick % 11 === 0,
      isJoinable: step.pick % 13 !== 0,
      takesOpenKeys: step.pick % 2 === 0,
      isMute: step.pick % 4 === 0,
      tags: tagsOf(step),
      readyMs: 5000,
      reservationMs: 2000,
      heartbeatMs: step.pick % 3 === 0 ? 1000 : 0,
      emptyMs: 1000,
      reconnectMs: step.pick % 3 === 0 ? 0 : 4000,
      ports: null,
      lobbyConfig: null,
      ...(step.pick % 3 !== 0 && { codes: [codeAt(step.pick), codeAt(step.size)] }),
    };
  }

  /** So few that they run out at times. */
  function codeAt(number: number): string {
    return `CODE${number % 7}`;
  }

  function tagsOf(step: Step): Record<string, string> {
    if (step.pick % 4 === 0) return { map: "ice" };
    return step.pick % 4 === 1 ? { map: "ice", rank: String(step.pick % 2) } : {};
  }

  function party(size: number): string[] {
    return Array.from({ length: size }, newId);
  }

  /** Of the first player of a party; the others have none. */
  function keysOf(step: Step, size: number): { keys?: string[] } {
    if (step.pick % 3 !== 0 || size === 0) return {};
    const key = at(["anna", "ben", "cleo"], step.kind + step.pick);
    return { keys: Array.from({ length: size }, (_, seat) => (seat === 0 ? key : "")) };
  }

  function commandOf(step: Step): Command {
    // Now and then the clock goes back, as it does between machines.
    now += step.kind === 0 ? -step.wait : step.wait;
    const base = { namespaceId, now };
    const lobbyId = lobbyIds.at(-1 - (step.pick % 8)) ?? "unknown";
    const playerId = playerIds.at(-1 - (step.pick % 9)) ?? "unknown";
    // Mostly a player's own lobby speaks of it, sometimes another one.
    const speakingLobbyId = step.size === 0 ? lobbyId : (lobbyOfPlayer.get(playerId) ?? lobbyId);
    const clientId = at(clients, step.pick);
    const idempotency = step.pick % 3 === 0 ? { key: `k${step.size % 2}`, bodyHash: String(step.flag) } : null;
    if (revision === 0 || step.kind < 3) return configure(step, base);
    if (step.kind < 30) {
      const pairs = [
        { gameMode: at(modes, step.pick), region: at(regions, step.size) },
        { gameMode: at(modes, step.pick + 1), region: at(regions, step.size) },
      ];
      const create = step.flag ? { ...newLobby(step), isPrivate: false, isExternal: false } : null;
      const playerIds = party(1 + (step.size % 3));
      const request = { pairs, tags: tagsOf(step), playerIds, create, createRefusal: "NO_AVAILABLE_LOBBIES" } as const;
      return {
        ...{ ...base, type: "find", revision, clientId, ...request, idempotency },
        ...keysOf(step, playerIds.length),
      };
    }
    if (step.kind < 38) {
      const named = step.pick % 3 === 1 ? { lobbyId: null, code: codeAt(step.pick + step.size) } : { lobbyId };
      const playerIds = party(1 + (step.size % 2));
      return {
        ...base,
        type: "join",
        revision,
        clientId,
        ...named,
        playerIds,
        idempotency,
        ...keysOf(step, playerIds.length),
      };
    }
    if (step.kind < 46) {
      const reason = (["created", "registered", "warm"] as const)[step.size % 3]!;
      const lobby = { ...newLobby(step), isExternal: reason === "registered" };
      const ids = reason === "created" ? party(step.size % 3) : [];
      const caller = reason === "created" ? clientId || null : null;
      const key = reason === "created" && ids.length > 0 ? idempotency : null;
      return {
        ...base,
        type: "createLobby",
        revision,
        reason,
        lobby,
        clientId: caller,
        playerIds: ids,
        idempotency: key,
        ...keysOf(step, ids.length),
        ...(reason === "registered" && { registeredBy: at(serverTokens, step.pick) }),
      };
    }
    if (step.kind < 58) {
      return { ...base, type: "setReady", lobbyId, ...(step.pick % 5 === 1 && { waitsFor: `port ${step.size}` }) };
    }
    if (step.kind < 61) return { ...base, type: "setClosed", lobbyId, isClosed: step.flag };
    if (step.kind < 63 && step.pick % 3 === 0) {
      const action = step.flag ? "unroute" : "stop";
      return { ...base, type: "closeRegistered", tokenId: at(serverTokens, step.size), action, after: null };
    }
    if (step.kind < 63 && step.pick % 9 === 1) {
      const range =
        step.size % 2 === 0
          ? ({ family: 4, high: 0, from: 0xc0000201, to: 0xc0000201 + step.size } as const)
          : ({ family: 6, high: 0x20010db8, from: 0, to: 0xffff } as const);
      return { ...base, type: "endSeats", range, after: step.flag ? null : lobbyId };
    }
    if (step.kind < 63) return { ...base, type: "setOperatorClosed", lobbyId, isClosed: step.flag };
    if (step.kind < 65) return { ...base, type: "setState", lobbyId, state: step.flag ? "1" : null };
    if (step.kind < 72) {
      const named = step.flag ? playerIds.slice(-step.pick % 20) : null;
      return { ...base, type: "heartbeat", lobbyId, playerIds: named, isClosed: step.size === 0 ? true : null };
    }
    if (step.kind < 75) return { ...base, type: "stopLobby", lobbyId, reason: "self", exit: null };
    if (step.kind < 86 && dropped !== null && step.pick % 3 === 0) {
      return { ...base, type: "connectPlayer", ...dropped };
    }
    if (step.kind < 86) return { ...base, type: "connectPlayer", lobbyId: speakingLobbyId, playerId };
    if (step.kind < 92 && step.flag) dropped = { lobbyId: speakingLobbyId, playerId };
    if (step.kind < 92)
      return { ...base, type: "disconnectPlayer", lobbyId: speakingLobbyId, playerId, mayReturn: step.flag };
    if (step.kind === 92 || (step.kind === 93 && step.flag)) return { ...base, type: "releasePlayer", playerId };
    if (step.kind < 94) return { ...base, type: "releaseSeats", playerIds: playerIds.slice(-step.size - 1) };
    if (step.kind < 96) return { ...base, type: "restarted" };
    return { ...base, type: "expire" };
  }

  function configure(step: Step, base: { namespaceId: string; now: number }): Command {
    revision += 1;
    deployed = at(versions, step.kind === 1 ? step.pick : 0);
    const limits = {
      lobbyCountMax: 3 + step.pick,
      maxPlayers: 1 + step.size * 2,
      maxPlayersPerClient: step.flag ? 6 : null,
    };
    const idleMinimums = [{ gameMode: "duel", region: "local", min: step.size % 3 }];
    return { ...base, type: "configure", revision, limits, deployedVersionId: deployed, idleMinimums };
  }

  /** Only lobbies and seats that came to be are picked later on. */
  function note(outcome: Outcome<CommandType>): void {
    if (!outcome.ok || !("isReplay" in outcome) || outcome.isReplay) return;
    const { lobbyId } = outcome.lobby;
    if (outcome.isNewLobby) lobbyIds.push(lobbyId);
    for (const playerId of outcome.playerIds) lobbyOfPlayer.set(playerId, lobbyId);
    playerIds.push(...outcome.playerIds);
  }

  return { commandOf, note };
}

export type StoredRecords = Map<string, StoredRecord>;

/** Brings what is stored up to date, as a journal does. */
export function keepChanges(stored: StoredRecords, changes: Changes): void {
  for (const { entity, id, row } of readChanges(changes)) {
    if (row === null) stored.delete(`${entity}/${id}`);
    else stored.set(`${entity}/${id}`, { entity, id, row });
  }
}

/** Runs a history; what is wrong after a step is thrown with the command that did it. */
export function runHistory(history: readonly Step[]): { state: State; outcomes: string[] } {
  const { commandOf, note } = createHistory();
  const state = createState(randomNamespaceId);
  const stored: StoredRecords = new Map();
  const outcomes: string[] = [];
  for (const step of history) {
    const command = commandOf(step);
    const { outcome, changes } = apply(state, command);
    note(outcome);
    outcomes.push(`${command.type} ${outcome.ok ? "ok" : outcome.code}`);
    keepChanges(stored, changes);
    const violations = checkInvariants(state);
    if (violations.length > 0) throw new Error(`After ${JSON.stringify(command)}: ${violations.join("; ")}`);
  }
  const loaded = loadState(randomNamespaceId, stored.values());
  if (stateHash(loaded) !== stateHash(state)) throw new Error("The changes do not add up to the state.");
  // Players then come before their lobbies.
  const backwards = loadState(randomNamespaceId, [...stored.values()].reverse());
  if (stateHash(backwards) !== stateHash(state)) throw new Error("The order of loaded records makes a difference.");
  // Until then the heartbeat clocks of a loaded state stand still.
  apply(backwards, { type: "restarted", namespaceId: randomNamespaceId, now: state.now });
  const wrong = checkInvariants(backwards);
  if (wrong.length > 0) throw new Error(`After loading: ${wrong.join("; ")}`);
  if (stored.size !== allRecords(state).length) throw new Error("The changes leave entities behind.");
  return { state, outcomes };
}
