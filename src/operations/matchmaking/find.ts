import { createStartPermit } from "../capacity/start-permit.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { isRefusal } from "../refusal.ts";
import { createFindPlan, type FindBody, type FindRefusal } from "./find-plan.ts";
import { checkFindRequest } from "./lobby-requests.ts";
import { previewFind } from "./preview.ts";
import { replySeated } from "./seat-reply.ts";
import { readSeatRequest, type SeatRequest } from "./seat-request.ts";
import { takeSeats } from "./take-seats.ts";

/** Everything that can be settled before the atomic step is settled here, by the plan. */
export function findOperations(context: Context) {
  return {
    "lobbies.find": async (request) => {
      const { body } = request;
      const invalid = checkFindRequest(body);
      if (invalid) return invalid;
      const asked = readSeatRequest("find", request);
      if (isRefusal(asked)) return asked;
      return body.dry_run ? previewFind(context, asked, body) : find(context, asked, body);
    },
  } satisfies Partial<Handlers>;
}

async function find(context: Context, asked: SeatRequest, body: FindBody) {
  const permit = createStartPermit(context, asked);
  const { plan, refuse, explainSeated } = createFindPlan(context, asked, body, permit);
  const seated = await takeSeats<"find", FindRefusal>(context, asked, { type: "find", permit, plan, refuse });
  if (isRefusal(seated)) return seated;
  const reply = await replySeated(context, asked, seated);
  return isRefusal(reply) || !body.explain ? reply : { ...reply, ...explainSeated(seated) };
}
