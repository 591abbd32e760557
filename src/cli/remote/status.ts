import { bold, dim } from "../terminal.ts";
import { readLobbies } from "./lobbies.ts";
import { describeFailures, lastFailures, shortId } from "./lobby-ids.ts";
import type { Remote } from "./run-remote.ts";
import { age, clean, table } from "./show.ts";

/** `foyer status`: what is deployed in a namespace and how it is doing. */
export async function status(remote: Remote): Promise<undefined> {
  const target = await remote.target();
  const { client, game_id, namespace_id } = target;
  const { terminal } = remote;
  const { namespace } = await client.games.namespaces.getGameNamespace(game_id, namespace_id);
  const { versions } = await client.games.namespaces.getVersionHistory(game_id, namespace_id, { limit: 5 });
  const { found: lobbies, heldBack } = await readLobbies(target);
  const now = remote.now();
  const failed = await lastFailures(client, target, now);
  const summary = {
    namespace,
    deployed: versions[0] ?? null,
    lobbies: lobbies.length,
    players: lobbies.reduce((sum, { total_player_count }) => sum + total_player_count, 0),
    held_back: heldBack,
    failed_lately: failed,
  };
  remote.print({ ...summary, versions }, () => {
    const { lobby_count_max } = namespace.matchmaker;
    const lines = [
      ["Namespace", `${namespace.display_name} (${game_id} / ${namespace.name_id})`],
      ["Service", client.connection.endpoint],
      [
        "Deployed",
        summary.deployed
          ? `${summary.deployed.display_name}, ${age(summary.deployed.deploy_ts, now)} ago`
          : "nothing yet",
      ],
      ["Lobbies", `${summary.lobbies} of at most ${lobby_count_max}`],
      ["Players", String(summary.players)],
    ].map(([name, text]) => `${bold(terminal, name!.padEnd(10))} ${clean(text!)}`);
    const silent = lobbies.filter(({ is_silent }) => is_silent).map(({ lobby_id }) => shortId(lobby_id));
    const hung =
      silent.length === 0 ? [] : [`\n${bold(terminal, "No heartbeats arrive from:")} ${describeSilent(silent)}`];
    const held = heldBack.map(
      (mode) => `\n${bold(terminal, `${clean(mode.game_mode_id)} keeps failing:`)} ${clean(mode.message)}`,
    );
    return `${[...lines, ...held, ...hung, "", dim(terminal, "Versions:")].join("\n")}\n${table(
      terminal,
      versions,
      [
        ["VERSION", (row) => row.display_name],
        ["DEPLOYED", (row) => `${age(row.deploy_ts, now)} ago`],
        ["ID", (row) => row.version_id],
      ],
      "None.",
    )}${describeFailures(terminal, failed, now)}`;
  });
}

const silentShown = 5;

function describeSilent(silent: readonly string[]): string {
  const more = silent.length > silentShown ? ` and ${silent.length - silentShown} more` : "";
  return `${silent.slice(0, silentShown).join(", ")}${more}. Their servers hang or have ended; find sends them no players.`;
}
