/**
 * The rows in both databases (docs/decisions/0002): ids and JSON as text, times as milliseconds, booleans as 0 or 1.
 */
export interface Tables {
  games: {
    game_id: string;
    name_id: string;
    display_name: string;
    create_ts: number;
    /** Null: not deleted. A deleted game or namespace keeps its name until all of it is removed, and no read finds it. */
    delete_ts: number | null;
  };
  versions: {
    version_id: string;
    game_id: string;
    display_name: string;
    create_ts: number;
    /** JSON; `{}` when the version was deleted. */
    config: string;
    /** Null: it was made before 0.2. */
    defaults: number | null;
    /** Null: not deleted. A deleted version is kept while a history may name it. */
    delete_ts: number | null;
  };
  version_images: {
    version_image_id: string;
    version_id: string;
    /** What the version calls it. */
    image: string;
    image_id: string;
    digest: string | null;
    create_ts: number;
  };
  namespaces: {
    namespace_id: string;
    game_id: string;
    name_id: string;
    display_name: string;
    create_ts: number;
    version_id: string | null;
    lobby_count_max: number;
    max_players: number;
    max_players_per_client: number | null;
    domain_public_auth_enabled: number;
    allow_localhost: number;
    revision: number;
    delete_ts: number | null;
  };
  domains: {
    domain: string;
    namespace_id: string;
    create_ts: number;
  };
  blocks: {
    block_id: string;
    namespace_id: string;
    client: string;
    create_ts: number;
    until_ts: number | null;
    note: string | null;
  };
  deployments: {
    deployment_id: string;
    namespace_id: string;
    version_id: string;
    deploy_ts: number;
    /** 1: an earlier version was deployed again in its stead. */
    rolled_back: number | null;
  };
  lobby_history: {
    lobby_id: string;
    namespace_id: string;
    game_mode: string;
    region: string;
    version_id: string;
    create_ts: number;
    ready_ts: number | null;
    stop_ts: number;
    stop_reason: string;
    peak_player_count: number;
    exit_code: number | null;
    exit_signal: string | null;
    exit_message: string | null;
  };
  builds: {
    build_id: string;
    game_id: string;
    display_name: string;
    /** Of the archive, in lower-case hex. */
    sha256: string;
    size: number;
    /** The size of the files in it. */
    unpacked_size: number;
    create_ts: number;
    /** When it was uploaded, or when the last version that named it was deleted. */
    unnamed_ts: number;
  };
  /** Which versions name which builds. */
  build_uses: {
    use_id: string;
    version_id: string;
    build_id: string;
  };
  /** The archives, on PostgreSQL only. An archive without a row in builds is a leftover. */
  build_chunks: {
    build_id: string;
    position: number;
    bytes: Uint8Array;
    create_ts: number;
  };
  audit: {
    audit_id: string;
    at: number;
    operation: string;
    kind: string;
    token_id: string | null;
    game_id: string | null;
    namespace_id: string | null;
    target: string | null;
    client: string;
    request_id: string;
  };
  tokens: {
    token_id: string;
    hash: string;
    kind: string;
    game_id: string;
    namespace_id: string | null;
    details: string | null;
    create_ts: number;
    last_used_ts: number | null;
    expires_ts: number | null;
    revoke_ts: number | null;
  };
  /** Not in backups and exports. */
  sign_in_codes: {
    hash: string;
    /** Keyed hash of the admin token that was in force. */
    admin: string;
    create_ts: number;
  };
  /** Not in backups and exports. */
  sessions: {
    session_id: string;
    hash: string;
    admin: string;
    create_ts: number;
    last_used_ts: number;
  };
}
