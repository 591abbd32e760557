import type { HeldBackMode, OperatorLobby } from "foyer-sdk";
import { all, type Client } from "./client.ts";
import { confirm } from "./confirm.ts";
import { UsageError } from "./exit-codes.ts";
import { findLobbyId, readPast } from "./lobby-ids.ts";
import type { Remote } from "./run-remote.ts";
import { age, type Column, clean, table } from "./show.ts";
import type { Target } from "./target.ts";

/** `foyer lobbies`, `foyer lobbies close|open|stop ID`. */
export async function lobbies(remote: Remote): Promise<undefined> {
  const [action = "list", ...given] = remote.parsed.words;
  const { flags } = remote.parsed;
  if (action === "list") return flags.has("ended") ? listEnded(remote) : listLobbies(remote);
  if (!Object.hasOwn(actions, action)) {
    throw new UsageError(
      `"${action}" is not one of list, ${Object.keys(actions).join(", ")}. The namespace is named with --game and --namespace.`,
    );
  }
  if (given.length === 0) throw new UsageError(`Which lobby? foyer lobbies ${action} LOBBY_ID`);
  if (action !== "stop" && flags.has("yes"))
    throw new UsageError(`foyer lobbies ${action} does not ask; --yes is for stop.`);
  const { client, ...target } = await remote.target();
  const ids: string[] = [];
  for (const id of given) ids.push(await findLobbyId(client, target, id));
  const { send, done } = actions[action as keyof typeof actions];
  if (action === "stop") await confirm(remote, await describeStop(client, target, ids));
  for (const id of ids) {
    await send(client, target, id);
    if (!remote.isJson) remote.terminal.out(`${done} ${id}.\n`);
  }
  if (remote.isJson) remote.print({ done: action, lobby_ids: ids }, () => "");
}

/** Also finds a mistyped id before the first lobby is stopped. */
async function describeStop(client: Client, { game_id, namespace_id }: Target, ids: readonly string[]) {
  const { get } = client.games.namespaces.lobbies;
  const found = await Promise.all(ids.map((id) => get(game_id, namespace_id, id)));
  const players = found.reduce((sum, { lobby }) => sum + lobby.total_player_count, 0);
  const lobbyCount = ids.length === 1 ? "1 lobby ends" : `${ids.length} lobbies end`;
  return `${lobbyCount}, and ${players === 1 ? "1 player loses the seat" : `${players} players lose their seats`}`;
}

const setClosed =
  (is_closed: boolean) =>
  (client: Client, { game_id, namespace_id }: Target, lobbyId: string) =>
    client.games.namespaces.lobbies.setClosed(game_id, namespace_id, lobbyId, { is_closed });

const actions = {
  close: { send: setClosed(true), done: "Closed" },
  open: { send: setClosed(false), done: "Opened" },
  stop: {
    send: (client: Client, { game_id, namespace_id }: Target, lobbyId: string) =>
      client.games.namespaces.lobbies.stop(game_id, namespace_id, lobbyId),
    done: "Stopped",
  },
} as const;

async function listLobbies(remote: Remote): Promise<undefined> {
  const { found, heldBack } = await readLobbies(await remote.target());
  remote.print({ lobbies: found, held_back: heldBack }, () =>
    [
      table(remote.terminal, found, lobbyColumns(remote.now()), "No lobbies are running."),
      ...heldBack.map((mode) => `\n${clean(mode.game_mode_id)} is held back: ${clean(mode.message)}\n`),
    ].join(""),
  );
}

/** All that live now, and the game modes that do not start any. */
export async function readLobbies({ client, game_id, namespace_id }: Target & { readonly client: Client }) {
  const pages = client.games.namespaces.lobbies.list(game_id, namespace_id, { limit: 500 });
  const { held_back } = await pages;
  return { found: await all(pages), heldBack: held_back as readonly HeldBackMode[] };
}

const endedShown = 50;

/** `foyer lobbies --ended`: the ones that stopped last, and why. */
async function listEnded(remote: Remote): Promise<undefined> {
  const { client, ...target } = await remote.target();
  const past = (await readPast(client, target)).slice(0, endedShown);
  const now = remote.now();
  remote.print({ lobbies: past }, () =>
    table(
      remote.terminal,
      past,
      [
        ["LOBBY", ({ lobby_id }) => lobby_id],
        ["MODE", ({ game_mode_id }) => game_mode_id],
        ["ENDED", ({ stop_ts }) => `${age(stop_ts, now)} ago`],
        ["BY", ({ stop_reason }) => stop_reason],
        ["WHY", ({ exit_message }) => exit_message],
      ],
      "No lobby has ended yet.",
    ),
  );
}

/** How a lobby is shown to people. */
export const lobbyColumns = (now: number): readonly Column<OperatorLobby>[] => [
  ["LOBBY", ({ lobby_id }) => lobby_id],
  ["MODE", ({ game_mode_id }) => game_mode_id],
  ["REGION", ({ region_id }) => region_id],
  ["STATUS", describeStatus],
  ["PLAYERS", ({ total_player_count, max_players_normal }) => `${total_player_count}/${max_players_normal}`],
  ["AGE", ({ create_ts }) => age(create_ts, now)],
  ["NODE", ({ node_id }) => node_id],
];

function describeStatus({ status, is_closed, is_silent, is_outdated, publicity }: OperatorLobby): string {
  const notes = [
    is_closed && "closed",
    is_silent && "silent",
    is_outdated && "old version",
    publicity === "private" && "private",
  ].filter((note) => note !== false);
  return [status, ...notes].join(", ");
}
