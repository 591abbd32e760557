import { table } from "../remote/show.ts";
import { bold, type Terminal } from "../terminal.ts";
import { countAll, type Figures, type TimesSummary } from "./figures.ts";
import type { LoadOptions } from "./options.ts";
import { type CheckResult, checkNames } from "./seat-checks.ts";

/** What `foyer load --json` prints. */
export interface LoadResult {
  readonly endpoint: string;
  readonly game: string;
  readonly namespace: string;
  readonly is_live: boolean;
  readonly game_modes: readonly string[];
  /** Ctrl-C ended it before its time. */
  readonly was_interrupted: boolean;
  readonly duration_ms: number;
  readonly players: Readonly<Record<"arrived" | "seated" | "gave_up" | "played", number>>;
  readonly find_ms: TimesSummary;
  readonly connect_ms: TimesSummary;
  readonly seat_wait_ms: TimesSummary;
  readonly leave_ms: TimesSummary;
  readonly refusals: readonly { readonly step: string; readonly code: string; readonly count: number }[];
  readonly checks: readonly CheckResult[];
}

export function describeRun(
  figures: Figures,
): Pick<LoadResult, "players" | "find_ms" | "connect_ms" | "seat_wait_ms" | "leave_ms" | "refusals"> {
  const { arrived, seated, gaveUp, played } = figures;
  return {
    players: { arrived, seated, gave_up: gaveUp, played },
    find_ms: figures.find.summary(),
    connect_ms: figures.connect.summary(),
    seat_wait_ms: figures.seatWait.summary(),
    leave_ms: figures.leave.summary(),
    refusals: [...figures.refusals].flatMap(([step, codes]) =>
      [...codes].map(([code, count]) => ({ step, code, count })),
    ),
  };
}

/** One line, for a terminal. */
export function progressLine(figures: Figures, passedMs: number, { durationMs }: LoadOptions): string {
  const seconds = (ms: number) => `${Math.round(ms / 1_000)} s`;
  const time = passedMs < durationMs ? `${seconds(passedMs)} of ${seconds(durationMs)}` : "players leave";
  const { p50, p99 } = figures.find.summary();
  const finds = p50 === null ? "" : `, find p50 ${show(p50)}, p99 ${show(p99)}`;
  return `${time}: ${figures.present} players, ${figures.seated} seated, ${countAll(figures)} refusals${finds}`;
}

const times = [
  ["find", "find_ms"],
  ["connect", "connect_ms"],
  ["wait for a seat", "seat_wait_ms"],
  ["leave", "leave_ms"],
] as const;

export function report(page: Pick<Terminal, "colours">, result: LoadResult): string {
  const { players, refusals, checks } = result;
  const arrived = `${players.arrived} players in ${(result.duration_ms / 1_000).toFixed(1)} s`;
  const rows = times.map(([step, key]) => ({ step, ...result[key] }));
  const blocks = [
    `${bold(page, `${arrived}: ${players.seated} got seats and ${players.gave_up} gave up.`)}\n`,
    table(
      page,
      rows,
      [
        ["STEP", ({ step }) => step],
        ["COUNT", ({ count }) => count],
        ["P50", ({ p50 }) => show(p50)],
        ["P90", ({ p90 }) => show(p90)],
        ["P99", ({ p99 }) => show(p99)],
        ["MAX", ({ max }) => show(max)],
      ],
      "",
    ),
    refusals.length === 0
      ? "No call was refused.\n"
      : table(
          page,
          refusals,
          [
            ["REFUSED", ({ step }) => step],
            ["CODE", ({ code }) => code],
            ["TIMES", ({ count }) => count],
          ],
          "",
        ) + hints(refusals),
    checks.map((check) => `${mark(page, check.ok)} ${checkNames[check.name]}\n${listViolations(check)}`).join(""),
  ];
  return blocks.join("\n");
}

const show = (ms: number | null) => (ms === null ? "-" : `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`);

function mark({ colours }: Pick<Terminal, "colours">, ok: boolean): string {
  const text = ok ? "ok    " : "failed";
  return colours ? `\u001b[${ok ? 32 : 31}m${text}\u001b[0m` : text;
}

function listViolations({ violations, violation_count }: CheckResult): string {
  const more = violation_count - violations.length;
  const lines = violations.map((text) => `         ${text}\n`);
  return [...lines, ...(more > 0 ? [`         and ${more} more.\n`] : [])].join("");
}

/** What a refusal that is likely means here. */
function hints(refusals: LoadResult["refusals"]): string {
  const has = (code: string) => refusals.some((refusal) => refusal.code === code);
  return [
    ...(has("API_RATE_LIMIT")
      ? ["All players come from one address; rate_find and rate_seats of the service limit one address.\n"]
      : []),
    ...(has("MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE")
      ? ["All players come from one address; max_players_per_client of the namespace limits one address.\n"]
      : []),
    ...(has("LOBBY_DID_NOT_REPORT_PLAYER") || has("LOBBY_CLOSED_4002") || has("LOBBY_CLOSED_4003")
      ? ["If your server expects another first message than the token alone, give it with --hello.\n"]
      : []),
  ].join("");
}
