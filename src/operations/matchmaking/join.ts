import type { ErrorOf } from "../../contract/define.ts";
import type { Operations } from "../../contract/index.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { noteCalls } from "../insight/note-calls.ts";
import { isRefusal, type Refusal } from "../refusal.ts";
import { type JoinTarget, readJoinTarget } from "./join-codes.ts";
import { refuseSeats, replySeated } from "./seat-reply.ts";
import { newSeats, readSeatRequest, type SeatRequest } from "./seat-request.ts";
import { takeSeats } from "./take-seats.ts";

type JoinRefusal = Refusal<ErrorOf<Operations["lobbies.join"]>>;

export function joinOperations(context: Context) {
  const note = noteCalls(context, "join");
  return {
    "lobbies.join": async (request) => {
      const startedAt = context.now();
      const target = readJoinTarget(request.body);
      if (isRefusal(target)) return note(request, startedAt, target);
      // However a code is typed, a retry with it is the same request.
      const body = "code" in target ? { ...request.body, code: target.code } : request.body;
      const asked = readSeatRequest("join", { ...request, body });
      if (isRefusal(asked)) return note(request, startedAt, asked);
      const seated = await ("code" in target ? joinByCode(asked, target) : join(asked, target));
      if (isRefusal(seated)) return note(request, startedAt, seated);
      return note(request, startedAt, await replySeated(context, asked, seated), seated);
    },
  } satisfies Partial<Handlers>;

  function join(asked: SeatRequest, target: JoinTarget) {
    return takeSeats<"join", JoinRefusal>(context, asked, {
      type: "join",
      permit: null,
      plan: ({ namespaceId, revision }) => ({
        type: "join",
        namespaceId,
        now: context.now(),
        revision,
        clientId: asked.clientId,
        ...target,
        ...newSeats(context, asked),
        idempotency: asked.idempotency,
      }),
      refuse: (refused) => refuseSeats(refused, joinRefusals, joinMessages(target, asked.seats)),
    });
  }

  /** A wrong code is taken from what the client has left of them. A studio's backend may send as many as it likes. */
  async function joinByCode(asked: SeatRequest, target: JoinTarget) {
    if (asked.client === null) return join(asked, target);
    const held = await context.codeBudget.hold(asked.namespaceId, asked.client);
    if (isRefusal(held)) return held;
    let isWrong = false;
    try {
      const seated = await join(asked, target);
      isWrong = isRefusal(seated) && wrongCode.has(seated.code);
      return seated;
    } finally {
      held.settle(isWrong);
    }
  }
}

/** What is answered to a code that no living lobby has. */
const wrongCode: ReadonlySet<string> = new Set(["MATCHMAKER_LOBBY_NOT_FOUND", "MATCHMAKER_LOBBY_STOPPED"]);

const joinRefusals = [
  "LOBBY_NOT_FOUND",
  "LOBBY_STOPPED",
  "LOBBY_FULL",
  "JOIN_DISABLED",
  "KEY_NOT_VOUCHED",
  "PLAYER_ALREADY_SEATED",
  "TOO_MANY_PLAYERS_FROM_SOURCE",
  "IDEMPOTENCY_KEY_REUSED",
] as const;

/** A code is not repeated: answers end up in logs. */
function joinMessages({ lobbyId }: JoinTarget, seats: number) {
  const lobby = lobbyId === null ? "The lobby with this code" : `Lobby ${lobbyId}`;
  const notFound = lobbyId === null ? "No lobby of this namespace has this code." : null;
  return {
    LOBBY_NOT_FOUND: notFound ?? `${lobby} is not in this namespace, or ended a while ago.`,
    LOBBY_STOPPED: `${lobby} has stopped.`,
    LOBBY_FULL:
      seats === 1 ? `${lobby} has no free seat.` : `${lobby} does not have ${seats} free seats for this party.`,
    JOIN_DISABLED: `The game mode of ${lobbyId === null ? "the lobby with this code" : `lobby ${lobbyId}`} does not allow join.`,
  };
}
