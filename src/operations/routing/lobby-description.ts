import { blocksAt } from "../../store/blocks.ts";
import { listDomains } from "../../store/domains.ts";
import { findNamespaceById } from "../../store/namespaces.ts";
import type { AllowedOrigins } from "../auth/authenticate.ts";
import type { Context } from "../context.ts";
import type { LobbyDirectory } from "./lobby-directory.ts";
import { findLobbyNode, type LocalPort, listSeated } from "./routes.ts";

/** All that a gateway in another process has to know about a lobby. Its form is between Foyer and `foyer gateway` alone. */
export interface LobbyDescription extends AllowedOrigins {
  readonly lobbyId: string;
  readonly namespaceId: string;
  readonly isStopped: boolean;
  readonly maxPlayersDirect: number;
  readonly ports: Readonly<Record<string, LocalPort & { readonly protocol: "http" | "ws" }>>;
  /** "here": on the node that answers; else where its node is reached, if it has said so. */
  readonly node: "here" | string | null;
  /** The names of the hosts under which players reach the service. */
  readonly hosts: readonly string[];
  /** The clients with a taken seat in it. */
  readonly seated: readonly string[];
  readonly blocks: readonly { readonly client: string; readonly untilTs: number | null }[];
}

/** Describes a lobby; null: there is no such lobby behind the gateway. */
export function createDescribeLobby(context: Context, directory: LobbyDirectory) {
  const { publicUrl, gatewayUrl } = context.config;
  return async (lobbyId: string): Promise<LobbyDescription | null> => {
    const lobby = await directory.find(lobbyId);
    if (lobby === null) return null;
    const { namespaceId, maxPlayersDirect } = lobby;
    await context.db.invalidation.check();
    const namespace = await findNamespaceById(context.db, namespaceId);
    const domains = await listDomains(context.db, namespaceId);
    const blocks = namespace === null ? [] : await blocksAt(context.db, namespaceId, namespace.revision);
    return {
      lobbyId,
      namespaceId,
      maxPlayersDirect,
      isStopped: lobby.stoppedAt !== null,
      ports: Object.fromEntries(
        [...lobby.ports].map(([label, { protocol, port, localHost }]) => [
          label,
          { protocol, port, ...(localHost && { localHost }) },
        ]),
      ),
      node: findLobbyNode(context, lobby),
      hosts: [publicUrl, gatewayUrl].flatMap((url) => (url === null ? [] : [new URL(url).hostname])),
      seated: lobby.stoppedAt === null ? await listSeated(context, lobby) : [],
      domains: domains.map(({ domain }) => domain),
      allowsLocalhost: namespace?.domainPublicAuth.allowLocalhost ?? false,
      blocks: blocks.map(({ client, untilTs }) => ({ client, untilTs })),
    };
  };
}
