import type { LobbyView } from "../../matchmaker/commands.ts";

/** Why find avoids a lobby, as the API names it: the lobby's own flag first. Undefined: it is open. */
export function listClosedBy({ isClosed, operatorClose }: Pick<LobbyView, "isClosed" | "operatorClose">) {
  const own = isClosed ? (["lobby"] as const) : [];
  return operatorClose === null ? [...own] : [...own, operatorClose];
}
