import { createStartPermit } from "../capacity/start-permit.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { noteCalls } from "../insight/note-calls.ts";
import { isRefusal } from "../refusal.ts";
import { explainSeated } from "./explain-reply.ts";
import { createFindPlan, type FindRefusal } from "./find-plan.ts";
import { checkFindRequest } from "./lobby-requests.ts";
import { previewFind } from "./preview.ts";
import { replySeated } from "./seat-reply.ts";
import { readSeatRequest } from "./seat-request.ts";
import { takeSeats } from "./take-seats.ts";

/** Everything that can be settled before the atomic step is settled here, by the plan. */
export function findOperations(context: Context) {
  const note = noteCalls(context, "find");
  return {
    "lobbies.find": async (request) => {
      const { body } = request;
      const { namespaceId } = request.caller;
      const invalid = checkFindRequest(body);
      if (invalid) return note(namespaceId, invalid);
      const asked = readSeatRequest("find", request);
      if (isRefusal(asked)) return note(namespaceId, asked);
      if (body.dry_run) return previewFind(context, asked, body);

      const permit = createStartPermit(context, asked);
      const { plan, refuse } = createFindPlan(context, asked, body, permit);
      const seated = await takeSeats<"find", FindRefusal>(context, asked, { type: "find", permit, plan, refuse });
      if (isRefusal(seated)) return note(namespaceId, seated);
      const reply = note(namespaceId, await replySeated(context, asked, seated));
      return isRefusal(reply) || !body.explain ? reply : { ...reply, ...explainSeated(seated, asked.seats) };
    },
  } satisfies Partial<Handlers>;
}
