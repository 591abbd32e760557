import type { Client, Json } from "./client.ts";
import { confirm } from "./confirm.ts";
import { UsageError } from "./exit-codes.ts";
import type { Remote } from "./run-remote.ts";
import { age, type Column, clean, table } from "./show.ts";
import type { Target } from "./target.ts";

/** `foyer lobbies`, `foyer lobbies close|open|stop ID`. */
export async function lobbies(remote: Remote): Promise<undefined> {
  const [action = "list", ...ids] = remote.parsed.words;
  if (action === "list") return listLobbies(remote);
  if (!Object.hasOwn(actions, action)) {
    throw new UsageError(`"${action}" is not one of list, ${Object.keys(actions).join(", ")}.`);
  }
  if (ids.length === 0) throw new UsageError(`Which lobby? foyer lobbies ${action} LOBBY_ID`);
  const { client, ...target } = await remote.target();
  const { operation, body, done } = actions[action as keyof typeof actions];
  if (action === "stop") await confirm(remote, await describeStop(client, target, ids));
  else if (remote.parsed.flags.has("yes"))
    throw new UsageError(`foyer lobbies ${action} does not ask; --yes is for stop.`);
  for (const lobby_id of ids) {
    await client.call(operation, { params: { ...target, lobby_id }, ...(body && { body }) });
    remote.print({ lobby_id, done: action }, () => `${done} ${lobby_id}.\n`);
  }
}

/** Also finds a mistyped id before the first lobby is stopped. */
async function describeStop(client: Client, target: Target, ids: readonly string[]): Promise<string> {
  const found = await Promise.all(
    ids.map((lobby_id) => client.call("games.namespaces.lobbies.get", { params: { ...target, lobby_id } })),
  );
  const players = found.reduce((sum, { lobby }) => sum + lobby.total_player_count, 0);
  const lobbyCount = ids.length === 1 ? "1 lobby ends" : `${ids.length} lobbies end`;
  return `${lobbyCount}, and ${players === 1 ? "1 player loses the seat" : `${players} players lose their seats`}`;
}

const actions = {
  close: { operation: "games.namespaces.lobbies.setClosed", body: { is_closed: true }, done: "Closed" },
  open: { operation: "games.namespaces.lobbies.setClosed", body: { is_closed: false }, done: "Opened" },
  stop: { operation: "games.namespaces.lobbies.stop", body: null, done: "Stopped" },
} as const;

async function listLobbies(remote: Remote): Promise<undefined> {
  const { client, ...params } = await remote.target();
  const first = await client.call("games.namespaces.lobbies.list", { params, query: { limit: "1" } });
  const found = await client.all("games.namespaces.lobbies.list", "lobbies", { params, query: { limit: "500" } });
  const now = remote.now();
  remote.print({ lobbies: found, held_back: first.held_back }, () =>
    [
      table(remote.terminal, found, lobbyColumns(now), "No lobbies are running."),
      ...first.held_back.map((mode: Json) => `\n${clean(mode.game_mode_id)} is held back: ${clean(mode.message)}\n`),
    ].join(""),
  );
}

/** How a lobby is shown to people. */
export const lobbyColumns = (now: number): readonly Column[] => [
  ["LOBBY", ({ lobby_id }) => lobby_id],
  ["MODE", ({ game_mode_id }) => game_mode_id],
  ["REGION", ({ region_id }) => region_id],
  ["STATUS", describeStatus],
  ["PLAYERS", ({ total_player_count, max_players_normal }) => `${total_player_count}/${max_players_normal}`],
  ["AGE", ({ create_ts }) => age(create_ts, now)],
  ["NODE", ({ node_id }) => node_id],
];

function describeStatus({ status, is_closed, is_silent, is_outdated, publicity }: Json): string {
  const notes = [
    is_closed && "closed",
    is_silent && "silent",
    is_outdated && "old version",
    publicity === "private" && "private",
  ].filter((note) => note !== false);
  return [status, ...notes].join(", ");
}

/** `foyer logs LOBBY_ID [-f]`. */
export async function logs(remote: Remote): Promise<undefined> {
  const { client, ...target } = await remote.target();
  const { parsed, terminal, signal, isJson } = remote;
  const stream = parsed.flags.has("stderr") ? "stderr" : "stdout";
  const params = { ...target, lobby_id: parsed.words[0]! };
  if (!parsed.flags.has("follow")) {
    const answer = await client.call("games.namespaces.lobbies.getLogs", { params, query: { stream } });
    remote.print(answer, () =>
      answer.text === "" ? "" : `${answer.text.split("\n").map(clean).join("\n").trimEnd()}\n`,
    );
    return;
  }
  const query = { stream, follow: "true" };
  for await (const { event, data } of client.events("games.namespaces.lobbies.getLogs", { params, query, signal })) {
    if (isJson) terminal.out(`${JSON.stringify(data)}\n`);
    else if (event === "line") terminal.out(`${clean(data.text)}\n`);
  }
}
