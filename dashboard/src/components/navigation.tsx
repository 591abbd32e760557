import { Link, useRoute } from "wouter";
import { fill, type PageParams, paths, toGame, toNamespace } from "../addresses.ts";
import { useGame, useNamespaces } from "../api.ts";
import { isShown, type PageRoute, routes, scopeOf } from "../routes.tsx";
import { useSession } from "../session/session.tsx";

/** Games, then the namespaces of the game that is open, then the pages of the namespace that is open. */
export function Navigation({ location }: { location: string }) {
  const [, inGame] = useRoute(`${paths.game}/*?`);
  const [, inNamespace] = useRoute(`${paths.namespace}/*?`);
  const game = inGame?.game;
  return (
    <nav aria-label="Pages">
      <Links scope="installation" params={{}} location={location} />
      {game !== undefined && <GameLinks game={game} open={inNamespace?.namespace ?? null} location={location} />}
    </nav>
  );
}

function GameLinks({ game, open, location }: { game: string; open: string | null; location: string }) {
  const { data: known } = useGame(game);
  const { data: namespaces = [] } = useNamespaces(game);
  return (
    <section className="nav-game">
      <h2>
        <Link href={toGame(game)}>{known?.display_name ?? game}</Link>
      </h2>
      <Links scope="game" params={{ game }} location={location} />
      {namespaces.length > 0 && <h3>Namespaces</h3>}
      <ul>
        {namespaces.map(({ namespace_id, name_id, display_name }) => {
          const isOpen = open === name_id || open === namespace_id;
          return (
            <li key={namespace_id} className={isOpen ? "open" : undefined}>
              <Link href={toNamespace(game, name_id)} className="nav-namespace">
                {display_name}
              </Link>
              {isOpen && <Links scope="namespace" params={{ game, namespace: open }} location={location} />}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

interface LinksProperties {
  readonly scope: ReturnType<typeof scopeOf>;
  readonly params: Partial<PageParams>;
  readonly location: string;
}

function Links({ scope, params, location }: LinksProperties) {
  const { who } = useSession();
  const shown = routes.filter((route) => route.title && scopeOf(route) === scope && isShown(route, who));
  return (
    <ul className={`nav-${scope}-links`}>
      {shown.map((route) => (
        <li key={route.path}>
          <NavLink route={route} href={fill(route.path, params)} location={location} />
        </li>
      ))}
    </ul>
  );
}

function NavLink({ route, href, location }: { route: PageRoute; href: string; location: string }) {
  const isHere = location === href;
  // A lobby is below the lobbies, but a namespace is not below its overview.
  const isBelow = !Object.values<string>(paths).includes(route.path) && location.startsWith(`${href}/`);
  return (
    <Link href={href} aria-current={isHere ? "page" : isBelow ? "true" : undefined}>
      {route.title}
    </Link>
  );
}
