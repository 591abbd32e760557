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

/**
 * Stores live state. Its commands are whole decisions, so that no caller ever holds a lock, retries a row or repeats a
 * rule.
 */
export interface Engine extends EngineEvents {
  /** Atomic; the commands of one namespace run one after another. Resolves when the effect is durable. */
  execute<T extends CommandType>(command: CommandOf<T>): Promise<Outcome<T>>;
  /** A consistent view that is already durable. */
  read<T extends QueryType>(query: QueryOf<T>): Promise<Answer<T>>;
  /** Rejects with EngineUnavailable while every command would be refused. */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
}

/** An event with its position among the events of its namespace (see positions.ts). */
export type PlacedEvent = Event & { readonly position: string };

/** Events about a lobby itself, not about its players. */
export const isLobbyEvent = (event: Event): event is LobbyEvent => "lobby" in event;

/** The events. Positions within a namespace increase, and are the same on every node. */
export interface EngineEvents {
  /**
   * All wanted events after this call, in order per namespace. Most events are about players: a listener that does not
   * need them should not wake up for each find.
   */
  events(isWanted?: (event: Event) => boolean): AsyncIterable<PlacedEvent>;
  /** The position of the last event of a namespace. */
  position(namespaceId: string): Promise<string>;
  /**
   * The events after a position, oldest first, at most `max`; null: some of them are no longer kept, or the position
   * belongs to another stream.
   */
  eventsAfter(namespaceId: string, position: string, max: number): Promise<readonly PlacedEvent[] | null>;
  /** The last events that are kept, at most `max`, oldest first. */
  latest(namespaceId: string, max: number): Promise<readonly PlacedEvent[]>;
  /**
   * From this call on, keeps the events of the namespace for `eventsAfter`, until 5 minutes after the result is called.
   * An engine that always keeps events does nothing.
   */
  keepEvents(namespaceId: string): () => void;
  /**
   * Calls back when this process fell behind and events after a position are lost, before it passes on the next event.
   */
  onGap(listener: (namespaceId: string, position: string) => void): void;
}
