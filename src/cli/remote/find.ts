import { bold } from "../terminal.ts";
import { exitCodes } from "./exit-codes.ts";
import type { Remote } from "./run-remote.ts";
import { type Column, clean, table } from "./show.ts";

/** `foyer find MODE`: what a player's find would do now, and why. It takes no seat. */
export async function find(remote: Remote): Promise<number> {
  const { parsed, terminal, print } = remote;
  const { client, ...params } = await remote.target();
  const region = parsed.flags.get("region");
  const players = parsed.flags.get("players");
  const body = {
    game_modes: parsed.words,
    ...(region !== undefined && { regions: region.split(",") }),
    ...(players !== undefined && { players: Array.from({ length: Number(players) || 0 }, () => ({})) }),
    ...(parsed.flags.has("tags") && { tags: readTags(parsed.flags.get("tags")!) }),
  };
  const answer = await client.call("games.namespaces.lobbies.previewFind", { params, body });
  const { lobby, would_create, refusal, explain } = answer;
  const outcome = lobby
    ? `A find would take a seat in lobby ${lobby.lobby_id}.`
    : would_create
      ? "A find would start a new lobby."
      : `A find would be refused: ${refusal?.code} ${clean(refusal?.message ?? "")}`;
  print(answer, () =>
    [
      `${bold(terminal, outcome)}\n${clean(explain.summary)}\n`,
      ...(parsed.flags.has("explain") && explain.candidates.length > 0
        ? ["\n", table(terminal, explain.candidates, columns, "")]
        : []),
      ...(parsed.flags.has("explain") && explain.has_more ? ["There are more candidates than are listed.\n"] : []),
    ].join(""),
  );
  return refusal ? exitCodes.refused : exitCodes.done;
}

const columns: readonly Column[] = [
  ["LOBBY", ({ lobby_id }) => lobby_id],
  ["MODE", ({ game_mode_id }) => game_mode_id],
  ["REGION", ({ region_id }) => region_id],
  ["WHY", ({ message }) => message],
];

const readTags = (text: string) =>
  Object.fromEntries(text.split(",").map((pair) => [pair.split("=", 1)[0]!, pair.replace(/^[^=]*=?/, "")]));
