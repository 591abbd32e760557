import type { Context } from "../context.ts";
import { isRefusal } from "../refusal.ts";
import type { Counter } from "./activity.ts";

/** Notes how each call of an operation ended, for operators. Every find comes here: a success must cost nothing but a count. */
export function noteCalls({ activity }: Pick<Context, "activity">, operation: "find" | "join" | "create") {
  const counter: Counter = `${operation}s`;
  return <A extends object>(namespaceId: string, answer: A): A => {
    if (isRefusal(answer)) activity.countRefusal(namespaceId, answer.code);
    else activity.count(namespaceId, counter);
    return answer;
  };
}
