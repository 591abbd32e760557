import type { Config } from "../config/config.ts";
import type { Engine } from "../engine/engine.ts";
import type { Clock } from "../ground/clock.ts";
import type { AdminToken, DataFolder } from "../ground/data-folder.ts";
import type { Logger } from "../ground/log.ts";
import type { Metrics } from "../ground/metrics.ts";
import type { PlayPage } from "../http/pages/play.ts";
import type { Recorder } from "../loops/history.ts";
import type { OwnLobbies } from "../loops/servers/own-lobbies.ts";
import type { Supervisor } from "../loops/supervise.ts";
import type { LobbyWarnings } from "../loops/warn.ts";
import type { AnswerNodes, NodeCalls } from "../nodes/calls.ts";
import type { Nodes, OwnStatus } from "../nodes/nodes.ts";
import type { Authenticate } from "../operations/auth/authenticate.ts";
import type { StartSlots } from "../operations/capacity/start-slots.ts";
import type { Context } from "../operations/context.ts";
import type { ServedHandlers } from "../operations/handlers.ts";
import type { LobbyDirectory } from "../operations/routing/lobby-directory.ts";
import type { CacheInvalidation } from "../store/db.ts";
import type { HoldKind } from "../store/only-node.ts";
import type { LobbyRoom } from "./lobby-room.ts";

/** What every part is opened with. */
export interface Ground {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly folder: DataFolder;
  readonly secret: Buffer;
  readonly previousSecret: Buffer | null;
  newId(): string;
  newCodes(length: number): readonly string[];
}

/**
 * The parts that differ between one node with its own data folder (embedded.ts) and nodes that share Redis and PostgreSQL
 * (cluster.ts). Both make the same set, in the order of this list.
 */
export interface Mode {
  readonly adminToken: AdminToken;
  /** How the control plane's store is shared, and with whom PostgreSQL is held. */
  readonly store: { readonly invalidation: CacheInvalidation; readonly hold: HoldKind };
  openEngine(): Promise<LiveState>;
  /** Files of the live state in the data folder, and the consequence when one is deleted or the folder takes no writes. */
  readonly folder: { readonly fileNames: readonly string[]; readonly ifUnusable: string };
  /** Adds this node to the list of nodes. */
  join(status: () => OwnStatus): Promise<Nodes>;
  openSlots(room: LobbyRoom, nodes: Nodes): StartSlots;
  /** The way to ask the other nodes; `answer` is what this one says when they ask. */
  openCalls(nodes: Nodes, answer: AnswerNodes): Promise<NodeCalls>;
  /** Makes each authentication use the current content of the store. */
  authenticateFreshly(context: Context, authenticate: Authenticate): Authenticate;
  /** The demo game; null: it is not offered. */
  openPlayPage(handlers: ServedHandlers): Promise<PlayPage | null>;
  /** How long a lobby that another node has answered with may be unknown here. */
  readonly lobbyLearnMs: number;
  /** Reads into the cache what requests will need. */
  readAhead(context: Context): void;
  ownLobbies(): OwnLobbies;
  startLoops(context: Context, loops: Loops): ModeLoops;
  /** The node's name for the operator; null: this is the only node. */
  readonly shownNodeId: string | null;
  close(): Promise<void>;
}

/** The engine, and what only the service that opened it may do with it. */
export interface LiveState {
  readonly engine: Engine;
  /** Whether so much waits to be written that new requests should be rejected. */
  isBehind(): boolean;
  /** From now on, refuses every change for this reason. */
  giveUp(reason: string): void;
  /** From now on lobbies can send heartbeats to this node. */
  startHearing(): Promise<void>;
}

export interface Loops {
  readonly recorder: Recorder;
  readonly supervisor: Supervisor;
  readonly warnings: LobbyWarnings;
  readonly directory: LobbyDirectory;
}

/** Work that is repeated: a name for the log, the pause between two runs in milliseconds, and the function. */
export type Task = readonly [task: string, everyMs: number, run: () => Promise<unknown>];

export interface ModeLoops {
  readonly tasks: readonly Task[];
  /** How often due deadlines are handled. */
  readonly expireEveryMs: number;
  /** How often idle lobbies are started; null: this node cannot start any. */
  readonly keepIdleEveryMs: number | null;
  /** Events were lost, so there may be more to do than the events show. */
  expectMore(): void;
  stop(): Promise<void>;
}
