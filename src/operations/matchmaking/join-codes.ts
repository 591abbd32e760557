import type { Pair } from "../../matchmaker/commands.ts";
import type { VersionInUse } from "../config-reader.ts";
import type { Context } from "../context.ts";
import { isRefusal, refuse } from "../refusal.ts";

/** Candidates for the code of a new lobby, `longerBy` symbols longer than its game mode says; null: the mode has no codes. */
export function drawCodes({ newCodes }: Context, version: VersionInUse, { gameMode }: Pair, longerBy: number) {
  const { codes } = version.config.game_modes[gameMode]!;
  return codes.enabled ? newCodes(codes.length + longerBy) : null;
}

interface JoinBody {
  readonly lobby_id?: string | null;
  readonly code?: string | null;
}

/** The lobby that a join names: by its id or by its code, as the rules know them. */
export type JoinTarget = { readonly lobbyId: string } | { readonly lobbyId: null; readonly code: string };

export function readJoinTarget({ lobby_id = null, code = null }: JoinBody) {
  if (lobby_id !== null && code === null) return { lobbyId: lobby_id.toLowerCase() } satisfies JoinTarget;
  if (lobby_id === null && code !== null) return { lobbyId: null, code: normaliseCode(code) } satisfies JoinTarget;
  const message = "Pass either lobby_id or code, exactly one of them.";
  const path = [lobby_id === null ? "lobby_id" : "code"];
  return refuse("API_BAD_BODY", message, {
    errors: [{ path, message: "exactly one of lobby_id and code is required" }],
  });
}

/** Null: the body names one lobby. */
export function checkJoinTarget(body: JoinBody) {
  const target = readJoinTarget(body);
  return isRefusal(target) ? target : null;
}

/** The code that a join names; null: it names none. */
export function readCode(body: JoinBody): string | null {
  return body.code == null ? null : normaliseCode(body.code);
}

/** Players type codes in any case and in groups. Only ASCII letters have two cases here: ſ is no S. */
function normaliseCode(text: string): string {
  return text.replace(/[\s\u2010\u2011-]/g, "").replace(/[a-z]/g, (letter) => letter.toUpperCase());
}
