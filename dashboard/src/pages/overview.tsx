import type { Activity, OperatorLobby } from "foyer-sdk";
import { useMemo } from "react";
import { Link, useLocation } from "wouter";
import { type PageParams, toGame, toNamespace } from "../addresses.ts";
import { useAsk, useNamespace } from "../api.ts";
import { ChangeButton } from "../components/change-dialog.tsx";
import { CrashLoops } from "../components/crash-loops.tsx";
import { FirstSteps } from "../components/first-steps.tsx";
import { LiveMark } from "../components/live-mark.tsx";
import { Meter, PageHead, Read } from "../components/parts.tsx";
import { type Line, Plot } from "../components/plot.tsx";
import { useLobbies } from "../live/use-lobbies.ts";

const windowS = 1_800;
const stepS = 10;
/** The plots show at least so much time, however short the service has been up. */
const minShownS = 300;

/** What happens in a namespace now and in the last half hour. */
export function Overview({ game, namespace }: PageParams) {
  const found = useNamespace(game, namespace);
  const live = useLobbies(game, namespace);
  return (
    <Read query={found}>
      {({ display_name, name_id, version_id, matchmaker }) => (
        <>
          <PageHead title={display_name} lead={<LiveMark isLive={live.isLive} isLoaded={live.isLoaded} />} />
          {version_id === null ? (
            <FirstSteps game={game} namespace={name_id} />
          ) : (
            <>
              <CrashLoops game={game} namespace={namespace} heldBack={live.heldBack} />
              <Figures game={game} namespace={namespace} lobbies={live.lobbies} />
              <Plots game={game} namespace={namespace} />
              <Limits game={game} namespace={namespace} limits={matchmaker} lobbies={live.lobbies} />
            </>
          )}
          <DeleteNamespace game={game} namespace={name_id} displayName={display_name} lobbies={live.lobbies} />
        </>
      )}
    </Read>
  );
}

function useActivity(game: string, namespace: string) {
  return useAsk(
    ["activity", game, namespace],
    (foyer, options) =>
      foyer.games.namespaces.getActivity(game, namespace, { window_s: windowS, step_s: stepS }, options),
    // The newest step has changed by then.
    { refetchInterval: stepS * 500 },
  );
}

interface LiveProperties {
  readonly game: string;
  readonly namespace: string;
  readonly lobbies: readonly OperatorLobby[];
}

function Figures({ game, namespace, lobbies }: LiveProperties) {
  const { data } = useActivity(game, namespace);
  const players = lobbies.reduce((sum, lobby) => sum + lobby.total_player_count, 0);
  const starting = lobbies.filter(({ status }) => status === "starting").length;
  const lastMinute = (values: readonly (number | null)[]) =>
    values.slice(-60 / stepS - 1, -1).reduce<number>((sum, value) => sum + (value ?? 0), 0);
  const finds = data ? lastMinute(data.series.finds) : null;
  const refused = data
    ? Object.values(data.series.refusals).reduce((sum, values) => sum + lastMinute(values), 0)
    : null;
  return (
    <dl className="figures">
      <Figure name="Players" value={players} note="seats taken now" />
      <Figure name="Lobbies" value={lobbies.length} note={describeLobbies(lobbies.length, starting)}>
        <Link href={toNamespace(game, namespace, "/lobbies")}>Show them</Link>
      </Figure>
      <Figure name="Finds" value={finds} note="answered in the last minute" />
      <Figure name="Refused" value={refused} note="calls in the last minute" />
    </dl>
  );
}

function describeLobbies(count: number, starting: number): string {
  if (count === 0) return "none is running";
  return starting === 0 ? "all ready" : `${starting} starting`;
}

interface FigureProperties {
  readonly name: string;
  readonly value: number | null;
  readonly note: string;
  readonly children?: React.ReactNode;
}

function Figure({ name, value, note, children }: FigureProperties) {
  return (
    <div className="figure">
      <dt>{name}</dt>
      <dd>
        <span className="figure-value number">{value === null ? "–" : value.toLocaleString("en")}</span>
        <span className="hint">{note}</span>
        {children}
      </dd>
    </div>
  );
}

function Plots({ game, namespace }: { game: string; namespace: string }) {
  const activity = useActivity(game, namespace);
  return <Read query={activity}>{(data) => <PlotGrid activity={data} />}</Read>;
}

const colours: readonly Line["colour"][] = ["line-1", "line-2", "line-3", "line-4", "line-5"];
const whole = (value: number) => Math.round(value).toLocaleString("en");
const perSecond = (value: number) => (value === 0 ? "0" : value < 10 ? value.toFixed(1) : whole(value));
const duration = (ms: number) => (ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`);

function PlotGrid({ activity }: { activity: Activity }) {
  const { moments, lines } = useMemo(() => {
    const shown = withoutEmptyStart(activity);
    const start = Date.parse(shown.start_ts) / 1_000;
    return { moments: shown.series.finds.map((_, index) => start + index * stepS), lines: linesOf(shown) };
  }, [activity]);
  const hasWaits = lines.waits.some(({ values }) => values.some((value) => value !== null));
  return (
    <>
      {activity.is_partial && (
        <p className="notice">A node did not answer in time, and its figures are missing here.</p>
      )}
      <div className="plots">
        <PlotCard title="Players and lobbies" moments={moments} format={whole} isWhole lines={lines.now} />
        <PlotCard title="Answered calls a second" moments={moments} format={perSecond} lines={lines.calls} />
        {hasWaits ? (
          <PlotCard title="Wait for a seat" moments={moments} format={duration} lines={lines.waits} />
        ) : (
          <NoPlot title="Wait for a seat">No player had to wait for a lobby to start in the last half hour.</NoPlot>
        )}
        {lines.refusals.length > 0 ? (
          <PlotCard title="Refusals by reason" moments={moments} format={whole} isWhole lines={lines.refusals} />
        ) : (
          <NoPlot title="Refusals by reason">No call was refused in the last half hour.</NoPlot>
        )}
      </div>
    </>
  );
}

function PlotCard(properties: React.ComponentProps<typeof Plot>) {
  return (
    <div className="card">
      <Plot {...properties} />
    </div>
  );
}

function NoPlot({ title, children }: { title: string; children: string }) {
  return (
    <div className="card no-plot">
      <h2>{title}</h2>
      <p className="muted">{children}</p>
    </div>
  );
}

/** A service that has just started has figures for some minutes only; the empty time before is not drawn. */
function withoutEmptyStart(activity: Activity): Activity {
  const { series, start_ts } = activity;
  const first = series.players.findIndex((value) => value !== null);
  const skipped = Math.max(0, Math.min(first === -1 ? 0 : first, series.players.length - minShownS / stepS));
  const cut = <T extends readonly (number | null)[]>(values: T) => values.slice(skipped);
  const { refusals, ...others } = series;
  const entries = (from: object) => Object.entries(from).map(([name, values]) => [name, cut(values)]);
  return {
    ...activity,
    start_ts: new Date(Date.parse(start_ts) + skipped * stepS * 1_000).toISOString(),
    // Cast: the same series with fewer steps.
    series: {
      ...Object.fromEntries(entries(others)),
      refusals: Object.fromEntries(entries(refusals)),
    } as Activity["series"],
  };
}

function linesOf({ series, step_s }: Activity) {
  const rate = (values: readonly (number | null)[]) => values.map((value) => (value === null ? null : value / step_s));
  // The busiest reasons have lines of their own.
  const reasons = Object.entries(series.refusals)
    .map(([code, values]) => ({ code, values, sum: values.reduce<number>((sum, value) => sum + (value ?? 0), 0) }))
    .sort((a, b) => b.sum - a.sum || (a.code < b.code ? -1 : 1))
    .slice(0, colours.length);
  return {
    now: [
      { name: "Players", values: series.players, colour: "line-1" },
      { name: "Lobbies", values: series.lobbies, colour: "line-2" },
    ],
    calls: [
      { name: "Find", values: rate(series.finds), colour: "line-1" },
      { name: "Join", values: rate(series.joins), colour: "line-2" },
      { name: "Create", values: rate(series.creates), colour: "line-3" },
    ],
    waits: [
      { name: "Half waited at most", values: series.ready_wait_p50_ms, colour: "line-1" },
      { name: "95 % at most", values: series.ready_wait_p95_ms, colour: "line-2" },
    ],
    refusals: reasons.map(({ code, values }, index) => ({
      name: inWords(code),
      values,
      colour: colours[index]!,
    })),
  } as const satisfies Record<string, readonly Line[]>;
}

/** MATCHMAKER_LOBBY_FULL is "lobby full". */
function inWords(code: string): string {
  return code
    .replace(/^[A-Z]+_/, "")
    .toLowerCase()
    .replaceAll("_", " ");
}

type LimitsProperties = LiveProperties & {
  readonly limits: {
    readonly lobby_count_max: number;
    readonly max_players: number;
    readonly max_players_per_client: number | null;
  };
};

function Limits({ limits, lobbies }: LimitsProperties) {
  const fullest = lobbies.reduce((most, lobby) => Math.max(most, lobby.total_player_count), 0);
  const perClient = limits.max_players_per_client;
  return (
    <section className="card">
      <h2>Limits</h2>
      <div className="limits">
        <Meter
          label="Lobbies"
          value={lobbies.length}
          max={limits.lobby_count_max}
          note={lobbies.length >= limits.lobby_count_max ? "No new lobby is started until one stops." : null}
        />
        <Meter label="Players in the fullest lobby" value={fullest} max={limits.max_players} />
        <p className="hint">
          {perClient === null
            ? "One client may take any number of seats."
            : `One client may have ${perClient.toLocaleString("en")} seats at the same time.`}
        </p>
      </div>
    </section>
  );
}

type DeleteProperties = LiveProperties & { readonly displayName: string };

function DeleteNamespace({ game, namespace, displayName, lobbies }: DeleteProperties) {
  const [, navigate] = useLocation();
  const isForced = lobbies.length > 0;
  const players = lobbies.reduce((sum, lobby) => sum + lobby.total_player_count, 0);
  return (
    <div className="page-foot">
      <ChangeButton
        label="Delete namespace"
        title={`Delete ${displayName}?`}
        change={(foyer) =>
          foyer.games.namespaces.deleteGameNamespace(game, namespace, isForced ? { force: true } : undefined)
        }
        done={`${displayName} was deleted.`}
        changes={[["namespaces", game]]}
        isDangerous
        onDone={() => navigate(toGame(game))}
      >
        <p>Its domains and tokens are deleted with it. This cannot be undone.</p>
        {isForced && (
          <p>
            <strong>
              {lobbies.length === 1 ? "1 lobby is" : `${lobbies.length} lobbies are`} stopped, and{" "}
              {players === 1 ? "1 taken seat ends" : `${players} taken seats end`}.
            </strong>
          </p>
        )}
      </ChangeButton>
    </div>
  );
}
