import { auditOperations } from "./audit.ts";
import { blockOperations } from "./blocks.ts";
import type { Context, ServedHandlers } from "./context.ts";
import { gameOperations } from "./games.ts";
import { lobbyCallOperations } from "./lobby-calls.ts";
import { lobbyListOperations } from "./lobby-list.ts";
import { lobbyRecordOperations } from "./lobby-records.ts";
import { namespaceEventOperations } from "./namespace-events.ts";
import { namespaceLobbyOperations } from "./namespace-lobbies.ts";
import { namespaceTokenOperations } from "./namespace-tokens.ts";
import { namespaceOperations } from "./namespaces.ts";
import { playerOperations } from "./players.ts";
import { recordChanges } from "./record-changes.ts";
import { regionOperations } from "./regions.ts";
import { seatingOperations } from "./seating.ts";
import { versionOperations } from "./versions.ts";

/** Every operation of the contract with what it does; one that is missing does not compile. */
export function createHandlers(context: Context): ServedHandlers {
  return recordChanges(context, {
    ...gameOperations(context),
    ...namespaceOperations(context),
    ...namespaceTokenOperations(context),
    ...namespaceLobbyOperations(context),
    ...blockOperations(context),
    ...lobbyRecordOperations(context),
    ...namespaceEventOperations(context),
    ...versionOperations(context),
    ...auditOperations(context),
    ...seatingOperations(context),
    ...lobbyListOperations(context),
    ...lobbyCallOperations(context),
    ...playerOperations(context),
    ...regionOperations(context),
  });
}
