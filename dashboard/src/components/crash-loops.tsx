import type { HeldBackMode } from "foyer-sdk";
import { Link } from "wouter";
import { toLobby } from "../addresses.ts";
import { everything, useAsk } from "../api.ts";
import { Time } from "./time.tsx";

interface Properties {
  readonly game: string;
  readonly namespace: string;
  readonly heldBack: readonly HeldBackMode[];
}

/** Game modes whose lobbies fail one after the other, with the last lines that such a lobby wrote. */
export function CrashLoops({ game, namespace, heldBack }: Properties) {
  return heldBack.map((mode) => <CrashLoop key={mode.game_mode_id} game={game} namespace={namespace} mode={mode} />);
}

function CrashLoop({ game, namespace, mode }: { game: string; namespace: string; mode: HeldBackMode }) {
  const { game_mode_id: name, consecutive_failures: count, next_try_ts, message } = mode;
  const { data: failed } = useLastFailed(game, namespace, mode);
  return (
    <section className="card crash-loop">
      <h2>Lobbies of {name} keep failing</h2>
      <p>
        {count} failed one after the other. {failed?.exit_message ?? message} Foyer tries the next one{" "}
        <Time at={next_try_ts} />; until then a find that needs a new lobby of this mode is refused.
      </p>
      <p>
        To return to what ran before, deploy the earlier version: <code>foyer rollback {namespace}</code>
      </p>
      {failed?.log_tail && (
        <>
          <h3>The last lines of its log</h3>
          <pre className="log short">{failed.log_tail}</pre>
        </>
      )}
      {failed && (
        <p>
          <Link href={toLobby(game, namespace, failed.lobby_id)}>Show the lobby that failed last</Link>
        </p>
      )}
    </section>
  );
}

function useLastFailed(game: string, namespace: string, { game_mode_id, consecutive_failures }: HeldBackMode) {
  return useAsk(["last-failed", game, namespace, game_mode_id, consecutive_failures], async (foyer, options) => {
    const { lobbies } = foyer.games.namespaces;
    const query = { include_stopped: true, limit: 500 };
    const all = await everything(lobbies.list(game, namespace, query, options));
    const failed = all.filter((lobby) => lobby.game_mode_id === game_mode_id && lobby.stop_ts !== null);
    const last = failed.reduce((a, b) => ((a?.stop_ts ?? "") > b.stop_ts! ? a : b), failed[0]);
    return last ? (await lobbies.get(game, namespace, last.lobby_id, options)).lobby : null;
  });
}
