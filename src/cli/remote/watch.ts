import { setTimeout as sleep } from "node:timers/promises";
import { dim } from "../terminal.ts";
import { all, type Client } from "./client.ts";
import { lobbyColumns } from "./lobbies.ts";
import type { Remote } from "./run-remote.ts";
import { table } from "./show.ts";
import type { Target } from "./target.ts";

const redrawEveryMs = 1_000;

/** `foyer watch`: the lobbies of a namespace as a table that redraws. Not on a terminal: one line per event. */
export async function watch(remote: Remote): Promise<undefined> {
  const { client, ...target } = await remote.target();
  if (!remote.terminal.isInteractive || remote.isJson) return printEvents(remote, client, target);
  const { terminal, signal } = remote;
  // The alternate screen, so that the terminal has its old content back afterwards.
  terminal.out("\u001b[?1049h\u001b[?25l");
  try {
    while (!signal.aborted) {
      const { game_id, namespace_id } = target;
      const lobbies = await all(client.games.namespaces.lobbies.list(game_id, namespace_id, { limit: 500 }));
      const players = lobbies.reduce((sum, { total_player_count }) => sum + total_player_count, 0);
      const title = `${target.game_id} / ${target.namespace_id}: ${lobbies.length} lobbies, ${players} players`;
      const rows = table(terminal, lobbies, lobbyColumns(remote.now()), "No lobbies are running.");
      terminal.out(`\u001b[H\u001b[2J${title}  ${dim(terminal, "Ctrl-C to leave")}\n\n${rows}`);
      await sleep(redrawEveryMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    terminal.out("\u001b[?25h\u001b[?1049l");
  }
}

async function printEvents({ terminal, isJson }: Remote, client: Client, target: Target): Promise<undefined> {
  for await (const { event, data } of client.games.namespaces.events(target.game_id, target.namespace_id)) {
    terminal.out(isJson ? `${JSON.stringify({ event, data })}\n` : `${event} ${JSON.stringify(data)}\n`);
  }
}
