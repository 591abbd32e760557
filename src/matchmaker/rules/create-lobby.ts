import { noClient } from "../client-ranges.ts";
import type { CreateLobby, Outcome } from "../commands.ts";
import { refuse } from "../outcome.ts";
import { pairKey } from "../pair.ts";
import type { NamespaceRecord } from "../records.ts";
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

export function createLobby(state: State, command: CreateLobby): Outcome<"createLobby"> {
  const { lobby, reason, playerIds, keys } = command;
  const clientId = command.clientId ?? noClient;
  const namespace = currentNamespace(state, command.revision);
  if (namespace === null) return refuse("STALE_REVISION");
  const earlier = replay(state, clientId, command.idempotency);
  if (earlier !== null) return earlier;
  if (!lobby.isExternal && namespace.deployedVersionId === null) return refuse("NO_VERSION_DEPLOYED");
  if (!lobby.isExternal && namespace.deployedVersionId !== lobby.versionId) return refuse("STALE_REVISION");
  if (reason === "warm" && missingIdle(state, namespace, lobby.gameMode, lobby.region) <= 0)
    return refuse("NOT_NEEDED");
  const seated = refuseSeated(state, clientId, keys);
  if (seated !== null) return seated;
  const clientRefusal = refuseClient(state, namespace, clientId, playerIds.length);
  if (clientRefusal !== null) return refuse(clientRefusal);
  if (command.startRefusal) return refuse(command.startRefusal);
  const creationRefusal = refuseCreation(state, namespace, lobby, playerIds.length);
  if (creationRefusal !== null) return refuse(creationRefusal);
  const codeRefusal = refuseCodes(state, lobby);
  if (codeRefusal !== null) return refuse(codeRefusal);
  assertNewPlayers(state, command);
  assertNewLobby(state, lobby);

  const made = makeLobby(state, lobby, reason, command.registeredBy ?? command.clientId);
  return seatParty(state, made, { clientId, playerIds, keys, idempotency: command.idempotency }, true);
}

/** How many idle lobbies this game mode and region of the deployed version lack; those still starting count as there. */
export function missingIdle(state: State, namespace: NamespaceRecord, gameMode: string, region: string): number {
  const min = namespace.idleMinimums.get(pairKey(gameMode, region)) ?? 0;
  const pool = findPool(state, namespace.deployedVersionId ?? "", gameMode, region);
  return pool === undefined ? min : Math.max(0, min - pool.idle.size - pool.idleStarting);
}
