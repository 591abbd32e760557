/** A path of the gateway, as the client sent it. */
export interface LobbyPath {
  /** In lower case. */
  readonly lobbyId: string;
  readonly label: string;
  /** What the lobby does not see: `/lobby/<lobby_id>/<label>`. */
  readonly prefix: string;
  /** What the lobby sees: the path below, at least `/`, with the query. */
  readonly rest: string;
}

/** Whether the gateway answers the request, also when there is no such lobby. */
export function isLobbyPath(url: string | undefined): boolean {
  return url?.startsWith("/lobby/") === true;
}

/** Null: it names no port of a lobby. Nothing is decoded: a port has one path. */
export function parseLobbyPath(url: string): LobbyPath | null {
  const match = pattern.exec(url);
  if (match === null) return null;
  const [prefix = "", lobbyId = "", label = ""] = match;
  const rest = url.slice(prefix.length);
  return { lobbyId: lobbyId.toLowerCase(), label, prefix, rest: rest.startsWith("/") ? rest : `/${rest}` };
}

/** The lobby that another part of the installation asks about, by `/lobby/<lobby_id>`; null: it asks for none. */
export function parseLookup(url: string): string | null {
  return /^\/lobby\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(url)?.[1] ?? null;
}

const pattern =
  /^\/lobby\/([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})\/([a-z0-9-]{1,32})(?=[/?]|$)/;
