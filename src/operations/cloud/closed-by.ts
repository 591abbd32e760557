import type { LobbyView } from "../../matchmaker/commands.ts";

/** What keeps find away from a lobby, in the API's words: the lobby's own flag first. Nothing: it is open. */
export function listClosedBy({ isClosed, operatorClose }: Pick<LobbyView, "isClosed" | "operatorClose">) {
  const own = isClosed ? (["lobby"] as const) : [];
  return operatorClose === null ? [...own] : [...own, operatorClose];
}
