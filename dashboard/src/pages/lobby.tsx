import { useQueryClient } from "@tanstack/react-query";
import { isFoyerError, type OperatorLobbyDetails } from "foyer-sdk";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { type PageParams, toNamespace } from "../addresses.ts";
import { useAsk } from "../api.ts";
import { ChangeButton } from "../components/change-dialog.tsx";
import { shortId } from "../components/lobby-rows.tsx";
import { describeStop, LobbyState } from "../components/lobby-state.tsx";
import { LogView } from "../components/log-view.tsx";
import { Copy, Empty, Meter, PageHead, Read } from "../components/parts.tsx";
import { Seats } from "../components/seats.tsx";
import { Time } from "../components/time.tsx";
import { Timeline } from "../components/timeline.tsx";
import { followEvents } from "../live/follow-events.ts";
import { useSession } from "../session/session.tsx";

/** One lobby: who sits in it, what happened, what its process writes, and what an operator can do. */
export function LobbyPage({ game, namespace, lobby }: PageParams) {
  const key = ["lobby", game, namespace, lobby];
  const found = useAsk(
    key,
    async (foyer, options) => (await foyer.games.namespaces.lobbies.get(game, namespace, lobby, options)).lobby,
  );
  useReadAgain(game, namespace, lobby);
  if (isFoyerError(found.error) && found.error.status === 404) {
    return (
      <>
        <PageHead title={`Lobby ${shortId(lobby)}`} />
        <Empty title="This lobby is not known any longer">
          <p>Foyer remembers a stopped lobby for ten minutes. It may also belong to another namespace.</p>
          <p>
            <Link href={toNamespace(game, namespace, "/lobbies")}>All lobbies</Link>
          </p>
        </Empty>
      </>
    );
  }
  return (
    <Read query={found}>
      {(details) => <Details game={game} namespace={namespace} lobby={details} changes={[key]} />}
    </Read>
  );
}

interface DetailsProperties {
  readonly game: string;
  readonly namespace: string;
  readonly lobby: OperatorLobbyDetails;
  readonly changes: readonly (readonly unknown[])[];
}

function Details(properties: DetailsProperties) {
  const { game, namespace, lobby } = properties;
  const isAlive = lobby.status !== "stopped";
  return (
    <>
      <PageHead
        crumb={<Link href={toNamespace(game, namespace, "/lobbies")}>All lobbies</Link>}
        title={`${lobby.game_mode_id} ${shortId(lobby.lobby_id)}`}
        lead={<LobbyState lobby={lobby} />}
        actions={isAlive && <Actions {...properties} />}
      />
      <ClosedNotice lobby={lobby} />
      {!isAlive && (
        <p className="notice">
          This lobby stopped: {lobby.exit_message ?? describeStop(lobby.stop_reason)}
          {lobby.stop_ts && (
            <>
              {" ("}
              <Time at={lobby.stop_ts} />)
            </>
          )}
        </p>
      )}
      <div className="lobby-columns">
        <section className="card">
          <h2>Seats</h2>
          <Meter
            label="Taken"
            value={lobby.total_player_count}
            max={lobby.max_players_normal}
            note={`${lobby.connected_count} connected, ${lobby.reserved_count} reserved, ${lobby.held_count} held. A join by id or code may fill it up to ${lobby.max_players_direct}.`}
          />
          <Seats players={lobby.players} />
        </section>
        <Facts lobby={lobby} />
      </div>
      <LogView game={game} namespace={namespace} lobby={lobby} />
      <section className="card">
        <h2>Timeline</h2>
        <Timeline entries={lobby.timeline} />
      </section>
    </>
  );
}

function ClosedNotice({ lobby }: { lobby: OperatorLobbyDetails }) {
  if (lobby.status === "stopped" || !lobby.is_closed) return null;
  const by = { lobby: "The lobby itself", operator: "An operator", token_revoked: "Revoking its server token" };
  return (
    <p className="notice">
      {lobby.closed_by.map((who) => by[who]).join(" and ")} closed this lobby: find sends no players here. Those who are
      in it stay, and players with its id or code can still join.
    </p>
  );
}

function Actions({ game, namespace, lobby, changes }: DetailsProperties) {
  const id = lobby.lobby_id;
  const isClosedByOperator = lobby.closed_by.some((who) => who !== "lobby");
  const count = lobby.total_player_count;
  return (
    <>
      {isClosedByOperator ? (
        <ChangeButton
          label="Open lobby"
          title="Open this lobby?"
          change={(foyer) => foyer.games.namespaces.lobbies.setClosed(game, namespace, id, { is_closed: false })}
          done="Find may send players to the lobby again."
          changes={changes}
        >
          <p>
            {lobby.closed_by.includes("lobby")
              ? "It removes the operator's flag. The lobby has closed itself too, so find still avoids it until the lobby opens itself."
              : "From the next find on, players may be sent here again."}
          </p>
        </ChangeButton>
      ) : (
        <ChangeButton
          label="Close lobby"
          title="Close this lobby?"
          change={(foyer) => foyer.games.namespaces.lobbies.setClosed(game, namespace, id, { is_closed: true })}
          done="The lobby is closed: find avoids it."
          changes={changes}
        >
          <p>Find sends no more players here. The lobby runs on, and its {count} taken seats stay.</p>
          <p>Players who have its id or code can still join. You can open it again at any time.</p>
        </ChangeButton>
      )}
      <ChangeButton
        label="Stop lobby"
        title="Stop this lobby?"
        change={(foyer) => foyer.games.namespaces.lobbies.stop(game, namespace, id)}
        done="The lobby was stopped."
        changes={changes}
        isDangerous
      >
        <p>
          {count === 0
            ? "No seat is taken, so no player is affected."
            : `${describeSeats(count)} and cannot be returned to.`}
          {lobby.runtime !== "external"
            ? " Foyer ends its process."
            : " Your server keeps running; Foyer forgets the lobby."}
        </p>
      </ChangeButton>
    </>
  );
}

const describeSeats = (count: number) => (count === 1 ? "1 taken seat ends" : `${count} taken seats end`);

function Facts({ lobby }: { lobby: OperatorLobbyDetails }) {
  const tags = Object.entries(lobby.tags);
  return (
    <section className="card">
      <h2>About this lobby</h2>
      <dl className="facts-list">
        <Fact name="Id">
          <code>{lobby.lobby_id}</code> <Copy text={lobby.lobby_id} said="The lobby's id is copied." />
        </Fact>
        {lobby.code !== null && (
          <Fact name="Join code">
            <code className="join-code">{lobby.code}</code> <Copy text={lobby.code} said="The join code is copied." />
          </Fact>
        )}
        <Fact name="Region">{lobby.region_id}</Fact>
        <Fact name="Created">
          <Time at={lobby.create_ts} />
        </Fact>
        <Fact name="Ready">{lobby.ready_ts === null ? "not yet" : <Time at={lobby.ready_ts} />}</Fact>
        <Fact name="Heartbeat">{lobby.heartbeat_ts === null ? "none needed" : <Time at={lobby.heartbeat_ts} />}</Fact>
        <Fact name="Run by">{lobby.runtime !== "external" ? (lobby.node_id ?? "this Foyer") : "your own server"}</Fact>
        <Fact name="Version">
          <code>{lobby.version_id}</code>
        </Fact>
        <Fact name="Tags">
          {tags.length === 0
            ? "none"
            : tags.map(([name, value]) => (
                <code key={name} className="tag">
                  {name}={value}
                </code>
              ))}
        </Fact>
        {Object.entries(lobby.ports).map(([label, port]) => (
          <Fact key={label} name={`Port ${label}`}>
            <code>{port.url ?? port.host ?? port.hostname}</code>
          </Fact>
        ))}
        <Fact name="State">
          {lobby.state === null ? "none" : <pre className="shell">{JSON.stringify(lobby.state, null, 2)}</pre>}
        </Fact>
      </dl>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const quietMs = 150;

/** Reads the lobby again when an event of it arrives, and after a break. */
function useReadAgain(game: string, namespace: string, lobby: string): void {
  const { withFetch, noteRefusal } = useSession();
  const cache = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readSoon = () => {
      clearTimeout(timer);
      timer = setTimeout(() => void cache.invalidateQueries({ queryKey: ["lobby", game, namespace, lobby] }), quietMs);
    };
    const follower = {
      onOpen: readSoon,
      onEvent({ data }: Parameters<Parameters<typeof followEvents>[2]["onEvent"]>[0]) {
        const id = "lobby" in data ? data.lobby.lobby_id : "lobby_id" in data ? data.lobby_id : lobby;
        if (id === lobby) readSoon();
      },
      onBreak: () => {},
    };
    followEvents(withFetch, [game, namespace], follower, ending.signal).catch((reason) => {
      noteRefusal(reason);
      setError(reason);
    });
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [withFetch, noteRefusal, cache, game, namespace, lobby]);
  if (error && !isFoyerError(error)) throw error;
}
