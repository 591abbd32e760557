import { useState } from "react";
import { Link, useLocation } from "wouter";
import { toGame } from "../addresses.ts";
import { useGames } from "../api.ts";
import { NamesForm } from "../components/names-form.tsx";
import { Empty, PageHead, Read } from "../components/parts.tsx";
import { Time } from "../components/time.tsx";
import { useSession } from "../session/session.tsx";

/** All games; an admin can create one. */
export function Games() {
  const { who } = useSession();
  const games = useGames();
  const [, navigate] = useLocation();
  const [isCreating, setIsCreating] = useState(false);
  const mayCreate = who.may.create_games;
  const isEmpty = games.data?.length === 0;
  return (
    <>
      <PageHead
        title="Games"
        lead="A game has versions, and namespaces such as prod and staging in which its lobbies run."
        actions={
          mayCreate &&
          !isCreating &&
          !isEmpty && (
            <button type="button" className="primary" onClick={() => setIsCreating(true)}>
              New game
            </button>
          )
        }
      />
      {mayCreate && (isCreating || isEmpty) && (
        <NamesForm
          thing="game"
          examples={{ display_name: "My Game", name_id: "my-game" }}
          validate={(foyer, names, options) => foyer.games.validateGame(names, options)}
          create={(foyer, names) => foyer.games.createGame(names)}
          changes={["games"]}
          onCreated={({ name_id }) => navigate(toGame(name_id))}
          {...(!isEmpty && { onCancel: () => setIsCreating(false) })}
        />
      )}
      <Read query={games}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="There are no games yet">
              <p>{mayCreate ? "Create the first one above." : "An admin can create one."}</p>
            </Empty>
          ) : (
            <ul className="cards">
              {list.map(({ game_id, name_id, display_name, create_ts }) => (
                <li key={game_id}>
                  <Link href={toGame(name_id)} className="card-link">
                    <span className="title">{display_name}</span>
                    <span className="facts">
                      <code>{name_id}</code>
                      <span>
                        created <Time at={create_ts} />
                      </span>
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Read>
    </>
  );
}
