import type { HeldBackMode, OperatorLobby } from "foyer-sdk";
import type { NamespaceEvent } from "./follow-events.ts";

/** What the table is read with. */
export interface LobbySource {
  list(): AsyncIterable<OperatorLobby>;
  /** Null: it does not live. */
  get(lobbyId: string): Promise<OperatorLobby | null>;
  heldBack(): Promise<readonly HeldBackMode[]>;
}

export interface LobbySnapshot {
  readonly lobbies: readonly OperatorLobby[];
  readonly heldBack: readonly HeldBackMode[];
  /** The whole list was read once. */
  readonly isLoaded: boolean;
}

const heldBackAfterMs = 1_000;

/**
 * The living lobbies of a namespace: a list, and then its events. An event that arrives while the list is being read may
 * be in it or not, so its lobby is read once more afterwards.
 */
export class LobbyTable {
  readonly #source: LobbySource;
  readonly #onChange: () => void;
  #lobbies = new Map<string, OperatorLobby>();
  #heldBack: readonly HeldBackMode[] = [];
  /** Lobbies with an event of unknown age compared with what was read of them. */
  readonly #unclear = new Set<string>();
  #isLoaded = false;
  #isReading = false;
  #isStale = false;
  #isReadingHeldBack = false;

  constructor(source: LobbySource, onChange: () => void) {
    this.#source = source;
    this.#onChange = onChange;
  }

  snapshot(): LobbySnapshot {
    return { lobbies: [...this.#lobbies.values()], heldBack: this.#heldBack, isLoaded: this.#isLoaded };
  }

  /** Reads everything. Called again while it reads, it reads once more when it is done. */
  async load(): Promise<void> {
    this.#isStale = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#isStale) {
        this.#isStale = false;
        const lobbies = new Map<string, OperatorLobby>();
        for await (const lobby of this.#source.list()) lobbies.set(lobby.lobby_id, lobby);
        this.#lobbies = lobbies;
        this.#heldBack = await this.#source.heldBack();
        await this.#readUnclear();
      }
      this.#isLoaded = true;
    } finally {
      this.#isReading = false;
      this.#onChange();
    }
  }

  apply({ event, data }: NamespaceEvent): void {
    if (event === "reset" || event === "namespace.configured") {
      void this.load();
    } else if ("lobby" in data) {
      if (this.#isReading) this.#unclear.add(data.lobby.lobby_id);
      this.#put(data.lobby);
      if (event === "lobby.stopped" || event === "lobby.ready") this.#readHeldBackSoon();
    } else if ("lobby_id" in data) {
      if (this.#isReading) this.#unclear.add(data.lobby_id);
      else this.#count(data.lobby_id, changeOf(event));
    }
    this.#onChange();
  }

  /** Which game modes keep failing is in no event. It changes when a lobby fails, or becomes ready. */
  #readHeldBackSoon(): void {
    if (this.#isReadingHeldBack || this.#isReading) return;
    this.#isReadingHeldBack = true;
    setTimeout(async () => {
      this.#isReadingHeldBack = false;
      // What could not be read is read after the next event.
      this.#heldBack = await this.#source.heldBack().catch(() => this.#heldBack);
      this.#onChange();
    }, heldBackAfterMs);
  }

  async #readUnclear(): Promise<void> {
    while (this.#unclear.size > 0) {
      const ids = [...this.#unclear].slice(0, 6);
      for (const id of ids) this.#unclear.delete(id);
      const found = await Promise.all(ids.map((id) => this.#source.get(id)));
      for (const [index, id] of ids.entries()) {
        const lobby = found[index];
        if (lobby) this.#put(lobby);
        else this.#lobbies.delete(id);
      }
    }
  }

  #put(lobby: OperatorLobby): void {
    if (lobby.status === "stopped") this.#lobbies.delete(lobby.lobby_id);
    else this.#lobbies.set(lobby.lobby_id, lobby);
  }

  #count(lobbyId: string, change: number): void {
    const lobby = this.#lobbies.get(lobbyId);
    if (!lobby || change === 0) return;
    const total_player_count = Math.max(0, lobby.total_player_count + change);
    this.#lobbies.set(lobbyId, { ...lobby, total_player_count });
  }
}

/** A seat is taken once and ends once. What happens in between leaves the count. */
function changeOf(event: NamespaceEvent["event"]): number {
  if (event === "player.reserved") return 1;
  return event === "player.left" || event === "player.expired" ? -1 : 0;
}
