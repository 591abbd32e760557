import type { EventReader } from "../live/event-feed.ts";

/** The lobbies that a filter shows, in the order of the list: each as the JSON that is sent, by its id. */
export interface ListedLobbies {
  readonly lobbies: ReadonlyMap<string, string>;
  /** Whether there are more lobbies than are listed. */
  readonly isTruncated: boolean;
}

/** What all watchers of one filter get: the current list, and its latest changes. */
export interface Board {
  /** Null: not read yet. */
  current(): ListedLobbies | null;
  /** Sends the differences. */
  show(listed: ListedLobbies): void;
  /** Starts with the current list. */
  read(onClose: () => void): EventReader;
  /** How much of changes is kept. */
  characters(): number;
  dropOldest(): void;
}

/** A watcher that is further behind than this is disconnected, and gets a new snapshot when it reconnects. */
const updatesMax = 30;
const charactersMax = 1024 * 1024;
/** Sent in one piece, so that no more than this waits in a socket for a watcher that does not read. */
const pieceCharactersMax = 64 * 1024;

const nothing: ListedLobbies = { lobbies: new Map(), isTruncated: false };

export function createBoard(): Board {
  const listeners = new Set<() => void>();
  let listed: ListedLobbies | null = null;
  let updates: string[] = [];
  /** The number of the first update that is kept. */
  let first = 0;
  let characters = 0;

  const end = () => first + updates.length;
  const updateAt = (number: number) => updates[number - first] ?? "";

  function dropOldest(): void {
    characters -= updates[0]?.length ?? 0;
    first += Math.min(1, updates.length);
    updates = updates.slice(1);
  }

  return {
    current: () => listed,
    characters: () => characters,
    dropOldest,
    show(next) {
      const text = listed === null ? "" : writeUpdate(listed.lobbies, next.lobbies);
      listed = next;
      if (text === "") return;
      updates.push(text);
      characters += text.length;
      while (updates.length > 1 && (updates.length > updatesMax || characters > charactersMax)) dropOldest();
      for (const onNews of listeners) onNews();
    },
    read(onClose) {
      const snapshot = createSnapshotReader(listed ?? nothing);
      let next = end();
      let onNews = () => {};
      const listener = () => onNews();
      listeners.add(listener);
      return {
        greeting: "retry: 2000\n\n",
        read() {
          const piece = snapshot();
          if (piece !== "") return piece;
          if (next < first) return null;
          if (next === end()) return "";
          next += 1;
          return updateAt(next - 1);
        },
        hasFallenBehind: () => next < first,
        onNews(callback) {
          onNews = callback;
        },
        close() {
          listeners.delete(listener);
          onClose();
        },
      };
    },
  };
}

/** Returns the snapshot in pieces, "" after the last. It refers to the board's own texts and copies nothing. */
function createSnapshotReader({ lobbies, isTruncated }: ListedLobbies): () => string {
  let texts: readonly string[] | null = [...lobbies.values()];
  let next = 0;
  return () => {
    if (texts === null) return "";
    let piece = next === 0 ? 'event: snapshot\ndata: {"event":"snapshot","lobbies":[' : "";
    for (; next < texts.length && piece.length < pieceCharactersMax; next++) {
      piece += next === 0 ? texts[next] : `,${texts[next]}`;
    }
    if (next < texts.length) return piece;
    texts = null;
    return `${piece}],"is_truncated":${isTruncated}}\n\n`;
  };
}

/** At most one event of each kind; "" when nothing changed. */
function writeUpdate(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string {
  const added: string[] = [];
  const changed: string[] = [];
  for (const [lobbyId, text] of after) {
    const known = before.get(lobbyId);
    if (known === undefined) added.push(text);
    else if (known !== text) changed.push(text);
  }
  const removed = [...before.keys()].filter((lobbyId) => !after.has(lobbyId));
  return (
    (removed.length > 0
      ? `event: removed\ndata: ${JSON.stringify({ event: "removed", lobby_ids: removed })}\n\n`
      : "") +
    (added.length > 0 ? `event: added\ndata: {"event":"added","lobbies":[${added.join(",")}]}\n\n` : "") +
    (changed.length > 0 ? `event: changed\ndata: {"event":"changed","lobbies":[${changed.join(",")}]}\n\n` : "")
  );
}
