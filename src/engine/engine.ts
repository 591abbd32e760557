import type { Answer, CommandOf, CommandType, Event, Outcome, QueryOf, QueryType } from "../matchmaker/commands.ts";

/** Where live state is kept. It speaks in decisions, so that no caller ever holds a lock, retries a row or doubles a rule. */
export interface Engine {
  /** Atomic; all commands of one namespace happen in one order. Resolves when the effect is durable. */
  execute<T extends CommandType>(command: CommandOf<T>): Promise<Outcome<T>>;
  /** A consistent view that is already durable. */
  read<T extends QueryType>(query: QueryOf<T>): Promise<Answer<T>>;
  /** At least once, in order per namespace. With a group name each event reaches one member, else all. */
  events(group?: string): AsyncIterable<Event>;
  close(): Promise<void>;
}

/** The store cannot take or give anything now. The command had no effect, or its effect is unknown; trying later is right. */
export class EngineUnavailable extends Error {
  override readonly name = "EngineUnavailable";
}
