import { expect } from "vitest";
import type { Engine, PlacedEvent } from "../../src/engine/engine.ts";
import type {
  Answer,
  CommandOf,
  CommandType,
  CreateLobby,
  Find,
  IdleMinimum,
  Join,
  Limits,
  LobbyView,
  NewLobby,
  Outcome,
  Pair,
  QueryOf,
  QueryType,
  RefusalCode,
  Tags,
} from "../../src/matchmaker/commands.ts";
import { anyLobby } from "./any-lobby.ts";

/** An engine as the suites want it: `check` audits one namespace, `restart` ends it and starts another on what it stored. */
export interface EngineUnderTest {
  readonly engine: Engine;
  check(namespaceId: string): string[] | Promise<string[]>;
  restart(): Promise<EngineUnderTest>;
}
export type EngineFactory = () => Promise<EngineUnderTest>;

export const duel: Pair = { gameMode: "duel", region: "local" };
export const versionA = "aaaaaaaa-0000-7000-8000-000000000001";
export const versionB = "bbbbbbbb-0000-7000-8000-000000000002";
export const alice = "192.0.2.1";
export const bob = "192.0.2.2";
const startOfTime = 1_700_000_000_000;
export const rememberedMs = 600_000;

type Unaddressed<T> = T extends unknown ? Omit<T, "namespaceId" | "now"> : never;

interface LobbyOptions extends Partial<Omit<NewLobby, "timeouts">> {
  readonly readyMs?: number;
  readonly reservationMs?: number;
  readonly heartbeatMs?: number;
  readonly emptyMs?: number;
  readonly reconnectMs?: number;
}

interface FindOptions {
  readonly party?: number;
  readonly client?: string;
  readonly pairs?: readonly Pair[];
  readonly tags?: Tags;
  readonly create?: LobbyOptions | null;
  readonly createRefusal?: RefusalCode;
  readonly key?: string;
  readonly body?: string;
  /** The players' keys, one for each; empty: this one has none. */
  readonly keys?: readonly string[];
  readonly playerIds?: readonly string[];
  readonly revision?: number;
}

interface Configuration extends Partial<Limits> {
  readonly versionId?: string | null;
  readonly idle?: readonly IdleMinimum[];
}

/** One namespace on an engine, a clock that the test moves, and builders of valid commands with the odd field changed. */
export class World {
  now = startOfTime;
  revision = 0;
  /** Off only while a test fills a namespace: an audit looks at everything there is. */
  isAudited = true;
  under: EngineUnderTest;
  readonly namespaceId: string;
  readonly ids: { next: number };
  #configuration: Configuration = { lobbyCountMax: 1000, maxPlayers: 100, versionId: versionA, idle: [] };

  constructor(under: EngineUnderTest, namespaceId: string, ids: { next: number }) {
    this.under = under;
    this.namespaceId = namespaceId;
    this.ids = ids;
  }

  /** Ids grow, so that the later of two is also the larger. */
  id(): string {
    this.ids.next += 1;
    return `00000000-0000-7000-8000-${this.ids.next.toString(16).padStart(12, "0")}`;
  }

  players(count: number): string[] {
    return Array.from({ length: count }, () => this.id());
  }

  /** Executes, and audits the namespace whatever came out. */
  async execute<T extends CommandType>(command: Unaddressed<CommandOf<T>> & { type: T }): Promise<Outcome<T>> {
    // Cast: the compiler cannot add the two fields that every command has to a union of commands.
    const addressed = { ...command, namespaceId: this.namespaceId, now: this.now } as unknown as CommandOf<T>;
    const outcome = await this.under.engine.execute<T>(addressed);
    await this.audit();
    return outcome;
  }

  async read<T extends QueryType>(query: Unaddressed<QueryOf<T>> & { type: T }): Promise<Answer<T>> {
    const addressed = { ...query, namespaceId: this.namespaceId, now: this.now } as unknown as QueryOf<T>;
    const found = await this.under.engine.read<T>(addressed);
    await this.audit();
    return found;
  }

  async audit(): Promise<void> {
    if (this.isAudited) expect(await this.under.check(this.namespaceId)).toEqual([]);
  }

  /** What was configured before stays, but for what is given. */
  async configure(configuration: Configuration = {}) {
    this.#configuration = { ...this.#configuration, ...configuration };
    const { lobbyCountMax = 1000, maxPlayers = 100, maxPlayersPerClient = null } = this.#configuration;
    this.revision += 1;
    return this.execute<"configure">({
      type: "configure",
      revision: this.revision,
      limits: { lobbyCountMax, maxPlayers, maxPlayersPerClient },
      deployedVersionId: this.#configuration.versionId ?? null,
      idleMinimums: this.#configuration.idle ?? [],
    });
  }

  newLobby(options: LobbyOptions = {}): NewLobby {
    const {
      readyMs = 300_000,
      reservationMs = 120_000,
      heartbeatMs = 0,
      emptyMs = 30_000,
      reconnectMs = 0,
      ...fields
    } = options;
    const maxPlayers = fields.maxPlayers ?? 2;
    return {
      ...anyLobby,
      lobbyId: this.id(),
      versionId: this.#configuration.versionId ?? versionA,
      ...duel,
      maxPlayersDirect: maxPlayers,
      ...fields,
      maxPlayers,
      readyMs,
      reservationMs,
      heartbeatMs,
      emptyMs,
      reconnectMs,
    };
  }

  findCommand(options: FindOptions = {}): Unaddressed<Find> & { type: "find" } {
    return {
      type: "find",
      revision: options.revision ?? this.revision,
      clientId: options.client ?? alice,
      pairs: options.pairs ?? [duel],
      tags: options.tags ?? {},
      ...this.chooseSeats(options),
      create: options.create === null ? null : this.newLobby({ tags: options.tags ?? {}, ...options.create }),
      createRefusal: options.createRefusal ?? "NO_AVAILABLE_LOBBIES",
      idempotency: options.key === undefined ? null : { key: options.key, bodyHash: options.body ?? "body" },
    };
  }

  chooseSeats({ playerIds, party, keys }: FindOptions) {
    return { playerIds: playerIds ?? this.players(party ?? keys?.length ?? 1), ...(keys && { keys }) };
  }

  find(options: FindOptions = {}) {
    return this.execute<"find">(this.findCommand(options));
  }

  /** A find that may not create: the id of the lobby it was seated in, or why not. */
  async route(options: FindOptions = {}): Promise<string> {
    const outcome = await this.find({ create: null, ...options });
    return outcome.ok ? outcome.lobby.lobbyId : outcome.code;
  }

  join(lobbyId: string, options: FindOptions = {}) {
    const command: Unaddressed<Join> = {
      type: "join",
      revision: options.revision ?? this.revision,
      clientId: options.client ?? alice,
      lobbyId,
      ...this.chooseSeats(options),
      idempotency: options.key === undefined ? null : { key: options.key, bodyHash: options.body ?? "body" },
    };
    return this.execute<"join">(command);
  }

  create(
    reason: CreateLobby["reason"],
    options: LobbyOptions & { party?: number; client?: string; key?: string; keys?: readonly string[] } = {},
  ) {
    const { party = 0, client, key, keys, ...lobby } = options;
    return this.execute<"createLobby">({
      type: "createLobby",
      revision: this.revision,
      reason,
      lobby: this.newLobby(lobby),
      clientId: reason === "created" ? (client ?? bob) : null,
      ...this.chooseSeats({ party: keys?.length ?? party, ...(keys && { keys }) }),
      idempotency: key === undefined ? null : { key, bodyHash: "body" },
    });
  }

  /** A starting lobby with this many reserved seats. */
  async starting(options: LobbyOptions & { party?: number } = {}) {
    const made = seated(await this.create(options.isExternal && !options.party ? "registered" : "created", options));
    return { id: made.lobby.lobbyId, players: made.playerIds };
  }

  async ready(options: LobbyOptions & { party?: number } = {}) {
    const lobby = await this.starting(options);
    expect(await this.setReady(lobby.id)).toEqual({ ok: true, isChanged: true });
    return lobby;
  }

  setReady(lobbyId: string) {
    return this.execute<"setReady">({ type: "setReady", lobbyId });
  }
  setClosed(lobbyId: string, isClosed = true) {
    return this.execute<"setClosed">({ type: "setClosed", lobbyId, isClosed });
  }
  setOperatorClosed(lobbyId: string, isClosed = true) {
    return this.execute<"setOperatorClosed">({ type: "setOperatorClosed", lobbyId, isClosed });
  }
  connect(lobbyId: string, playerId: string) {
    return this.execute<"connectPlayer">({ type: "connectPlayer", lobbyId, playerId });
  }
  disconnect(lobbyId: string, playerId: string, mayReturn = false) {
    return this.execute<"disconnectPlayer">({ type: "disconnectPlayer", lobbyId, playerId, mayReturn });
  }
  heartbeat(lobbyId: string, playerIds: readonly string[] | null = null, isClosed: boolean | null = null) {
    return this.execute<"heartbeat">({ type: "heartbeat", lobbyId, playerIds, isClosed });
  }
  stop(lobbyId: string) {
    return this.execute<"stopLobby">({ type: "stopLobby", lobbyId, reason: "self", exit: null });
  }
  /** The lobbies in which a player with the key has a seat, in pages of this size. */
  async lobbiesWith(playerKey: string, limit = 100): Promise<string[]> {
    const found: string[] = [];
    for (let after: string | null = null; ; ) {
      const query = { type: "listAllLobbies", includeStopped: false, playerKey, after, limit } as const;
      const page: Answer<"listAllLobbies"> = await this.read<"listAllLobbies">(query);
      found.push(...page.lobbies.map(({ lobbyId }) => lobbyId));
      if (page.next === null) return found;
      after = page.next;
    }
  }
  release(playerIds: readonly string[]) {
    return this.execute<"releaseSeats">({ type: "releaseSeats", playerIds });
  }
  releasePlayer(playerId: string) {
    return this.execute<"releasePlayer">({ type: "releasePlayer", playerId });
  }
  seat(playerId: string) {
    return this.read<"seat">({ type: "seat", playerId });
  }
  seatByKey(key: string) {
    return this.read<"seatByKey">({ type: "seatByKey", key });
  }
  /** Moves the clock and lets everything due happen. */
  async pass(ms: number) {
    this.now += ms;
    return this.execute<"expire">({ type: "expire" });
  }
  /** Goes on with what a deploy left, in at most so many steps. */
  async retire(stepsMax = 2) {
    for (let steps = 1; ; steps++) {
      const outcome = await this.execute<"expire">({ type: "expire", isRetiring: true });
      const isDone = outcome.ok && (outcome.nextDueAt === null || outcome.nextDueAt > this.now);
      if (isDone || steps === stepsMax) return { steps, isDone };
    }
  }
  lobby(lobbyId: string): Promise<LobbyView | null> {
    return this.read<"lobby">({ type: "lobby", lobbyId });
  }
  async statusOf(lobbyId: string): Promise<string> {
    const lobby = await this.lobby(lobbyId);
    if (lobby === null) return "forgotten";
    return lobby.status === "stopped" ? `stopped: ${lobby.stopReason}` : lobby.status;
  }
  counts() {
    return this.read<"counts">({ type: "counts" });
  }
  async restart() {
    this.under = await this.under.restart();
  }

  /** Another namespace on the same engine, configured alike. */
  async neighbour(): Promise<World> {
    const world = new World(this.under, this.id(), this.ids);
    world.now = this.now;
    await world.configure(this.#configuration);
    return world;
  }
}

/** A namespace with version A deployed, 1000 lobbies of at most 100 players, and nothing in it. */
export async function createWorld(factory: EngineFactory, configuration: Configuration = {}): Promise<World> {
  const under = await factory();
  const world = new World(under, "eeeeeeee-0000-7000-8000-00000000000e", { next: 0 });
  await world.configure(configuration);
  return world;
}

export function seated(outcome: Outcome<"find">) {
  if (!outcome.ok) throw new Error(`Expected a seat, but it was refused: ${outcome.code}.`);
  return outcome;
}

export function refusal(code: RefusalCode) {
  return { ok: false, code };
}

/** What happens from now on: call it with a number to wait for that many events and get them. */
export function listen(world: World): (count: number) => Promise<PlacedEvent[]> {
  const events = world.under.engine.events()[Symbol.asyncIterator]();
  return async (count) => {
    const received: PlacedEvent[] = [];
    while (received.length < count) {
      const next = await events.next();
      if (next.done) break;
      received.push(next.value);
    }
    return received;
  };
}
