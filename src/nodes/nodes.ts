import type { NodeBuilds } from "./node-builds.ts";

/** One process of the service, as the other nodes see it. */
export interface NodeStatus {
  readonly nodeId: string;
  /** The version of Foyer and the start time; both null: an earlier Foyer, which does not report them. */
  readonly version: string | null;
  readonly startedAt: number | null;
  /** By how much its machine's clock is ahead of Redis'; null: not measured, or there is no Redis. */
  readonly clockOffsetMs: number | null;
  /** Whether it has the lease, by the last answer of Redis. */
  readonly hasLease: boolean;
  /** The regions whose lobbies it runs; null: all. */
  readonly regions: readonly string[] | null;
  /** How many more lobby processes it may start; also 0 when it never starts any. */
  readonly room: number;
  /** How many lobby processes it may run in total. */
  readonly places: number;
  /** How many each namespace has there; 0: it had some in the last minutes. */
  readonly held: ReadonlyMap<string, number>;
  /** The requests for a lobby at this node in the last minutes: region and namespace, separated by a space. */
  readonly asked: readonly string[];
  /** Where the other nodes reach it, for its lobbies; null or absent: it has not said. */
  readonly nodeUrl?: string | null;
  /** Which builds of deployed versions it has; null or absent: it does not say. */
  readonly builds?: NodeBuilds | null;
  /** It reported recently. */
  readonly isAlive: boolean;
  /** It is alive, but its next report is late. */
  readonly isLate: boolean;
  /** The time of its last report; different for each report. */
  readonly reportedAt: number;
}

/** A lobby that a node may accept. */
export interface OfferedLobby {
  readonly namespaceId: string;
  readonly lobbyId: string;
  /** The node that has it and is down. */
  readonly insteadOf?: string;
}

/** What a node reports to the others. */
export type OwnStatus = Pick<
  NodeStatus,
  "version" | "startedAt" | "regions" | "room" | "places" | "held" | "asked" | "nodeUrl" | "builds"
>;

/** The right to do the work that only one node may do. */
export interface Lease {
  /** Part of commands, so that the engine refuses a holder whose lease has ended. Null for a single node. */
  readonly fence?: number;
}

/** The nodes of one installation. */
export interface Nodes {
  readonly ownId: string;
  /** Null: another node has the lease now. */
  lease(): Lease | null;
  /** Calls back each time this node gets the lease, also after a time in which it could not confirm it. */
  onLease(listener: () => void): void;
  /** Calls back when a node stops reporting. */
  onNodeLost(listener: () => void): void;
  /** Every node that is known, this one included, by id. */
  all(): readonly NodeStatus[];
  /**
   * That node did not report during the whole grace time in which this node listened, so its lobbies count as lost. A
   * time in which Redis was unavailable does not count, because no node could report then.
   */
  isLost(nodeId: string): boolean;
  /**
   * The same for the few seconds after which a node counts as down: lobbies that have not started there are started
   * elsewhere.
   */
  isDown(nodeId: string): boolean;
  /** Why this node must not be sent requests; null: nothing is wrong. */
  trouble(): string | null;
  /** Reports this node and reads the reports of the others, without waiting for the next regular report. */
  report(): Promise<void>;
  /** Offers a lobby to a node, possibly this one. The message may be lost. */
  offer(nodeId: string, lobby: OfferedLobby): Promise<void>;
  /** Calls back when a lobby is offered to this node. */
  onOffer(listener: (lobby: OfferedLobby) => void): void;
  /** Removes a lost node, after its lobbies have been ended. */
  forget(nodeId: string): Promise<void>;
  /** `isForGood`: its lobbies have ended too, so the others need not wait for it to come back. */
  leave(isForGood: boolean): Promise<void>;
}

/** The only node of an installation without Redis. */
export function onlyNode(nodeId: string, status: () => OwnStatus): Nodes {
  const alone = { clockOffsetMs: null, hasLease: true, isAlive: true, isLate: false, reportedAt: 0 };
  return {
    ownId: nodeId,
    lease: () => ({}),
    onLease() {},
    onNodeLost() {},
    all: () => [{ nodeId, ...status(), ...alone }],
    isLost: () => false,
    isDown: () => false,
    trouble: () => null,
    async report() {},
    async offer() {},
    onOffer() {},
    async forget() {},
    async leave() {},
  };
}
