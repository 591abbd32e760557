import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { OperatorLobby } from "foyer-sdk";
import { shortId } from "../remote/lobby-ids.ts";
import { clean } from "../remote/show.ts";
import type { Stage, StagedLobby } from "./stage.ts";

/** What `foyer dev` does with events of its namespace. */
export interface Followed {
  readonly stage: Stage;
  readonly signal: AbortSignal;
  /** The ports that the program got, by label. */
  readonly ports: Readonly<Record<string, number>>;
  say(text: string): void;
  /** A line of a lobby that Foyer started. */
  show(line: string): void;
  /** The program's own lobby; null: it has none now. */
  lobby(): StagedLobby | null;
  /** `byOthers`: the program did not end it itself. */
  onStopped(why: string, byOthers: boolean): void;
}

const againMs = 1_000;

/** Until the signal aborts. */
export async function followEvents(followed: Followed): Promise<void> {
  const { stage, signal, say } = followed;
  const { game_id, namespace_id } = stage.params;
  while (!signal.aborted) {
    try {
      for await (const { event, data } of stage.admin.games.namespaces.events(game_id, namespace_id, { signal })) {
        if (event === "lobby.ready") void reportReady(followed, data.lobby).catch(() => undefined);
        else if (event === "lobby.created") void showLog(followed, data.lobby);
        else if (event === "lobby.stopped") noteStopped(followed, data.lobby);
        else if ("player_id" in data && words[event] !== undefined)
          say(`player ${clean(data.key ?? shortId(data.player_id))} ${words[event]}.`);
      }
    } catch (error) {
      if (signal.aborted) return;
      say(`the events of the namespace broke off: ${(error as Error).message.split("\n")[0]}`);
    }
    await sleep(againMs, undefined, { signal }).catch(() => undefined);
    await lookForMissedStop(followed);
  }
}

const words: Readonly<Record<string, string>> = {
  "player.connected": "connected",
  "player.held": "dropped; the seat is held",
  "player.returned": "is back",
  "player.left": "left",
  "player.expired": "did not connect in time",
};

function noteStopped(
  { lobby, onStopped, say }: Followed,
  { lobby_id, stop_reason, exit_message }: OperatorLobby,
): void {
  const why = (exit_message ?? stop_reason ?? "stopped").replace(/\.$/, "");
  if (lobby()?.lobbyId === lobby_id) onStopped(clean(why), stop_reason === "operator");
  else say(`lobby ${shortId(lobby_id)} ended (${clean(why)}).`);
}

/** While the stream was broken the lobby may have ended. */
async function lookForMissedStop({ stage, signal, lobby, onStopped }: Followed): Promise<void> {
  const current = lobby();
  if (current === null || signal.aborted) return;
  const { game_id, namespace_id } = stage.params;
  const found = await stage.admin.games.namespaces.lobbies
    .get(game_id, namespace_id, current.lobbyId)
    .catch(() => null);
  if (found?.lobby.status === "stopped" && lobby() === current)
    onStopped(found.lobby.stop_reason ?? "stopped", found.lobby.stop_reason === "operator");
}

const listenWithinMs = 2_000;

/** Ready means that players can connect, so each port is tried, but not those that are lazy or UDP. */
async function reportReady({ stage, ports, lobby, say, signal }: Followed, { lobby_id }: OperatorLobby): Promise<void> {
  if (lobby()?.lobbyId !== lobby_id) return say(`lobby ${shortId(lobby_id)} is ready for players.`);
  const isCurrent = () => !signal.aborted && lobby()?.lobbyId === lobby_id;
  const tried = Object.entries(ports).filter(([label]) => !stage.untriedPorts.has(label));
  const startedAt = performance.now();
  let isSaid = false;
  while (isCurrent()) {
    const answers = await Promise.all(tried.map(([, port]) => accepts(port)));
    const silent = tried.filter((_, index) => !answers[index]);
    if (silent.length === 0) return say("the lobby is ready for players.");
    if (!isSaid && performance.now() - startedAt > listenWithinMs) {
      isSaid = true;
      const names = silent.map(([label, port]) => `${port} (${tried.length === 1 ? "PORT" : label})`).join(", ");
      say(`the program says that it is ready, but nothing listens on port ${names}, so no player can connect.`);
    }
    await sleep(200, undefined, { signal }).catch(() => undefined);
  }
}

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ port, host: "localhost" });
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });

/** What a lobby writes that Foyer started, because a player created it. */
async function showLog({ stage, signal, show }: Followed, { lobby_id, runtime }: OperatorLobby): Promise<void> {
  if (runtime === "external") return;
  const { game_id, namespace_id } = stage.params;
  const { getLogs } = stage.admin.games.namespaces.lobbies;
  const follow = async (stream: "stdout" | "stderr") => {
    const query = { stream, follow: true } as const;
    for await (const { event, data } of getLogs(game_id, namespace_id, lobby_id, query, { signal })) {
      if (event === "line") show(`${shortId(lobby_id)} | ${clean(data.text)}`);
    }
  };
  await Promise.all([follow("stdout"), follow("stderr")]).catch(() => undefined);
}
