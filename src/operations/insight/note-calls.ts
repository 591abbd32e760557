import type { Seated } from "../../matchmaker/commands.ts";
import type { Context } from "../context.ts";
import { countSeats, type SeatsBody } from "../matchmaking/lobby-requests.ts";
import { isRefusal, type Refusal } from "../refusal.ts";
import type { Counter } from "./activity.ts";
import { type AskedBody, readAsked } from "./asked.ts";

interface NotedRequest {
  readonly caller: { readonly namespaceId: string };
  readonly body: AskedBody & SeatsBody;
}

/** What a find knows of its refusal beside what it answers. */
interface FindReasons {
  /** The client's budget of lobbies that its finds may cause is spent. */
  isOverBudget(): boolean;
  /** Null: it was not explained. */
  explained(): object | null;
}

/**
 * Notes how each call of an operation ended, for operators: in figures, and as a decision when it was refused by the
 * matchmaker or made a lobby. Every find comes here: one that gets a seat must cost nothing but a count.
 */
export function noteCalls(context: Pick<Context, "activity" | "decisions" | "now">, operation: Operation) {
  const { activity, decisions, now } = context;
  const counter: Counter = `${operation}s`;

  /** `startedAt`: when the call began. `seated`: what it got, also if it lost it again. */
  return <A extends object>(
    request: NotedRequest,
    startedAt: number,
    answer: A,
    seated: Seated | null = null,
    reasons: FindReasons | null = null,
  ): A => {
    const { namespaceId } = request.caller;
    if (isRefusal(answer)) {
      activity.countRefusal(namespaceId, answer.code);
      if (isDecision(answer, reasons)) noteDecision(answer.code, reasons?.explained() ?? null);
    } else {
      activity.count(namespaceId, counter);
      if (seated?.isNewLobby) noteDecision("CREATED", null);
    }
    return answer;

    function noteDecision(outcome: string, explain: object | null): void {
      const asked = readAsked(request.body, countSeats(request.body));
      const lobbyId = seated?.lobby.lobbyId ?? null;
      decisions.note(namespaceId, { operation, asked, outcome, lobbyId, waitedMs: now() - startedAt, explain });
    }
  };
}

type Operation = "find" | "join" | "create";

function isDecision({ code }: Refusal, reasons: FindReasons | null): boolean {
  return code.startsWith("MATCHMAKER_") || (code === "API_RATE_LIMIT" && (reasons?.isOverBudget() ?? false));
}
