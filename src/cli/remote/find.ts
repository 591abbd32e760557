import type { Candidate } from "foyer-sdk";
import { bold } from "../terminal.ts";
import { exitCodes } from "./exit-codes.ts";
import { describeFailures, lastFailures } from "./lobby-ids.ts";
import type { Remote } from "./run-remote.ts";
import { type Column, clean, table } from "./show.ts";

/** `foyer find MODE`: what a player's find would do now, and why. It takes no seat. */
export async function find(remote: Remote): Promise<number> {
  const { parsed, terminal, print } = remote;
  const { client, game_id, namespace_id } = await remote.target();
  const region = parsed.flags.get("region");
  const players = parsed.flags.get("players");
  const body = {
    game_modes: parsed.words,
    ...(region !== undefined && { regions: region.split(",") }),
    ...(players !== undefined && { players: Array.from({ length: Number(players) || 0 }, () => ({})) }),
    ...(parsed.flags.has("tags") && { tags: readTags(parsed.flags.get("tags")!) }),
  };
  const answer = await client.games.namespaces.lobbies.previewFind(game_id, namespace_id, body);
  const now = remote.now();
  const isExplained = parsed.flags.has("explain");
  const failed = isExplained ? await lastFailures(client, { game_id, namespace_id }, now) : [];
  const ofModes = failed.filter(({ game_mode_id }) => parsed.words.includes(game_mode_id));
  const { lobby, would_create, refusal, explain } = answer;
  const outcome = lobby
    ? `A find would take a seat in lobby ${lobby.lobby_id}.`
    : would_create
      ? "A find would start a new lobby."
      : `A find would be refused: ${refusal?.code} ${clean(refusal?.message ?? "")}`;
  print(isExplained ? { ...answer, failed_lately: ofModes } : answer, () =>
    [
      `${bold(terminal, outcome)}\n${clean(explain.summary)}\n`,
      ...(isExplained && explain.candidates.length > 0 ? ["\n", table(terminal, explain.candidates, columns, "")] : []),
      ...(isExplained && explain.has_more ? ["There are more candidates than are listed.\n"] : []),
      describeFailures(terminal, ofModes, now),
    ].join(""),
  );
  return refusal ? exitCodes.refused : exitCodes.done;
}

const columns: readonly Column<Candidate>[] = [
  ["LOBBY", ({ lobby_id }) => lobby_id],
  ["MODE", ({ game_mode_id }) => game_mode_id],
  ["REGION", ({ region_id }) => region_id],
  ["WHY", ({ message }) => message],
];

const readTags = (text: string) =>
  Object.fromEntries(text.split(",").map((pair) => [pair.split("=", 1)[0]!, pair.replace(/^[^=]*=?/, "")]));
