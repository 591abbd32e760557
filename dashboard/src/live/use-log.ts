import type { LogEndEvent } from "foyer-sdk";
import { useEffect, useState } from "react";
import { useSession } from "../session/session.tsx";

export interface LiveLog {
  readonly lines: readonly { readonly number: number; readonly text: string }[];
  /** The lobby has ended. */
  readonly end: LogEndEvent | null;
  readonly isOpen: boolean;
  readonly error: unknown;
}

/** Older lines are dropped from the page; the command shows all that Foyer keeps. */
const linesMax = 2_000;
const drawEveryMs = 150;
const retryAfterMs = 2_000;

/** What a lobby's process writes, line by line, while it runs. */
export function useLog(game: string, namespace: string, lobby: string, stream: "stdout" | "stderr"): LiveLog {
  const { foyer, noteRefusal } = useSession();
  const [log, setLog] = useState<LiveLog>({ lines: [], end: null, isOpen: false, error: null });

  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    let lines: LiveLog["lines"][number][] = [];
    let state: Omit<LiveLog, "lines"> = { end: null, isOpen: true, error: null };
    let count = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setLog({ ...state, lines });
      }, drawEveryMs);
    };

    async function follow(): Promise<void> {
      lines = [];
      for await (const { event, data } of foyer.games.namespaces.lobbies.getLogs(
        game,
        namespace,
        lobby,
        { stream, follow: true },
        { signal },
      )) {
        if (event === "line") lines = [...lines.slice(1 - linesMax), { number: ++count, text: data.text }];
        if (event === "end") state = { ...state, end: data };
        draw();
      }
    }
    async function keepFollowing(): Promise<void> {
      while (!signal.aborted && state.end === null) {
        try {
          state = { ...state, isOpen: true, error: null };
          draw();
          await follow();
        } catch (error) {
          if (signal.aborted) return;
          noteRefusal(error);
          state = { ...state, isOpen: false, error };
          draw();
        }
        await new Promise((resolve) => setTimeout(resolve, retryAfterMs));
      }
    }
    void keepFollowing();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [foyer, noteRefusal, game, namespace, lobby, stream]);

  return log;
}
