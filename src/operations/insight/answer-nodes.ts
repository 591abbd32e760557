import type { AnswerNodes } from "../../nodes/calls.ts";
import type { Activity, ActivityWindow } from "./activity.ts";

/** What this node answers when another one merges what all of them have. */
export function answerForInsight({ activity }: { readonly activity: Activity }): Record<string, AnswerNodes> {
  return {
    // Border: the questions are asked by another node, with what `askNodes` was given there.
    activity: async (_, args) => activity.read(...(args as [string, ActivityWindow])),
  };
}

/** By the name of the question; `others` answers the rest. */
export function answerForNodes(answers: Readonly<Record<string, AnswerNodes>>, others: AnswerNodes): AnswerNodes {
  return (question, args) => (Object.hasOwn(answers, question) ? answers[question]! : others)(question, args);
}
