import type { Client, Json } from "./client.ts";
import { UsageError } from "./exit-codes.ts";
import type { Parsed } from "./flags.ts";
import { isThrowaway } from "./throwaway-namespace.ts";

/** The namespace that a command is about, as path parameters. */
export interface Target {
  readonly game_id: string;
  readonly namespace_id: string;
}

/** From the flags, else from `foyer use`, else the only one there is. */
export async function findTarget(client: Client, { flags }: Parsed): Promise<Target> {
  const { game: usedGame, namespace: usedNamespace } = client.connection;
  const game_id = flags.get("game") ?? usedGame ?? theOnly("game", await client.all("games.listGames", "games"));
  const isUsedGame = usedGame === game_id;
  const namespace_id =
    flags.get("namespace") ??
    (isUsedGame ? usedNamespace : undefined) ??
    theOnly(
      "namespace",
      await client.all("games.namespaces.listGameNamespaces", "namespaces", { params: { game_id } }),
    );
  return { game_id, namespace_id };
}

function theOnly(what: "game" | "namespace", all: readonly Json[]): string {
  // Those of foyer dev and foyer load come and go; a person means them only when there are no others.
  const lasting = all.filter(({ display_name }) => !isThrowaway(display_name));
  const found = lasting.length > 0 ? lasting : all;
  const [first, ...more] = found;
  if (first === undefined) throw new UsageError(`There is no ${what} yet. foyer init and foyer deploy make one.`);
  if (more.length === 0) return first.name_id;
  const names = found.map(({ name_id }) => name_id).slice(0, 10);
  throw new UsageError(
    `There are several ${what}s: ${names.join(", ")}. Name one with --${what}, or once and for all with foyer use.`,
  );
}
