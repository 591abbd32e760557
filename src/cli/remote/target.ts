import { gameOf } from "../dev/game-file.ts";
import { all, type Client } from "./client.ts";
import { UsageError } from "./exit-codes.ts";
import type { Parsed } from "./flags.ts";
import { isThrowaway } from "./throwaway-namespace.ts";

/** The namespace that a command is about, as path parameters. */
export interface Target {
  readonly game_id: string;
  readonly namespace_id: string;
}

/** From the flags, else the game of this folder, else from `foyer use`, else the only one there is. */
export async function findTarget(client: Client, { flags }: Parsed, cwd: string): Promise<Target> {
  const { game: usedGame, namespace: usedNamespace } = client.connection;
  const game_id = flags.get("game") ?? gameOf(cwd) ?? usedGame ?? theOnly("game", await all(client.games.listGames()));
  const isUsedGame = usedGame === game_id;
  const namespace_id =
    flags.get("namespace") ??
    (isUsedGame ? usedNamespace : undefined) ??
    theOnly("namespace", await all(client.games.namespaces.listGameNamespaces(game_id)));
  return { game_id, namespace_id };
}

interface Named {
  readonly name_id: string;
  readonly display_name: string;
}

function theOnly(what: "game" | "namespace", known: readonly Named[]): string {
  // Those of foyer dev and foyer load come and go; a person means them only when there are no others.
  const lasting = known.filter(({ display_name }) => !isThrowaway(display_name));
  const found = lasting.length > 0 ? lasting : known;
  const [first, ...more] = found;
  if (first === undefined) throw new UsageError(`There is no ${what} yet. foyer init and foyer deploy make one.`);
  if (more.length === 0) return first.name_id;
  const names = found.map(({ name_id }) => name_id).slice(0, 10);
  throw new UsageError(
    `There are several ${what}s: ${names.join(", ")}. Name one with --${what}, or once and for all with foyer use.`,
  );
}
