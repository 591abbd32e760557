/** One process of the service, as the others see it. */
export interface NodeStatus {
  readonly nodeId: string;
  /** Which Foyer it runs, and when it started; null, as is the time: an earlier Foyer, which does not say. */
  readonly version: string | null;
  readonly startedAt: number | null;
  /** By how much its machine's clock is ahead of Redis'; null: not measured, or there is no Redis. */
  readonly clockOffsetMs: number | null;
  /** It has the lease, by what Redis said last. */
  readonly hasLease: boolean;
  /** The regions whose lobbies it runs; null: all. */
  readonly regions: readonly string[] | null;
  /** How many more lobby processes it may start; 0 also when it starts none at all. */
  readonly room: number;
  /** How many it may run in all. */
  readonly places: number;
  /** How many each namespace has there; 0: it had one in the last minutes. */
  readonly held: ReadonlyMap<string, number>;
  /** Who asked this node for a lobby in the last minutes: region and namespace, with a space between. */
  readonly asked: readonly string[];
  /** It was heard of a moment ago. */
  readonly isAlive: boolean;
  /** It is alive, but should have been heard of again by now. */
  readonly isLate: boolean;
  /** When it was heard of last: another number each time. */
  readonly heardAt: number;
}

/** A lobby that a node may take. */
export interface OfferedLobby {
  readonly namespaceId: string;
  readonly lobbyId: string;
  /** The node that has it and is gone. */
  readonly insteadOf?: string;
}

/** What a node tells the others about itself. */
export type OwnStatus = Pick<NodeStatus, "version" | "startedAt" | "regions" | "room" | "places" | "held" | "asked">;

/** The right to do what must be done once, not once per node. */
export interface Lease {
  /** Goes into commands, so that a holder that was late is refused. The only node is never late and has none. */
  readonly fence?: number;
}

/** The nodes of one installation. */
export interface Nodes {
  readonly ownId: string;
  /** Null: another node has the lease now. */
  lease(): Lease | null;
  /** Calls back each time this node gets the lease, also after it could not be sure of it for a while. */
  onLease(listener: () => void): void;
  /** Calls back when a node that was heard of is not any more. */
  onNodeLost(listener: () => void): void;
  /** Every node that is known, this one included, by id. */
  all(): readonly NodeStatus[];
  /**
   * This node has been listening for the whole grace time and has not heard of that one: its lobbies count as lost. A
   * time in which Redis was away does not count, because nobody could be heard of then.
   */
  isLost(nodeId: string): boolean;
  /** The same for the few seconds after which a node no longer counts as up: what has not begun there begins elsewhere. */
  isGone(nodeId: string): boolean;
  /** Why this node must not be sent requests; null: nothing is wrong. */
  trouble(): string | null;
  /** Tells the others about this node and hears what they said last, without waiting for the next beat. */
  tell(): Promise<void>;
  /** Tells a node, be it this one, that it may take a lobby. Nobody knows whether it hears. */
  offer(nodeId: string, lobby: OfferedLobby): Promise<void>;
  /** Calls back when a lobby is offered to this node. */
  onOffer(listener: (lobby: OfferedLobby) => void): void;
  /** Forgets a node that is lost and whose lobbies have been ended. */
  forget(nodeId: string): Promise<void>;
  /** `isForGood`: its lobbies have ended too, so nobody need wait for it to come back. */
  leave(isForGood: boolean): Promise<void>;
}

/** The service on one machine: there is nobody to share with, and nothing to wait for. */
export function onlyNode(nodeId: string, status: () => OwnStatus): Nodes {
  const alone = { clockOffsetMs: null, hasLease: true, isAlive: true, isLate: false, heardAt: 0 };
  return {
    ownId: nodeId,
    lease: () => ({}),
    onLease() {},
    onNodeLost() {},
    all: () => [{ nodeId, ...status(), ...alone }],
    isLost: () => false,
    isGone: () => false,
    trouble: () => null,
    async tell() {},
    async offer() {},
    onOffer() {},
    async forget() {},
    async leave() {},
  };
}
