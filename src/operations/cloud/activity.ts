import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { type ActivityWindow, activityStepMs, type NodeActivity } from "../insight/activity.ts";
import { mergeActivity } from "../insight/merge-activity.ts";
import { isRefusal, refuse } from "../refusal.ts";
import { lookUpNamespace } from "./lookup.ts";
import { toTimestamp } from "./pagination.ts";

const windowDefaultS = 3600;
const stepsMax = 720;
/** As many as a chart can show, where the caller does not say. */
const stepsDefault = 360;
const unitS = activityStepMs / 1000;

/** What happened in a namespace, in figures. */
export function activityOperations(context: Context) {
  return {
    "games.namespaces.getActivity": async ({ params, query }) => {
      const windowS = query.window_s ?? windowDefaultS;
      const stepS = query.step_s ?? Math.ceil(windowS / stepsDefault / unitS) * unitS;
      const steps = Math.ceil(windowS / stepS);
      if (stepS % unitS !== 0) return badStep(`must be a multiple of ${unitS}`);
      if (steps > stepsMax) {
        const message = `makes ${steps} steps of ${windowS} s, and at most ${stepsMax} are given: ask for longer steps or less time`;
        return badStep(message);
      }
      const namespace = await lookUpNamespace(context.db, params);
      if (isRefusal(namespace)) return namespace;

      const { namespaceId } = namespace;
      const window = windowUntil(context.now(), stepS * 1000, steps);
      const { answers, isPartial } = await context.askNodes("activity", [namespaceId, window]);
      // Other nodes answer with the result of `answerForInsight`.
      const all = [context.activity.read(namespaceId, window), ...(answers as (NodeActivity | null)[])];
      const series = mergeActivity(
        all.filter((node) => node !== null),
        window,
      );
      return { step_s: stepS, start_ts: toTimestamp(window.startMs), is_partial: isPartial, series };
    },
  } satisfies Partial<Handlers>;
}

/** The last step is the one that has begun. */
function windowUntil(now: number, stepMs: number, steps: number): ActivityWindow {
  return { startMs: (Math.floor(now / stepMs) - steps + 1) * stepMs, stepMs, steps };
}

function badStep(message: string) {
  return refuse("API_BAD_QUERY", "The query has an issue.", { errors: [{ path: ["step_s"], message }] });
}
