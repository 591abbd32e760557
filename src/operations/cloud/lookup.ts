import type { Db } from "../../store/db.ts";
import { findGame, type Game } from "../../store/games.ts";
import { findNamespace, type Namespace } from "../../store/namespaces.ts";
import { type Refusal, refuse } from "../refusal.ts";

/** The game that a path names by UUID or name_id. */
export async function lookUpGame(
  db: Db,
  params: { readonly game_id: string },
): Promise<Game | Refusal<"CLOUD_GAME_NOT_FOUND">> {
  return (await findGame(db, params.game_id)) ?? gameNotFound(params.game_id);
}

/** The namespace that a path names, each part by UUID or name_id. */
export async function lookUpNamespace(
  db: Db,
  params: { readonly game_id: string; readonly namespace_id: string },
): Promise<Namespace | Refusal<"CLOUD_GAME_NOT_FOUND" | "CLOUD_NAMESPACE_NOT_FOUND">> {
  const game = await findGame(db, params.game_id);
  if (!game) return gameNotFound(params.game_id);
  return (await findNamespace(db, game.gameId, params.namespace_id)) ?? namespaceNotFound(params.namespace_id);
}

export function gameNotFound(reference: string) {
  return refuse("CLOUD_GAME_NOT_FOUND", `Unknown game ${quoted(reference)}.`);
}

export function namespaceNotFound(reference: string) {
  return refuse("CLOUD_NAMESPACE_NOT_FOUND", `The game has no namespace ${quoted(reference)}.`);
}

export function versionNotFound(reference: string) {
  return refuse("CLOUD_VERSION_NOT_FOUND", `The game has no version ${quoted(reference)}.`);
}

export function buildNotFound(reference: string) {
  return refuse("CLOUD_BUILD_NOT_FOUND", `The game has no build ${quoted(reference)}.`);
}

export function quotaReached(owner: "game" | "namespace", max: number, what: string, setting: string) {
  const message = `The ${owner} has ${max} ${what}, the maximum. Remove some, or raise ${setting}.`;
  return refuse("CLOUD_QUOTA_REACHED", message);
}

/** What a caller sent, short enough for a message. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
}
