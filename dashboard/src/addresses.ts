/** The parts of a page's address. Each is the name or the id of the resource. */
export interface PageParams {
  readonly game: string;
  readonly namespace: string;
  readonly lobby: string;
  readonly version: string;
}

const root = "/dashboard";
const game = `${root}/games/:game`;
const namespace = `${game}/namespaces/:namespace`;

/** What pages belong to. */
export const paths = { root, game, namespace } as const;

/** The address of a path with its parts: `fill("/dashboard/games/:game", { game: "arena" })`. */
export function fill(path: string, params: Partial<PageParams>): string {
  return path.replace(/:(\w+)/g, (_, name: keyof PageParams) => encodeURIComponent(params[name] ?? ""));
}

export const toGame = (name: string) => fill(game, { game: name });
export const toNamespace = (gameName: string, name: string, rest = "") =>
  fill(namespace, { game: gameName, namespace: name }) + rest;
export const toLobby = (gameName: string, name: string, lobbyId: string) =>
  toNamespace(gameName, name, `/lobbies/${lobbyId}`);
