import { keepPreviousData } from "@tanstack/react-query";
import type { MatchmakerConfig, Namespace, OperatorLobby } from "foyer-sdk";
import { useDeferredValue, useState } from "react";
import type { PageParams } from "../addresses.ts";
import { everything, useAsk, useNamespace } from "../api.ts";
import { ChangeButton } from "../components/change-dialog.tsx";
import { Field } from "../components/field.tsx";
import { describeLimits } from "../components/limit-changes.ts";
import { PageHead, Read } from "../components/parts.tsx";

/** The matchmaker configuration of a namespace, and what a change means for what runs now. */
export function Limits({ game, namespace }: PageParams) {
  const found = useNamespace(game, namespace);
  return (
    <>
      <PageHead
        title="Limits"
        lead="They hold for every find, join and create that begins after the change. Lowering one stops no lobby and takes no seat away."
      />
      <Read query={found}>
        {({ matchmaker }) => (
          <LimitsForm key={JSON.stringify(matchmaker)} game={game} namespace={namespace} limits={matchmaker} />
        )}
      </Read>
    </>
  );
}

type Names = Pick<PageParams, "game" | "namespace">;
type Limit = keyof Namespace["matchmaker"];
type Typed = Readonly<Record<Limit, string>>;

const fields: readonly { name: Limit; label: string; hint: string }[] = [
  { name: "lobby_count_max", label: "Lobbies", hint: "The most lobbies at the same time. 0: no new lobby." },
  {
    name: "max_players",
    label: "Players in one lobby",
    hint: "A game mode may allow fewer. 0: no player gets a seat.",
  },
  {
    name: "max_players_per_client",
    label: "Seats of one client",
    hint: "A client is a network address. Empty: no limit; for a public game 64 is a good start.",
  },
];

function LimitsForm({ game, namespace, limits }: Names & { limits: Namespace["matchmaker"] }) {
  const [typed, setTyped] = useState<Typed>({
    lobby_count_max: String(limits.lobby_count_max),
    max_players: String(limits.max_players),
    max_players_per_client: String(limits.max_players_per_client ?? ""),
  });
  const proposed = readLimits(typed);
  const issues = useIssues({ game, namespace }, proposed);
  const lobbies = useAsk(["lobbies-for-limits", game, namespace], (foyer, options) =>
    everything<OperatorLobby>(foyer.games.namespaces.lobbies.list(game, namespace, { limit: 500 }, options)),
  );
  const isChanged = fields.some(({ name }) => proposed[name] !== limits[name]);
  const consequences = describeLimits(limits, proposed, lobbies.data ?? []);
  const isAllowed = isChanged && issues.areNone && lobbies.data !== undefined;
  return (
    <div className="card form new-form">
      {fields.map(({ name, label, hint }) => (
        <Field key={name} label={label} hint={hint} issues={issues.of(name)}>
          {(properties) => (
            <input
              {...properties}
              inputMode="numeric"
              autoComplete="off"
              value={typed[name]}
              onChange={(event) => setTyped({ ...typed, [name]: event.target.value.trim() })}
            />
          )}
        </Field>
      ))}
      {isChanged && issues.areNone && <Consequences list={consequences} />}
      <div className="form-actions">
        <ChangeButton
          label="Save limits"
          title="Save these limits?"
          change={(foyer) => foyer.games.namespaces.updateGameNamespaceMatchmakerConfig(game, namespace, proposed)}
          done="The limits are saved."
          changes={[
            ["namespace", game, namespace],
            ["namespaces", game],
          ]}
          isDisabled={!isAllowed}
        >
          <Consequences list={consequences} />
        </ChangeButton>
      </div>
    </div>
  );
}

function Consequences({ list }: { list: readonly string[] }) {
  return (
    <div className="notice">
      <p>What this means for what runs now:</p>
      <ul className="plain-list">
        {list.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  );
}

/** What is not a number stays one that Foyer refuses, with the reason. */
function readLimits(typed: Typed): Required<MatchmakerConfig> {
  const read = (text: string) => (text === "" ? -1 : Number.isNaN(Number(text)) ? -1 : Number(text));
  const { max_players_per_client: perClient } = typed;
  return {
    lobby_count_max: read(typed.lobby_count_max),
    max_players: read(typed.max_players),
    max_players_per_client: perClient === "" ? null : read(perClient),
  };
}

function useIssues({ game, namespace }: Names, proposed: MatchmakerConfig) {
  const asked = useDeferredValue(JSON.stringify(proposed));
  const { data } = useAsk(
    ["validate-limits", game, namespace, asked],
    (foyer, options) =>
      foyer.games.namespaces.validateGameNamespaceMatchmakerConfig(game, namespace, JSON.parse(asked), options),
    { placeholderData: keepPreviousData },
  );
  const errors = data?.errors ?? [];
  return {
    areNone: errors.length === 0,
    of: (field: string) => errors.filter(({ path }) => path[0] === field).map(({ message }) => message),
  };
}
