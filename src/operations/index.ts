import { recordChanges } from "./auth/record-changes.ts";
import { signInOperations } from "./auth/sign-in.ts";
import { whoamiOperations } from "./auth/whoami.ts";
import { activityOperations } from "./cloud/activity.ts";
import { auditOperations } from "./cloud/audit.ts";
import { blockOperations } from "./cloud/blocks.ts";
import { buildOperations } from "./cloud/builds.ts";
import { cloudTokenOperations } from "./cloud/cloud-tokens.ts";
import { decisionOperations } from "./cloud/decisions.ts";
import { deploymentOperations } from "./cloud/deployments.ts";
import { namespaceEventOperations } from "./cloud/events.ts";
import { gameOperations } from "./cloud/games.ts";
import { namespaceLobbyOperations } from "./cloud/lobbies.ts";
import { lobbyRecordOperations } from "./cloud/lobby-logs.ts";
import { namespaceConfigOperations } from "./cloud/namespace-config.ts";
import { namespaceDomainOperations } from "./cloud/namespace-domains.ts";
import { namespaceTokenOperations } from "./cloud/namespace-tokens.ts";
import { namespaceOperations } from "./cloud/namespaces.ts";
import { nodeOperations } from "./cloud/nodes.ts";
import { previewFindOperations } from "./cloud/preview-find.ts";
import { versionOperations } from "./cloud/versions.ts";
import type { Context } from "./context.ts";
import type { ServedHandlers } from "./handlers.ts";
import { createOperations } from "./matchmaking/create.ts";
import { findOperations } from "./matchmaking/find.ts";
import { joinOperations } from "./matchmaking/join.ts";
import { lobbyCallOperations } from "./matchmaking/lobby.ts";
import { lobbyListOperations } from "./matchmaking/lobby-list.ts";
import { playerOperations } from "./matchmaking/players.ts";
import { regionOperations } from "./matchmaking/regions.ts";
import { registerOperations } from "./matchmaking/register.ts";
import { resumeOperations } from "./matchmaking/resume.ts";
import { watchOperations } from "./watch/watch.ts";

/** Every operation of the contract with its handler (docs/decisions/0001); a missing one does not compile. */
export function createHandlers(context: Context): ServedHandlers {
  return recordChanges(context, {
    ...gameOperations(context),
    ...cloudTokenOperations(context),
    ...namespaceOperations(context),
    ...namespaceConfigOperations(context),
    ...namespaceDomainOperations(context),
    ...deploymentOperations(context),
    ...namespaceTokenOperations(context),
    ...namespaceLobbyOperations(context),
    ...previewFindOperations(context),
    ...blockOperations(context),
    ...buildOperations(context),
    ...lobbyRecordOperations(context),
    ...namespaceEventOperations(context),
    ...activityOperations(context),
    ...decisionOperations(context),
    ...versionOperations(context),
    ...auditOperations(context),
    ...whoamiOperations(context),
    ...signInOperations(context),
    ...nodeOperations(context),
    ...findOperations(context),
    ...joinOperations(context),
    ...createOperations(context),
    ...lobbyListOperations(context),
    ...watchOperations(context),
    ...lobbyCallOperations(context),
    ...registerOperations(context),
    ...playerOperations(context),
    ...resumeOperations(context),
    ...regionOperations(context),
  });
}
