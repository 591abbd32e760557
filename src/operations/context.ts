import type { ReceiveBuilds } from "../builds/receive-build.ts";
import type { UnpackedBuilds } from "../builds/unpacked-builds.ts";
import type { Config } from "../config/config.ts";
import type { Engine } from "../engine/engine.ts";
import type { DerivedTokens } from "../ground/tokens.ts";
import type { AskNodes } from "../nodes/calls.ts";
import type { NodeBuilds } from "../nodes/node-builds.ts";
import type { Nodes } from "../nodes/nodes.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { BuildArchive } from "../store/build-archive.ts";
import type { AuditEntry, Db } from "../store/db.ts";
import type { Sessions } from "./auth/sessions.ts";
import type { TokenUses } from "./auth/token-uses.ts";
import type { CodeBudget } from "./capacity/code-budget.ts";
import type { StartGate } from "./capacity/crash-backoff.ts";
import type { CreationBudget } from "./capacity/creation-budget.ts";
import type { SeatBudget } from "./capacity/seat-budget.ts";
import type { StartSlots } from "./capacity/start-slots.ts";
import type { UploadSlots } from "./capacity/upload-slots.ts";
import type { Activity } from "./insight/activity.ts";
import type { Decisions } from "./insight/decisions.ts";
import type { LiveEvents } from "./live/live-events.ts";
import type { LobbyServers } from "./live/remote-runtime.ts";
import type { ShowLobby } from "./live/show-lobby.ts";
import type { Waiting } from "./matchmaking/lobby-waiters.ts";
import type { ShowPorts } from "./matchmaking/ports.ts";
import type { NamespaceConfigs } from "./namespace-configs.ts";
import type { Boards } from "./watch/boards.ts";
import type { WatchSlots } from "./watch/slots.ts";

/** Null: the node does not list them. */
interface PreparedBuilds {
  current: NodeBuilds | null;
}

/** The parts that uploads and lobbies with builds need. */
export interface Builds {
  readonly received: ReceiveBuilds;
  readonly archive: BuildArchive;
  readonly unpacked: UnpackedBuilds;
  /** Which builds of deployed versions this node has. It reports that to the other nodes. */
  readonly prepared: PreparedBuilds;
  /** How many uploads may be under way at the same time. */
  readonly uploadSlots: UploadSlots;
}

/** What operations use. Clock and ids are part of it, so that tests can control them. */
export interface Context {
  readonly db: Db;
  readonly config: Config;
  readonly tokens: DerivedTokens;
  readonly tokenUses: TokenUses;
  /** Who has signed in. */
  readonly sessions: Sessions;
  readonly engine: Engine;
  readonly configs: NamespaceConfigs;
  /** The deleted games and namespaces, by id, that this node is removing. */
  readonly removals: Map<string, Promise<void>>;
  readonly waiting: Waiting;
  /** The ports of a lobby as callers see them. */
  readonly showPorts: ShowPorts;
  /** Lobbies as operators see them. */
  readonly showLobby: ShowLobby;
  readonly creationBudget: CreationBudget;
  readonly seatBudget: SeatBudget;
  readonly codeBudget: CodeBudget;
  readonly liveEvents: LiveEvents;
  /** Lists of lobbies that players watch. */
  readonly watching: { readonly boards: Boards; readonly slots: WatchSlots };
  /** Starts the lobbies of modes with the process runtime; null: this service has no driver. */
  readonly runtime: Runtime | null;
  /** Information about lobby servers, also about those that an earlier run of the service started. */
  readonly lobbyServers: LobbyServers;
  /** The programs of lobbies: receiving, keeping and unpacking them. */
  readonly builds: Builds;
  /** The nodes of the installation, this one included. */
  readonly nodes: Nodes;
  /** Asks every other node. */
  readonly askNodes: AskNodes;
  /** Counts what happens, for operators. */
  readonly activity: Activity;
  /** Remembers which calls were refused, and why. */
  readonly decisions: Decisions;
  /** Knows which game modes' lobbies keep failing. */
  readonly gate: StartGate;
  /** Knows how many slots are free for new lobbies that Foyer runs. */
  readonly slots: StartSlots;
  /** Logs, at most every 10 s, why players are refused: their answers say what it means for them, not why. */
  warnOperator(message: string): void;
  /** Logs that a change was made and recorded. */
  logChange(entry: AuditEntry): void;
  now(): number;
  newId(): string;
  /** Candidates for the join code of a lobby, each of that many symbols. */
  newCodes(length: number): readonly string[];
}
