import type { CommandOf, Refusal as EngineRefusal, Seated } from "../../matchmaker/commands.ts";
import type { StartPermit } from "../capacity/start-permit.ts";
import { refuseBlocked } from "../cloud/blocks.ts";
import type { NamespaceConfig } from "../config-reader.ts";
import type { Context } from "../context.ts";
import { isRefusal, type Refusal } from "../refusal.ts";
import { namespaceGone, refuseSeats } from "./seat-reply.ts";
import type { SeatRequest } from "./seat-request.ts";

type SeatCommandType = "find" | "join" | "createLobby";

/** In what find, join and create differ. `R` is what the operation may be refused with. */
interface SeatCall<T extends SeatCommandType, R extends Refusal> {
  readonly type: T;
  /** Null: the call starts no lobby. */
  readonly permit: StartPermit | null;
  /**
   * The command, or why there can be none. It is called again when the configuration changed meanwhile, and when every
   * code was taken: then with how much longer codes have to be.
   */
  plan(config: NamespaceConfig, longerBy: number): CommandOf<T> | R;
  /** What the rules refused, in the contract's words. */
  refuse(refusal: EngineRefusal): R;
}

/**
 * Takes the seats, or gives the first reason why not: the client's budget of seats; what the plan says; what the rules
 * say. A retry by idempotency key gets the seats of the first call, also when the request could not be made now. What was
 * held for the call is settled when this ends; the caller then waits for the lobby and replies.
 */
export async function takeSeats<T extends SeatCommandType, R extends Refusal>(
  context: Context,
  asked: SeatRequest,
  { type, permit, plan, refuse }: SeatCall<T, R>,
) {
  const { namespaceId, client } = asked;
  const budget = context.seatBudget.take(client, asked.seats);
  if (isRefusal(budget)) return (await findEarlier(context, asked)) ?? budget;
  let seated: Seated | null = null;
  try {
    const execute = () =>
      context.configs.execute(type, namespaceId, (config, longerBy) => {
        return refuseBlocked(config, client, context.now()) ?? plan(config, longerBy);
      });
    // Room is for another lobby: a retry whose lobby was made does not wait for it.
    const executeOrFind = async () => {
      const outcome = await execute();
      return isRefusal(outcome) ? ((await findEarlier(context, asked)) ?? outcome) : outcome;
    };
    const decide: typeof executeOrFind = asked.idempotency === null ? execute : executeOrFind;
    const outcome = await (permit ? permit.retry(decide) : decide());
    if (outcome === null) return namespaceGone();
    if (isRefusal(outcome)) return outcome;
    if (!outcome.ok) return refuse(outcome);
    seated = outcome;
    return seated;
  } finally {
    budget.settle(seated !== null && !seated.isReplay);
    permit?.settle(seated?.isNewLobby ?? false);
  }
}

/**
 * The seats of a retry whose first call still has them, though the request itself cannot be made now, as after a deploy
 * without its game mode. A find without pairs takes nothing, but knows the key. Null: it is no retry.
 */
async function findEarlier(context: Context, asked: SeatRequest) {
  if (asked.idempotency === null) return null;
  const { namespaceId, client, idempotency } = asked;
  const outcome = await context.configs.execute("find", namespaceId, (config) => {
    const blocked = refuseBlocked(config, client, context.now());
    if (blocked) return blocked;
    return {
      type: "find",
      namespaceId,
      now: context.now(),
      revision: config.revision,
      clientId: asked.clientId,
      pairs: [],
      tags: {},
      playerIds: [],
      create: null,
      createRefusal: "NO_AVAILABLE_LOBBIES",
      idempotency,
    };
  });
  if (outcome === null || isRefusal(outcome)) return null;
  if (outcome.ok) return outcome;
  return outcome.code === "IDEMPOTENCY_KEY_REUSED" ? refuseSeats(outcome, ["IDEMPOTENCY_KEY_REUSED"]) : null;
}
