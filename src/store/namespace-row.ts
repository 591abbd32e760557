/**
 * A namespace with its limits; `revision` increases with every change that matters to the matchmaker
 * (docs/decisions/0009).
 */
export interface Namespace {
  readonly namespaceId: string;
  readonly gameId: string;
  readonly nameId: string;
  readonly displayName: string;
  readonly createTs: number;
  readonly versionId: string | null;
  readonly lobbyCountMax: number;
  readonly maxPlayers: number;
  /** Null: no limit. */
  readonly maxPlayersPerClient: number | null;
  readonly domainPublicAuth: { readonly enabled: boolean; readonly allowLocalhost: boolean };
  readonly revision: number;
}

export interface NamespaceRow extends Omit<Namespace, "domainPublicAuth"> {
  readonly domainPublicAuthEnabled: number;
  readonly allowLocalhost: number;
}

export const namespaceColumns = [
  "namespaces.namespace_id as namespaceId",
  "namespaces.game_id as gameId",
  "namespaces.name_id as nameId",
  "namespaces.display_name as displayName",
  "namespaces.create_ts as createTs",
  "namespaces.version_id as versionId",
  "namespaces.lobby_count_max as lobbyCountMax",
  "namespaces.max_players as maxPlayers",
  "namespaces.max_players_per_client as maxPlayersPerClient",
  "namespaces.domain_public_auth_enabled as domainPublicAuthEnabled",
  "namespaces.allow_localhost as allowLocalhost",
  "namespaces.revision as revision",
] as const;

export function toNamespace(row: NamespaceRow): Namespace {
  const { domainPublicAuthEnabled, allowLocalhost, ...rest } = row;
  const domainPublicAuth = Object.freeze({
    enabled: domainPublicAuthEnabled === 1,
    allowLocalhost: allowLocalhost === 1,
  });
  return { ...rest, domainPublicAuth };
}

/** The ids whose changes affect it. */
export function aboutNamespace({ namespaceId, gameId }: Namespace): readonly string[] {
  return [namespaceId, gameId];
}
