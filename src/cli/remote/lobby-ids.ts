import type { PastLobby } from "foyer-sdk";
import type { Terminal } from "../terminal.ts";
import { all, type Client } from "./client.ts";
import { CommandFailed, UsageError } from "./exit-codes.ts";
import { age, table } from "./show.ts";
import type { Target } from "./target.ts";

const whole = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** A whole id, or enough of one. */
export const partOfId = /^[0-9a-f][0-9a-f-]{3,35}$/i;
const failures = new Set(["crashed", "start_failed", "not_ready", "silent"]);
const rememberedMs = 60 * 60_000;

/** How Foyer's own lines and these commands name a lobby where a whole id would be too long. */
export const shortId = (id: string): string => id.slice(-8);

/** The lobby that a person means: a whole id, or the beginning or end of one, of lobbies that live or ended lately. */
export async function findLobbyId(client: Client, target: Target, given: string): Promise<string> {
  if (whole.test(given)) return given;
  if (!partOfId.test(given)) throw new UsageError(`"${given}" is not a lobby's id. foyer lobbies lists them.`);
  const wanted = given.toLowerCase();
  const known = new Set((await readKnown(client, target)).map(({ lobby_id }) => lobby_id));
  const found = [...known].filter((id) => id.endsWith(wanted) || id.startsWith(wanted));
  if (found.length === 1) return found[0]!;
  if (found.length > 1)
    throw new UsageError(`${found.length} lobbies have "${given}" in their id: ${found.join(", ")}.`);
  throw new CommandFailed(`No lobby of ${target.game_id} / ${target.namespace_id} has the id "${given}".`);
}

/** The lobby that was created last: one that lives, else one that ended lately. */
export async function newestLobbyId(client: Client, target: Target): Promise<string> {
  const known = await readKnown(client, target);
  const [newest] = known.sort((a, b) => (a.create_ts < b.create_ts ? 1 : -1));
  if (newest !== undefined) return newest.lobby_id;
  throw new CommandFailed(`No lobby of ${target.game_id} / ${target.namespace_id} has been started yet.`);
}

async function readKnown(client: Client, target: Target): Promise<{ lobby_id: string; create_ts: string }[]> {
  const { list } = client.games.namespaces.lobbies;
  const living = await all(list(target.game_id, target.namespace_id, { limit: 500, include_stopped: true }));
  return [...living, ...(await readPast(client, target))];
}

/** The lobbies that stopped last, newest first. */
export async function readPast(client: Client, { game_id, namespace_id }: Target): Promise<readonly PastLobby[]> {
  return (await client.games.namespaces.lobbies.history(game_id, namespace_id, { limit: 500 })).lobbies;
}

/** Lobbies that failed within the last hour, newest first. */
export async function lastFailures(client: Client, target: Target, now: number): Promise<PastLobby[]> {
  const past = await readPast(client, target);
  return past.filter(
    ({ stop_reason, stop_ts }) => failures.has(stop_reason) && now - Date.parse(stop_ts) < rememberedMs,
  );
}

const failuresShown = 5;

/** Nothing if there are none. */
export function describeFailures(terminal: Terminal, failed: readonly PastLobby[], now: number): string {
  const [newest] = failed;
  if (newest === undefined) return "";
  const count = failed.length === 1 ? "1 lobby has" : `${failed.length} lobbies have`;
  const rows = table(
    terminal,
    failed.slice(0, failuresShown),
    [
      ["LOBBY", ({ lobby_id }) => shortId(lobby_id)],
      ["MODE", ({ game_mode_id }) => game_mode_id],
      ["FAILED", ({ stop_ts }) => `${age(stop_ts, now)} ago`],
      ["WHY", ({ exit_message, stop_reason }) => exit_message ?? stop_reason],
    ],
    "",
  );
  return `\n${count} failed within the last hour; foyer logs ${shortId(newest.lobby_id)} shows what one wrote:\n${rows}`;
}
