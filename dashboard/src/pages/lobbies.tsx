import type { OperatorLobby } from "foyer-sdk";
import { useDeferredValue, useMemo } from "react";
import { useSearchParams } from "wouter";
import type { PageParams } from "../addresses.ts";
import { everything, useAsk } from "../api.ts";
import { ErrorBox } from "../components/error-box.tsx";
import { Field } from "../components/field.tsx";
import { LiveMark } from "../components/live-mark.tsx";
import { LobbyRows } from "../components/lobby-rows.tsx";
import { Empty, PageHead } from "../components/parts.tsx";
import { chooseLobbies, type LobbyFilter, orders, states } from "../live/filter-lobbies.ts";
import { useLobbies } from "../live/use-lobbies.ts";

const noFilter: LobbyFilter = { text: "", mode: "", region: "", state: "", order: "newest", key: "" };
const filterNames = Object.keys(noFilter) as (keyof LobbyFilter)[];

/** All living lobbies of the namespace, as they change. The filter is in the address, so that it can be sent to others. */
export function Lobbies({ game, namespace }: PageParams) {
  const live = useLobbies(game, namespace);
  const [search, setSearch] = useSearchParams();
  const filter = readFilter(search);
  const wanted = useDeferredValue(filter, noFilter);
  const withKey = useLobbiesOfKey(game, namespace, filter.key);
  const { lobbies } = live;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address says the whole filter; `wanted` is new each time.
  const shown = useMemo(() => chooseLobbies(lobbies, wanted, withKey), [lobbies, JSON.stringify(wanted), withKey]);
  const setFilter = (change: Partial<LobbyFilter>) =>
    setSearch(writeFilter({ ...readFilter(search), ...change }), { replace: true });
  return (
    <>
      <PageHead title="Lobbies" lead={<LiveMark isLive={live.isLive} isLoaded={live.isLoaded} />} />
      {live.error !== null && <ErrorBox error={live.error} />}
      <Filters lobbies={lobbies} filter={filter} setFilter={setFilter} />
      {live.isLoaded && (
        <p className="count" role="status">
          {describeCount(shown.length, lobbies.length)}
        </p>
      )}
      {live.isLoaded && lobbies.length === 0 ? (
        <Empty title="No lobby is running">
          <p>Foyer starts one when a player asks for a seat, and ahead of need where a game mode keeps idle lobbies.</p>
        </Empty>
      ) : (
        <LobbyRows game={game} namespace={namespace} lobbies={shown} />
      )}
    </>
  );
}

function describeCount(shown: number, all: number): string {
  const total = `${all.toLocaleString("en")} ${all === 1 ? "lobby" : "lobbies"}`;
  return shown === all ? total : `${shown.toLocaleString("en")} of ${total}`;
}

function readFilter(search: URLSearchParams): LobbyFilter {
  const given = filterNames.map((name) => [name, search.get(name) ?? noFilter[name]]);
  // Cast: the names are those of the filter, and a value that no option has selects nothing.
  return Object.fromEntries(given) as unknown as LobbyFilter;
}

function writeFilter(filter: LobbyFilter): URLSearchParams {
  const given = filterNames.filter((name) => filter[name] !== noFilter[name]);
  return new URLSearchParams(given.map((name): [string, string] => [name, filter[name]]));
}

/** The lobbies where a player with this key has a seat. Null: no key is given. */
function useLobbiesOfKey(game: string, namespace: string, key: string): ReadonlySet<string> | null {
  const { data } = useAsk(
    ["lobbies-of-key", game, namespace, key],
    (foyer, options) =>
      everything(foyer.games.namespaces.lobbies.list(game, namespace, { player_key: key, limit: 500 }, options)),
    { enabled: key !== "" },
  );
  return useMemo(() => (key === "" ? null : new Set((data ?? []).map(({ lobby_id }) => lobby_id))), [key, data]);
}

interface FiltersProperties {
  readonly lobbies: readonly OperatorLobby[];
  readonly filter: LobbyFilter;
  readonly setFilter: (change: Partial<LobbyFilter>) => void;
}

function Filters({ lobbies, filter, setFilter }: FiltersProperties) {
  const modes = useNamesOf(lobbies, "game_mode_id", filter.mode);
  const regions = useNamesOf(lobbies, "region_id", filter.region);
  return (
    <search className="filters">
      <Field label="Search">
        {(properties) => (
          <input
            {...properties}
            type="search"
            placeholder="Id, code or tag"
            value={filter.text}
            onChange={(event) => setFilter({ text: event.target.value })}
          />
        )}
      </Field>
      <Choice label="Game mode" value={filter.mode} options={modes} onChange={(mode) => setFilter({ mode })} />
      <Choice label="Region" value={filter.region} options={regions} onChange={(region) => setFilter({ region })} />
      <Choice label="State" value={filter.state} options={states} onChange={(state) => setFilter({ state })} />
      <Choice label="Order" value={filter.order} options={orders} onChange={(order) => setFilter({ order })} />
      <Field label="Player key">
        {(properties) => (
          <input
            {...properties}
            placeholder="Whole key"
            value={filter.key}
            onChange={(event) => setFilter({ key: event.target.value })}
          />
        )}
      </Field>
    </search>
  );
}

type Options = readonly (readonly [value: string, shown: string])[];

function useNamesOf(lobbies: readonly OperatorLobby[], field: "game_mode_id" | "region_id", chosen: string): Options {
  const names = [...new Set([...lobbies.map((lobby) => lobby[field]), ...(chosen === "" ? [] : [chosen])])].sort();
  return [["", "All"], ...names.map((name) => [name, name] as const)];
}

interface ChoiceProperties {
  readonly label: string;
  readonly value: string;
  readonly options: Options;
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProperties) {
  return (
    <Field label={label}>
      {(properties) => (
        <select {...properties} value={value} onChange={(event) => onChange(event.target.value)}>
          {options.map(([name, shown]) => (
            <option key={name} value={name}>
              {shown}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
