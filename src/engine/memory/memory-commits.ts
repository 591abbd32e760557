import { EngineUnavailable } from "../../ground/unavailable.ts";
import { apply, takeEffects } from "../../matchmaker/apply.ts";
import type { Changes } from "../../matchmaker/changes.ts";
import type { CommandOf, CommandType, Event, Outcome } from "../../matchmaker/commands.ts";
import { CommandError } from "../../matchmaker/outcome.ts";
import type { State } from "../../matchmaker/state.ts";
import {
  type CommitGroup,
  findState,
  keepOrDrop,
  loseMemory,
  type Memory,
  noteStall,
  reloadNamespace,
} from "./memory-state.ts";

/** Decides a command in memory; `committed` resolves when the journal has stored it. */
export function runCommand<T extends CommandType>(
  memory: Memory,
  command: CommandOf<T>,
): { outcome: Outcome<T>; committed: Promise<void> } {
  const { namespaceId, now } = command;
  noteStall(memory);
  if (memory.unstarted.delete(namespaceId)) runCommand(memory, { type: "restarted", namespaceId, now });
  const state = findState(memory, namespaceId);
  const { outcome, changes, events } = applyOrReload(memory, state, command);
  keepOrDrop(memory, state);
  return { outcome, committed: commit(memory, namespaceId, changes, events) };
}

/** A rule that throws may have written a part of its changes; the journal has the correct state of the namespace. */
function applyOrReload<T extends CommandType>(memory: Memory, state: State, command: CommandOf<T>) {
  try {
    return apply(state, command);
  } catch (error) {
    if (error instanceof CommandError) keepEffects(memory, state);
    else reloadNamespace(memory, state.namespaceId);
    throw error;
  }
}

/** Keeps the effects of due deadlines, even if the command was refused. */
function keepEffects(memory: Memory, state: State): void {
  const { changes, events } = takeEffects(state);
  keepOrDrop(memory, state);
  void commit(memory, state.namespaceId, changes, events);
}

function commit(memory: Memory, namespaceId: string, changes: Changes, events: readonly Event[]): Promise<void> {
  if (changes.count === 0) return memory.lastCommit;
  const appended = append(memory, namespaceId, changes);
  let group = memory.lastGroup;
  if (group?.appended !== appended || group.generation !== memory.generation) group = beginGroup(memory, appended);
  for (const event of events) group.events.push(event);
  memory.lastGroup = group;
  memory.lastCommit = group.committed;
  return group.committed;
}

/** A journal that throws synchronously counts like one that rejects. */
function append({ journal }: Memory, namespaceId: string, changes: Changes): Promise<void> {
  try {
    return journal.append(namespaceId, changes);
  } catch (error) {
    return Promise.reject(error);
  }
}

function beginGroup(memory: Memory, appended: Promise<void>): CommitGroup {
  const { generation } = memory;
  const events: Event[] = [];
  const committed = appended.then(
    () => {
      // The change is in the journal and will be loaded, although its caller gets an error.
      for (const event of events) memory.hub.publish(memory.log.add(event));
      if (generation !== memory.generation)
        throw new EngineUnavailable("The engine discarded its memory while the change was written.");
    },
    (error: unknown) => {
      if (generation === memory.generation) loseMemory(memory);
      throw new EngineUnavailable("The journal refused the change.", { cause: error });
    },
  );
  // Waiting callers see the failure. Without one the rejection must not end the process.
  committed.catch(() => undefined);
  return { appended, generation, events, committed };
}
