import { isFoyerError } from "foyer-sdk";
import { useEffect, useState } from "react";
import { type Session, useSession } from "../session/session.tsx";
import { followEvents } from "./follow-events.ts";
import { type LobbySnapshot, type LobbySource, LobbyTable } from "./lobby-table.ts";

export interface LiveLobbies extends LobbySnapshot {
  /** The stream of events is open: what is shown is as of now. */
  readonly isLive: boolean;
  readonly error: unknown;
}

/** Often enough to look immediate, seldom enough for 50 changes a second in 5,000 lobbies. */
const drawEveryMs = 200;
const nothing: LiveLobbies = { lobbies: [], heldBack: [], isLoaded: false, isLive: false, error: null };

/** The living lobbies of a namespace, as they change. */
export function useLobbies(game: string, namespace: string): LiveLobbies {
  const session = useSession();
  const [live, setLive] = useState<LiveLobbies>(nothing);

  useEffect(() => {
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let [isLive, error]: [boolean, unknown] = [false, null];
    const draw = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setLive({ ...table.snapshot(), isLive, error });
      }, drawEveryMs);
    };
    const note = (reason: unknown) => {
      if (ending.signal.aborted) return;
      session.noteRefusal(reason);
      error = reason;
      draw();
    };
    const table = new LobbyTable(sourceOf(session, game, namespace, ending.signal), draw);
    const follower = {
      onOpen(isResumed: boolean) {
        [isLive, error] = [true, null];
        if (!isResumed || !table.snapshot().isLoaded) table.load().catch(note);
        draw();
      },
      onEvent: (event: Parameters<LobbyTable["apply"]>[0]) => table.apply(event),
      onBreak() {
        isLive = false;
        draw();
      },
    };
    followEvents(session.withFetch, [game, namespace], follower, ending.signal).catch(note);
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [session, game, namespace]);

  return live;
}

function sourceOf({ foyer }: Session, game: string, namespace: string, signal: AbortSignal): LobbySource {
  const { lobbies } = foyer.games.namespaces;
  return {
    list: () => lobbies.list(game, namespace, { limit: 500 }, { signal }),
    heldBack: async () => (await lobbies.list(game, namespace, { limit: 1 }, { signal })).held_back,
    async get(lobbyId) {
      try {
        return (await lobbies.get(game, namespace, lobbyId, { signal })).lobby;
      } catch (error) {
        if (isFoyerError(error) && error.status === 404) return null;
        throw error;
      }
    },
  };
}
