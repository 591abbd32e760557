import type { WhoamiAnswer } from "foyer-sdk";
import type { ComponentType } from "react";
import { type PageParams, paths } from "./addresses.ts";
import { CloudTokens } from "./pages/cloud-tokens.tsx";
import { Decisions } from "./pages/decisions.tsx";
import { Domains } from "./pages/domains.tsx";
import { Find } from "./pages/find.tsx";
import { GamePage } from "./pages/game.tsx";
import { Games } from "./pages/games.tsx";
import { Limits } from "./pages/limits.tsx";
import { Lobbies } from "./pages/lobbies.tsx";
import { LobbyPage } from "./pages/lobby.tsx";
import { NewVersion } from "./pages/new-version.tsx";
import { Nodes } from "./pages/nodes.tsx";
import { Overview } from "./pages/overview.tsx";
import { Tokens } from "./pages/tokens.tsx";
import { VersionPage } from "./pages/version.tsx";
import { Versions } from "./pages/versions.tsx";

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
  { path: `${root}/nodes`, title: "Nodes", page: Nodes, isAdminOnly: true },
  { path: game, title: "Namespaces", page: GamePage },
  { path: `${game}/tokens`, title: "Cloud tokens", page: CloudTokens, isAdminOnly: true },
  { path: namespace, title: "Overview", page: Overview },
  { path: `${namespace}/lobbies`, title: "Lobbies", page: Lobbies },
  { path: `${namespace}/lobbies/:lobby`, page: LobbyPage },
  { path: `${namespace}/find`, title: "Find", page: Find },
  { path: `${namespace}/decisions`, title: "Decisions", page: Decisions },
  { path: `${namespace}/versions`, title: "Versions", page: Versions },
  { path: `${namespace}/versions/new`, page: NewVersion },
  { path: `${namespace}/versions/:version`, page: VersionPage },
  { path: `${namespace}/limits`, title: "Limits", page: Limits },
  { path: `${namespace}/domains`, title: "Domains", page: Domains },
  { path: `${namespace}/tokens`, title: "Tokens", page: Tokens },
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
