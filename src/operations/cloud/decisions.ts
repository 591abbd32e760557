import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import type { Decision, DecisionFilter } from "../insight/decisions.ts";
import { isRefusal } from "../refusal.ts";
import { lookUpNamespace } from "./lookup.ts";
import { cutPage, isUuid, parsePageByText, toTimestamp } from "./pagination.ts";

/** Why calls were refused, as long as a node remembers it. */
export function decisionOperations(context: Context) {
  return {
    "games.namespaces.listDecisions": async ({ params, query }) => {
      const page = parsePageByText(query, (text) => parsePosition(text) !== null);
      if (isRefusal(page)) return page;
      const namespace = await lookUpNamespace(context.db, params);
      if (isRefusal(namespace)) return namespace;

      const { namespaceId } = namespace;
      const filter: DecisionFilter = { outcome: query.outcome ?? null, gameMode: query.game_mode ?? null };
      const { answers, isPartial } = await context.askNodes("decisions", [namespaceId, filter]);
      // Other nodes answer with the result of `answerForInsight`.
      const others = (answers as (Decision[] | null)[]).flatMap((decisions) => decisions ?? []);
      const all = [...context.decisions.list(namespaceId, filter), ...others].sort(compareNewest);
      const after = page.after === null ? null : parsePosition(page.after);
      const rest = after === null ? all : all.filter((decision) => compareNewest(decision, after) > 0);
      const { rows, more } = cutPage(rest.slice(0, page.limit), page, writePosition);
      return { decisions: rows.map(toReply), is_partial: isPartial, ...more };
    },
  } satisfies Partial<Handlers>;
}

type Position = Pick<Decision, "at" | "decisionId">;

/** The clocks of nodes may differ a little, so ids alone do not give the order. */
function compareNewest(a: Position, b: Position): number {
  return b.at - a.at || (a.decisionId < b.decisionId ? 1 : a.decisionId > b.decisionId ? -1 : 0);
}

function writePosition({ at, decisionId }: Position): string {
  return `${at}/${decisionId}`;
}

function parsePosition(text: string): Position | null {
  const [at = "", decisionId = "", ...more] = text.split("/");
  const isPosition = /^\d{1,15}$/.test(at) && isUuid(decisionId) && more.length === 0;
  return isPosition ? { at: Number(at), decisionId } : null;
}

function toReply({ decisionId, at, operation, asked, outcome, count, lobbyId, waitedMs, explain }: Decision) {
  return {
    decision_id: decisionId,
    at: toTimestamp(at),
    operation,
    asked,
    outcome,
    count,
    ...(lobbyId !== null && { lobby_id: lobbyId }),
    waited_ms: Math.round(waitedMs),
    // `explain` of find created it, with the same shape.
    ...(explain !== null && { explain: explain as ExplainReply }),
  };
}

type ExplainReply = NonNullable<
  Extract<
    Awaited<ReturnType<Handlers["games.namespaces.listDecisions"]>>,
    { decisions: unknown }
  >["decisions"][number]["explain"]
>;
