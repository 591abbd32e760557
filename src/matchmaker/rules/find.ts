import { nameClient, noClient } from "../client-ranges.ts";
import type { Explanation, Find, FindRequest, NewLobby, Outcome, Refusal } from "../commands.ts";
import { explainFind } from "../explain.ts";
import { refuse } from "../outcome.ts";
import { bestFit } from "../pools.ts";
import { type Lobby, listTagKeys, type NamespaceRecord } from "../records.ts";
import { findPool, type State } from "../state.ts";
import {
  assertNewLobby,
  assertNewPlayers,
  currentNamespace,
  makeLobby,
  refuseClient,
  refuseCodes,
  refuseCreation,
  refuseSeated,
  replay,
  seatParty,
} from "./party.ts";

export function find(state: State, command: Find): Outcome<"find"> {
  const namespace = currentNamespace(state, command.revision);
  if (namespace === null) return refuse("STALE_REVISION");
  const earlier = replay(state, command.clientId, command.idempotency);
  if (earlier !== null) return earlier;
  const decision = decideFind(state, namespace, command);
  const explained = explainDecision(state, namespace, command, decision);
  if (decision.type === "refused") return withExplanation(decision.refusal, explained);
  assertNewPlayers(state, command);
  if (decision.type === "create") assertNewLobby(state, decision.create);

  const isNewLobby = decision.type === "create";
  const lobby = isNewLobby ? makeLobby(state, decision.create, "found", nameClient(command.clientId)) : decision.lobby;
  return withExplanation(seatParty(state, lobby, command, isNewLobby), explained);
}

export type FindDecision =
  | { readonly type: "seat"; readonly lobby: Lobby }
  | { readonly type: "create"; readonly create: NewLobby }
  | { readonly type: "refused"; readonly refusal: Refusal };

/** What find does, without doing it. */
export function decideFind(state: State, namespace: NamespaceRecord, request: FindRequest): FindDecision {
  const seats = request.playerIds.length;
  const versionId = namespace.deployedVersionId;
  if (versionId === null) return { type: "refused", refusal: refuse("NO_VERSION_DEPLOYED") };
  const seated = refuseSeated(state, request.areKeysVouched ? noClient : request.clientId, request.keys);
  if (seated !== null) return { type: "refused", refusal: seated };
  const clientRefusal = refuseClient(state, namespace, request.clientId, seats);
  if (clientRefusal !== null) return { type: "refused", refusal: refuse(clientRefusal) };

  const tagKeys = listTagKeys(request.tags);
  for (const { gameMode, region } of request.pairs) {
    const pool = findPool(state, versionId, gameMode, region);
    const lobby = pool && bestFit(pool, tagKeys, seats, namespace.maxPlayers);
    if (lobby !== undefined) return { type: "seat", lobby };
  }

  const { create } = request;
  if (create === null) return { type: "refused", refusal: refuse(request.createRefusal) };
  if (create.versionId !== versionId) return { type: "refused", refusal: refuse("STALE_REVISION") };
  const creationRefusal = refuseCreation(state, namespace, create, seats);
  if (creationRefusal !== null) return { type: "refused", refusal: refuse(creationRefusal) };
  if (request.startRefusal) return { type: "refused", refusal: refuse(request.startRefusal) };
  const codeRefusal = refuseCodes(state, create);
  if (codeRefusal !== null) return { type: "refused", refusal: refuse(codeRefusal) };
  return { type: "create", create };
}

/** Null: no explanation was requested. Built before anything changes. */
export function explainDecision(
  state: State,
  namespace: NamespaceRecord,
  request: FindRequest,
  decision: FindDecision,
): Explanation | null {
  if (!request.explain || (request.explain === "refusal" && decision.type !== "refused")) return null;
  // A party in which a player has a seat already is refused before Foyer looks at any lobby.
  if (decision.type === "refused" && decision.refusal.seated !== undefined) return null;
  return explainFind(state, namespace, request, decision.type === "seat" ? decision.lobby : null);
}

export function withExplanation<T extends object>(answer: T, explanation: Explanation | null) {
  return explanation === null ? answer : { ...answer, explanation };
}
