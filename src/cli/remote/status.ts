import { bold, dim } from "../terminal.ts";
import type { Json } from "./client.ts";
import type { Remote } from "./run-remote.ts";
import { age, clean, table } from "./show.ts";

/** `foyer status`: what is deployed in a namespace and how it is doing. */
export async function status(remote: Remote): Promise<undefined> {
  const { client, ...params } = await remote.target();
  const { terminal } = remote;
  const { namespace } = await client.call("games.namespaces.getGameNamespace", { params });
  const { versions } = await client.call("games.namespaces.getVersionHistory", { params, query: { limit: "5" } });
  const listed = await client.call("games.namespaces.lobbies.list", { params, query: { limit: "1" } });
  const lobbies = await client.all("games.namespaces.lobbies.list", "lobbies", { params, query: { limit: "500" } });
  const now = remote.now();
  const summary = {
    namespace,
    deployed: versions[0] ?? null,
    lobbies: lobbies.length,
    players: lobbies.reduce((sum, { total_player_count }) => sum + total_player_count, 0),
    held_back: listed.held_back,
  };
  remote.print({ ...summary, versions }, () => {
    const { lobby_count_max } = namespace.matchmaker;
    const lines = [
      ["Namespace", `${namespace.display_name} (${params.game_id} / ${namespace.name_id})`],
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
    const held = listed.held_back.map(
      (mode: Json) => `\n${bold(terminal, `${clean(mode.game_mode_id)} keeps failing:`)} ${clean(mode.message)}`,
    );
    return `${[...lines, ...held, "", dim(terminal, "Versions:")].join("\n")}\n${table(
      terminal,
      versions,
      [
        ["VERSION", (row) => row.display_name],
        ["DEPLOYED", (row) => `${age(row.deploy_ts, now)} ago`],
        ["ID", (row) => row.version_id],
      ],
      "None.",
    )}`;
  });
}
