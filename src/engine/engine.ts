import type {
  Answer,
  CommandOf,
  CommandType,
  Event,
  LobbyEvent,
  Outcome,
  QueryOf,
  QueryType,
} from "../matchmaker/commands.ts";

/** Where live state is kept. It speaks in decisions, so that no caller ever holds a lock, retries a row or doubles a rule. */
export interface Engine extends EngineEvents {
  /** Atomic; all commands of one namespace happen in one order. Resolves when the effect is durable. */
  execute<T extends CommandType>(command: CommandOf<T>): Promise<Outcome<T>>;
  /** A consistent view that is already durable. */
  read<T extends QueryType>(query: QueryOf<T>): Promise<Answer<T>>;
  /** Rejects with EngineUnavailable while every command would be refused. */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
}

/** An event with its position among the events of its namespace (see positions.ts). */
export type PlacedEvent = Event & { readonly position: string };

/** Events that show a lobby: what happens to it, but not to its players. */
export const isLobbyEvent = (event: Event): event is LobbyEvent => "lobby" in event;

/** What happened. The positions of a namespace's events grow, and every node of the engine knows the same ones. */
export interface EngineEvents {
  /**
   * Everything that happens from this call on, in order per namespace; `isWanted` leaves out the rest. Most events are of
   * players: a listener that does not need them should not be woken by each find.
   */
  events(isWanted?: (event: Event) => boolean): AsyncIterable<PlacedEvent>;
  /** Where the events of a namespace end now. */
  position(namespaceId: string): Promise<string>;
  /**
   * What came after a position, at most so many and the earliest first; null: some of it is gone, or the position is of
   * no such stream.
   */
  eventsAfter(namespaceId: string, position: string, max: number): Promise<readonly PlacedEvent[] | null>;
  /** At most so many of the last ones that are kept, the earliest first. */
  latest(namespaceId: string, max: number): Promise<readonly PlacedEvent[]>;
  /**
   * From this call on the events of the namespace are kept for `eventsAfter`, until 5 minutes after the result is called.
   * An engine that keeps them anyway has nothing to do.
   */
  keepEvents(namespaceId: string): () => void;
  /** Calls back when this process read so late that events after a position are gone, before what comes after them. */
  onGap(listener: (namespaceId: string, position: string) => void): void;
}
