import type { EngineEvents } from "../../engine/engine.ts";
import type { Event } from "../../matchmaker/commands.ts";
import type { EventReader } from "../live/event-feed.ts";
import { createRefresh, type ListFilter, newBoard, type OpenBoard, type RefreshOptions } from "./refresh.ts";

/** The boards with watchers: one per namespace and filter, for any number of watchers. */
export interface Boards {
  /** Resolves when the list is read, and at least as new as the events that this process had at the call. */
  open(namespaceId: string, filter: ListFilter): Promise<EventReader>;
  size(): number;
  close(): void;
}

export interface BoardsOptions extends RefreshOptions {
  readonly engine: Pick<EngineEvents, "events" | "onGap">;
}

/** Of changes, over all boards. */
const charactersMax = 64 * 1024 * 1024;

export function createBoards(options: BoardsOptions): Boards {
  const { engine } = options;
  const registry = createRegistry();
  const { markStale, whenFresh } = createRefresh(options, registry.countCharacters);
  engine.onGap((namespaceId) => {
    for (const open of registry.of(namespaceId)) markStale(open);
  });
  void listen();

  async function listen(): Promise<void> {
    for await (const event of engine.events(({ namespaceId }) => registry.has(namespaceId))) {
      for (const open of registry.of(event.namespaceId)) if (concerns(open, event)) markStale(open);
    }
  }

  return {
    async open(namespaceId, filter) {
      const open = registry.enter(namespaceId, filter);
      let isLeft = false;
      const leaveOnce = () => {
        if (!isLeft) registry.leave(open);
        isLeft = true;
      };
      try {
        await whenFresh(open);
        return open.board.read(leaveOnce);
      } catch (error) {
        leaveOnce();
        throw error;
      }
    },
    size: () => registry.all().length,
    close() {
      for (const { timer } of registry.all()) if (timer !== null) clearTimeout(timer);
    },
  };
}

/** The boards, and the total size of the changes that they keep. */
function createRegistry() {
  const byNamespace = new Map<string, Map<string, OpenBoard>>();
  const counted = new Map<OpenBoard, number>();
  let characters = 0;
  const all = () => [...byNamespace.values()].flatMap((boards) => [...boards.values()]);

  function count(open: OpenBoard): void {
    const now = open.watchers === 0 ? 0 : open.board.characters();
    characters += now - (counted.get(open) ?? 0);
    if (now === 0) counted.delete(open);
    else counted.set(open, now);
  }

  return {
    all,
    has: (namespaceId: string) => byNamespace.has(namespaceId),
    of: (namespaceId: string) => byNamespace.get(namespaceId)?.values() ?? [],
    /** Call it when a board keeps more or less than before: the largest ones drop their oldest changes if necessary. */
    countCharacters(open: OpenBoard): void {
      count(open);
      while (characters > charactersMax) {
        const largest = all().reduce((a, b) => (b.board.characters() > a.board.characters() ? b : a));
        largest.board.dropOldest();
        count(largest);
      }
    },
    enter(namespaceId: string, filter: ListFilter): OpenBoard {
      const boards = byNamespace.get(namespaceId) ?? new Map<string, OpenBoard>();
      byNamespace.set(namespaceId, boards);
      const key = filterKey(filter);
      const open = boards.get(key) ?? newBoard(namespaceId, filter);
      boards.set(key, open);
      open.watchers += 1;
      return open;
    },
    leave(open: OpenBoard): void {
      open.watchers -= 1;
      if (open.watchers > 0) return;
      if (open.timer !== null) clearTimeout(open.timer);
      count(open);
      const boards = byNamespace.get(open.namespaceId);
      boards?.delete(filterKey(open.filter));
      if (boards?.size === 0) byNamespace.delete(open.namespaceId);
    },
  };
}

/** Names have no slash, so that no two filters have the same key. */
function filterKey({ gameMode, region }: ListFilter): string {
  return `${gameMode ?? ""}/${region ?? ""}`;
}

/** Whether the event may change the list of the board. */
function concerns({ board, filter: { gameMode, region } }: OpenBoard, event: Event): boolean {
  if ("playerId" in event) return board.current()?.lobbies.has(event.lobbyId) ?? true;
  if (!("lobby" in event)) return true;
  const { lobby } = event;
  return (gameMode === null || gameMode === lobby.gameMode) && (region === null || region === lobby.region);
}
