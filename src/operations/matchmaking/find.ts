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
  const { decisions } = context;
  const note = noteCalls(context, "find");
  return {
    "lobbies.find": async (request) => {
      const { body } = request;
      const startedAt = context.now();
      const invalid = checkFindRequest(body);
      if (invalid) return note(request, startedAt, invalid);
      const asked = readSeatRequest("find", request);
      if (isRefusal(asked)) return note(request, startedAt, asked);
      if (body.dry_run) return previewFind(context, asked, body);

      const permit = createStartPermit(context, asked);
      const isNoted = decisions.takeExplain();
      const find = createFindPlan(context, asked, body, permit, isNoted);
      const { plan, refuse } = find;
      const seated = await takeSeats<"find", FindRefusal>(context, asked, { type: "find", permit, plan, refuse });
      if (isNoted && find.explained() === null) decisions.giveBackExplain();
      if (isRefusal(seated)) return note(request, startedAt, seated, null, find);
      const reply = note(request, startedAt, await replySeated(context, asked, seated), seated);
      return isRefusal(reply) || !body.explain ? reply : { ...reply, ...explainSeated(seated, asked.seats) };
    },
  } satisfies Partial<Handlers>;
}
