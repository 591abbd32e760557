import type { ErrorOf } from "../../contract/define.ts";
import type { Operations } from "../../contract/index.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { noteCalls } from "../insight/note-calls.ts";
import { isRefusal, type Refusal } from "../refusal.ts";
import { refuseSeats, replySeated } from "./seat-reply.ts";
import { newPlayerIds, readSeatRequest } from "./seat-request.ts";
import { takeSeats } from "./take-seats.ts";

type JoinRefusal = Refusal<ErrorOf<Operations["lobbies.join"]>>;

export function joinOperations(context: Context) {
  const note = noteCalls(context, "join");
  return {
    "lobbies.join": async (request) => {
      const startedAt = context.now();
      const asked = readSeatRequest("join", request);
      if (isRefusal(asked)) return note(request, startedAt, asked);
      const lobbyId = request.body.lobby_id.toLowerCase();
      const seated = await takeSeats<"join", JoinRefusal>(context, asked, {
        type: "join",
        permit: null,
        plan: ({ namespaceId, revision }) => ({
          type: "join",
          namespaceId,
          now: context.now(),
          revision,
          clientId: asked.clientId,
          lobbyId,
          playerIds: newPlayerIds(context, asked),
          idempotency: asked.idempotency,
        }),
        refuse: ({ code }) => refuseSeats(code, joinRefusals, joinMessages(lobbyId, asked.seats)),
      });
      if (isRefusal(seated)) return note(request, startedAt, seated);
      return note(request, startedAt, await replySeated(context, asked, seated), seated);
    },
  } satisfies Partial<Handlers>;
}

const joinRefusals = [
  "LOBBY_NOT_FOUND",
  "LOBBY_STOPPED",
  "LOBBY_FULL",
  "JOIN_DISABLED",
  "TOO_MANY_PLAYERS_FROM_SOURCE",
  "IDEMPOTENCY_KEY_REUSED",
] as const;

function joinMessages(lobbyId: string, seats: number) {
  const lobby = `Lobby ${lobbyId}`;
  return {
    LOBBY_NOT_FOUND: `${lobby} is not in this namespace, or ended a while ago.`,
    LOBBY_STOPPED: `${lobby} has stopped.`,
    LOBBY_FULL:
      seats === 1 ? `${lobby} has no free seat.` : `${lobby} does not have ${seats} free seats for this party.`,
    JOIN_DISABLED: `The game mode of lobby ${lobbyId} does not allow join.`,
  };
}
