import type { Answer, CommandOf, CommandType, Event, Outcome, QueryOf, QueryType } from "../matchmaker/commands.ts";

/** Where live state is kept. It speaks in decisions, so that no caller ever holds a lock, retries a row or doubles a rule. */
export interface Engine {
  /** Atomic; all commands of one namespace happen in one order. Resolves when the effect is durable. */
  execute<T extends CommandType>(command: CommandOf<T>): Promise<Outcome<T>>;
  /** A consistent view that is already durable. */
  read<T extends QueryType>(query: QueryOf<T>): Promise<Answer<T>>;
  /** Rejects with EngineUnavailable while every command would be refused. */
  checkWritable(): Promise<void>;
  /** Everything that happens from this call on, in order per namespace. */
  events(): AsyncIterable<Event>;
  close(): Promise<void>;
}

/** Of an engine that several nodes share: events have a place in an order that all of them know. */
export interface SharedEvents {
  /** Where the events of a namespace end now. */
  position(namespaceId: string): Promise<string>;
  /** What came after a position, at most so many and the earliest first; null: some of it is gone, or it is of no such stream. */
  eventsAfter(namespaceId: string, position: string, max: number): Promise<readonly Event[] | null>;
  /** At most so many of the last ones, the earliest first. */
  latest(namespaceId: string, max: number): Promise<readonly Event[]>;
  /** Calls back when this process read so late that events after a position are gone; told before what comes after them. */
  onGap(listener: (namespaceId: string, position: string) => void): void;
}
