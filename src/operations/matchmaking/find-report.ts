import type { Explanation, Find, LobbyView, RefusalCode, Seated } from "../../matchmaker/commands.ts";
import type { Refusal } from "../refusal.ts";
import { explainAnswer, explainReplay } from "./explain-reply.ts";
import { createdSummary, refusedSummary, seatedSummary } from "./find-summary.ts";

/** What a find that asks for `explain` adds to its answer; null: it does not ask. */
export function createFindReport(body: {
  readonly explain?: boolean | null;
  readonly party_size?: number | null;
  readonly prevent_auto_create_lobby?: boolean | null;
}) {
  if (!body.explain) return null;
  const partySize = body.party_size ?? 1;
  let plan: Find | null = null;

  function explained(explanation: Explanation | undefined, summary: string) {
    return explanation === undefined ? {} : { explain: explainAnswer(explanation, summary, partySize) };
  }

  return {
    /** What is asked of the rules. */
    planned(find: Find): Find {
      plan = { ...find, explain: true };
      return plan;
    },
    seated({ lobby, isNewLobby, isReplay, explanation }: Seated) {
      return isReplay ? { explain: explainReplay() } : explained(explanation, seatedSummary(lobby, isNewLobby));
    },
    previewed({ lobby, explanation }: { readonly lobby: LobbyView | null; readonly explanation?: Explanation }) {
      if (lobby !== null) return explained(explanation, seatedSummary(lobby, false));
      return plan?.create ? explained(explanation, createdSummary(plan.create)) : {};
    },
    /** The refusal with the explanation among its details. */
    refused<R extends Refusal>(refusal: R, code: RefusalCode, explanation: Explanation | undefined): R {
      const summary = refusedSummary(code, plan, body.prevent_auto_create_lobby ?? false);
      return { ...refusal, metadata: { ...refusal.metadata, ...explained(explanation, summary) } };
    },
  };
}
