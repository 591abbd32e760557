import type { WhoamiAnswer } from "foyer-sdk";
import type { ComponentType } from "react";
import { type PageParams, paths } from "./addresses.ts";
import { GamePage } from "./pages/game.tsx";
import { Games } from "./pages/games.tsx";
import { Lobbies } from "./pages/lobbies.tsx";
import { LobbyPage } from "./pages/lobby.tsx";
import { Overview } from "./pages/overview.tsx";

export interface PageRoute {
  readonly path: string;
  readonly page: ComponentType<PageParams>;
  /** Its name in the navigation. Absent: it is reached by links only. */
  readonly title?: string;
  /** A cloud token may not use it, and does not see it. */
  readonly isAdminOnly?: true;
}

const { root, game, namespace } = paths;

/** Every page, one line each. The navigation lists those with a title, in this order, below what they belong to. */
export const routes: readonly PageRoute[] = [
  { path: root, title: "Games", page: Games },
  { path: game, title: "Namespaces", page: GamePage },
  { path: namespace, title: "Overview", page: Overview },
  { path: `${namespace}/lobbies`, title: "Lobbies", page: Lobbies },
  { path: `${namespace}/lobbies/:lobby`, page: LobbyPage },
];

export function isShown({ isAdminOnly }: PageRoute, who: WhoamiAnswer): boolean {
  return !isAdminOnly || who.kind !== "cloud";
}

type Scope = "installation" | "game" | "namespace";

/** What a page belongs to. */
export function scopeOf({ path }: PageRoute): Scope {
  if (path.startsWith(namespace)) return "namespace";
  return path.startsWith(game) ? "game" : "installation";
}
