import type { AnswerNodes } from "../../nodes/calls.ts";
import type { Activity, ActivityWindow } from "./activity.ts";
import type { DecisionFilter, Decisions } from "./decisions.ts";

interface InsightParts {
  readonly activity: Activity;
  readonly decisions: Decisions;
}

/** What this node answers when another one merges what all of them have. */
export function answerForInsight({ activity, decisions }: InsightParts): Record<string, AnswerNodes> {
  return {
    // Another node asks these questions, with the arguments of its `askNodes`.
    activity: async (_, args) => activity.read(...(args as [string, ActivityWindow])),
    decisions: async (_, args) => decisions.list(...(args as [string, DecisionFilter])),
  };
}

/** By the name of the question; `others` answers the rest. */
export function answerForNodes(answers: Readonly<Record<string, AnswerNodes>>, others: AnswerNodes): AnswerNodes {
  return (question, args) => (Object.hasOwn(answers, question) ? answers[question]! : others)(question, args);
}
