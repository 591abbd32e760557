import type { IncomingMessage, ServerResponse } from "node:http";
import { refuse } from "../operations/refusal.ts";
import type { LobbyDescription } from "../operations/routing/lobby-description.ts";
import { answerRefusal } from "./answer-refusal.ts";
import { parseLookup } from "./lobby-path.ts";
import { type NodeProofs, nodeHeader } from "./node-proof.ts";

/** Answers `foyer gateway`, which asks where a lobby is. Others get the answer of an unknown path, from the gateway. */
export function createAnswerLookup(parts: {
  readonly proofs: Pick<NodeProofs, "check">;
  describe(lobbyId: string): Promise<LobbyDescription | null>;
  newRequestId(): string;
}) {
  async function answer(response: ServerResponse, lobbyId: string): Promise<void> {
    const description = await parts.describe(lobbyId);
    const body = JSON.stringify(description);
    response.writeHead(200, {
      "content-type": "application/json; charset=utf-8",
      "content-length": String(Buffer.byteLength(body)),
      "cache-control": "no-store",
    });
    response.end(body);
  }

  /** Whether it was such a question. */
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const lobbyId = parseLookup(request.url ?? "");
    if (lobbyId === null || request.method !== "GET" || !parts.proofs.check(request.headers[nodeHeader])) return false;
    answer(response, lobbyId).catch(() => {
      const refusal = refuse("API_UNAVAILABLE", "The lobby cannot be looked up now.", { retryAfterS: 1 });
      answerRefusal(response, refusal, parts.newRequestId());
    });
    return true;
  };
}
