import type { Namespace } from "foyer-sdk";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { type PageParams, paths, toNamespace } from "../addresses.ts";
import { useGame, useNamespaces } from "../api.ts";
import { ChangeButton } from "../components/change-dialog.tsx";
import { NamesForm } from "../components/names-form.tsx";
import { Badge, Empty, PageHead, Read } from "../components/parts.tsx";
import { useSession } from "../session/session.tsx";

/** The namespaces of a game, and creating one. */
export function GamePage({ game }: PageParams) {
  const found = useGame(game);
  const namespaces = useNamespaces(game);
  const [, navigate] = useLocation();
  const [isCreating, setIsCreating] = useState(false);
  const isEmpty = namespaces.data?.length === 0;
  return (
    <Read query={found}>
      {({ display_name, name_id }) => (
        <>
          <PageHead
            title={display_name}
            lead="Each namespace has its own lobbies, limits, domains and tokens, and one deployed version."
            actions={
              !isCreating &&
              !isEmpty && (
                <button type="button" className="primary" onClick={() => setIsCreating(true)}>
                  New namespace
                </button>
              )
            }
          />
          {(isCreating || isEmpty) && (
            <NamesForm
              thing="namespace"
              examples={{ display_name: "Production", name_id: "prod" }}
              validate={(foyer, names, options) => foyer.games.namespaces.validateGameNamespace(game, names, options)}
              create={(foyer, names) => foyer.games.namespaces.createGameNamespace(game, names)}
              changes={["namespaces", game]}
              onCreated={(names) => navigate(toNamespace(name_id, names.name_id))}
              {...(!isEmpty && { onCancel: () => setIsCreating(false) })}
            />
          )}
          <Read query={namespaces}>{(list) => <NamespaceCards game={name_id} list={list} />}</Read>
          <DeleteGame game={name_id} displayName={display_name} />
        </>
      )}
    </Read>
  );
}

function NamespaceCards({ game, list }: { game: string; list: readonly Namespace[] }) {
  if (list.length === 0) {
    return (
      <Empty title="This game has no namespaces yet">
        <p>Create one above. Most games begin with one for players, such as prod.</p>
      </Empty>
    );
  }
  return (
    <ul className="cards">
      {list.map(({ namespace_id, name_id, display_name, version_id, matchmaker }) => (
        <li key={namespace_id}>
          <Link href={toNamespace(game, name_id)} className="card-link">
            <span className="title">{display_name}</span>
            <span className="facts">
              <code>{name_id}</code>
              {version_id === null ? (
                <Badge tone="warn">no version deployed</Badge>
              ) : (
                <Badge tone="good">deployed</Badge>
              )}
              <span>up to {matchmaker.lobby_count_max.toLocaleString("en")} lobbies</span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function DeleteGame({ game, displayName }: { game: string; displayName: string }) {
  const { who } = useSession();
  const [, navigate] = useLocation();
  if (who.kind === "cloud") return null;
  return (
    <div className="page-foot">
      <ChangeButton
        label="Delete game"
        title={`Delete ${displayName}?`}
        change={(foyer) => foyer.games.deleteGame(game)}
        done={`${displayName} was deleted.`}
        changes={[["games"]]}
        isDangerous
        onDone={() => navigate(paths.root)}
      >
        <p>Its namespaces, versions, domains and tokens are deleted with it. This cannot be undone.</p>
        <p>Foyer refuses this while lobbies of the game are running.</p>
      </ChangeButton>
    </div>
  );
}
