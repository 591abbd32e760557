// Written by scripts/write-openapi.mjs from Foyer's contract. Do not edit.

/** What players may do with this mode. */
export interface Actions {
  readonly find?: {
    /** Whether find may send players to lobbies of this mode. */
    readonly enabled?: boolean | null;
  } | null;
  readonly join?: {
    /** Whether players may join a lobby of this mode by its id. */
    readonly enabled?: boolean | null;
  } | null;
  readonly create?: {
    /** Whether players may create lobbies of this mode. */
    readonly enabled?: boolean | null;
    /** Whether a created lobby may be public. Matters only when create is enabled. */
    readonly public?: boolean | null;
    /** Whether a created lobby may be private. Matters only when create is enabled. */
    readonly private?: boolean | null;
  } | null;
}

export interface Activity {
  readonly step_s: number;
  /** When the first step began: a multiple of step_s. */
  readonly start_ts: string;
  /** A node did not answer in 2 s, and its figures are missing. */
  readonly is_partial: boolean;
  readonly series: ActivitySeries;
}

export interface ActivitySeries {
  /** Finds answered with seats. One number per step; null: there is no figure. */
  readonly finds: readonly (number | null)[];
  /** Joins answered with seats. One number per step; null: there is no figure. */
  readonly joins: readonly (number | null)[];
  /** Creates answered with seats. One number per step; null: there is no figure. */
  readonly creates: readonly (number | null)[];
  /** Lobbies made by find, create, register or the warm pool. One number per step; null: there is no figure. */
  readonly lobbies_created: readonly (number | null)[];
  /** Of those that ended: never ready, crashed, silent for too long, or their node was lost. One number per step; null: there is no figure. */
  readonly lobbies_failed: readonly (number | null)[];
  /** Lobbies that ended, for any reason. One number per step; null: there is no figure. */
  readonly lobbies_stopped: readonly (number | null)[];
  /** Living lobbies. One number per step; null: there is no figure. */
  readonly lobbies: readonly (number | null)[];
  /** Taken seats. One number per step; null: there is no figure. */
  readonly players: readonly (number | null)[];
  /** Half of the calls that waited for a lobby to become ready waited at most so long. One number per step; null: there is no figure. */
  readonly ready_wait_p50_ms: readonly (number | null)[];
  /** The same of 95 %. One number per step; null: there is no figure. */
  readonly ready_wait_p95_ms: readonly (number | null)[];
  /** By code. */
  readonly refusals: Readonly<Record<string, readonly (number | null)[]>>;
}

export interface AddNamespaceDomainRequest {
  /** A domain name without a protocol, such as `play.example.com`. */
  readonly domain: string;
}

export interface AuditEntry {
  /** The entry. */
  readonly audit_id: string;
  /** When the change was made. */
  readonly at: string;
  /** The operation that made it. */
  readonly operation: string;
  /** The kind of token it was made with; `none` for signing in with a code. */
  readonly kind: string;
  /** The token, or the session; absent for the admin token. */
  readonly token_id?: string;
  /** The game it was made in, which may have been deleted since. */
  readonly game_id?: string;
  /** The namespace it was made in, which may have been deleted since. */
  readonly namespace_id?: string;
  /** The id or name of what was changed: a token, session, domain, version, lobby, or a new name. */
  readonly target?: string;
  /** The address that the call came from. */
  readonly client: string;
  /** The `x-request-id` of the answer. */
  readonly request_id: string;
}

export interface Block {
  /** In the same form as in the operator's view of a lobby. */
  readonly client: string;
  /** When it was set. */
  readonly create_ts: string;
  /** When it ends by itself. */
  readonly until_ts?: string;
  /** A note for readers of the list. */
  readonly note?: string;
}

/** The program of lobbies, as an archive that was uploaded. */
export interface Build {
  /** The build's id, for `runtime.process.build_id` of a version. */
  readonly build_id: string;
  /** Human-readable name, 1 to 128 bytes of UTF-8. */
  readonly display_name: string;
  /** The SHA-256 of the archive as it was sent. */
  readonly sha256: string;
  /** The size of the archive in bytes. */
  readonly size: number;
  /** When it was first uploaded. */
  readonly create_ts: string;
}

/** A node that runs lobbies of a build, because a deployed version names the build in one of the node's regions. */
export interface BuildOnNode {
  readonly node_id: string;
  /** ready: the node can start lobbies of it. failed: the node could not unpack it, and tries again. */
  readonly state: "ready" | "preparing" | "failed";
  /** Why the node could not unpack it; null: it has not failed. */
  readonly message: string | null;
}

export interface Candidate {
  /** A lobby of a requested game mode and region. */
  readonly lobby_id: string;
  readonly game_mode_id: string;
  readonly region_id: string;
  /** `chosen`; for a lobby that fits: `less_full`, `newer`, `larger_id`, `not_ready`, `other_pair_first`, `client_limit`; for one that does not fit, every obstacle: `party_does_not_fit`, `full`, `missing_tags`, `closed`, `closed_by_operator`, `silent`, `other_version`; to operators also `private`. */
  readonly codes: readonly string[];
  /** The same in words. */
  readonly message: string;
}

export interface ConnectedPlayersAnswer {
  /** The player. */
  readonly player_id: string;
  /** The player has dropped and came back: its seat was held. */
  readonly returned: boolean;
  /** Your own name for the player, if the call that took the seat gave one. */
  readonly key?: string;
  /** A server token gave the key. Otherwise the player did, and nothing vouches for it. */
  readonly is_key_vouched?: boolean;
}

export interface ConnectedPlayersRequest {
  /** The token that the player got from find, join or create. */
  readonly player_token: string;
}

export interface CreateBuildAnswer {
  /** The build's id. */
  readonly build_id: string;
  /** The SHA-256 of the bytes that arrived. */
  readonly sha256: string;
  /** How many bytes arrived. */
  readonly size: number;
}

export interface CreateCloudTokenRequest {
  /** When the token expires; absent or null: never. */
  readonly expires_ts?: string | null;
}

export interface CreateGameAnswer {
  /** The new game's id. */
  readonly game_id: string;
}

export interface CreateGameNamespaceAnswer {
  /** The new namespace's id. */
  readonly namespace_id: string;
}

export interface CreateGameNamespaceRequest {
  /** Human-readable name, 1 to 128 bytes of UTF-8. */
  readonly display_name: string;
  /** Short identifier, 1 to 32 of `a-z 0-9 -`; can replace the UUID in paths. */
  readonly name_id: string;
  /** A version of the game to deploy immediately. */
  readonly version_id?: string | null;
}

export interface CreateGameVersionAnswer {
  /** The new version's id. */
  readonly version_id: string;
}

export interface CreateRequest {
  /** The name of a game mode in the deployed version. */
  readonly game_mode: string;
  /** The name of a region in the deployed version. */
  readonly region?: string | null;
  /** Private lobbies are never found. */
  readonly publicity?: "public" | "private" | null;
  /** At most 8; names ≤ 64 and values ≤ 256 bytes, without control characters and line breaks. */
  readonly tags?: Readonly<Record<string, string>> | null;
  /** Size of a lobby that this call creates, where the game mode allows choosing it. */
  readonly max_players?: number | null;
  /** Seats to take together; 1 if absent. */
  readonly party_size?: number | null;
  /** One entry for each seat, in place of `party_size`. The answer has them in the same order. */
  readonly players?: readonly SeatRequest[] | null;
  /** The id or the display name of the version that the caller was built for. Refused when another one is deployed. */
  readonly version?: string | null;
  /** Any JSON up to 16 KiB, passed to the lobby. */
  readonly lobby_config?: unknown;
}

export interface CreateSignInCodeAnswer {
  /** 128 random bits. */
  readonly code: string;
  /** When it ends by itself. */
  readonly expires_ts: string;
}

export interface Decision {
  /** The decision. */
  readonly decision_id: string;
  /** When the call was answered; of equal refusals, the first of them. */
  readonly at: string;
  readonly operation: "find" | "join" | "create";
  readonly asked: DecisionAsked;
  /** `CREATED`, or the code of the refusal. */
  readonly outcome: string;
  /** How many equal refusals within a second this stands for. */
  readonly count: number;
  /** The lobby that was made, or that the call waited for. */
  readonly lobby_id?: string;
  /** How long the call took. */
  readonly waited_ms: number;
  readonly explain?: Explanation;
}

/** What the call asked for. Long texts are cut. */
export interface DecisionAsked {
  readonly game_modes?: readonly string[];
  readonly regions?: readonly string[];
  readonly tags?: Readonly<Record<string, string>>;
  /** How many seats. */
  readonly seats: number;
  readonly max_players?: number;
  readonly version?: string;
  /** Of a join by id. */
  readonly lobby_id?: string;
}

export interface DecisionList {
  readonly decisions: readonly Decision[];
  /** A node did not answer in 2 s, and its decisions are missing. */
  readonly is_partial: boolean;
  /** Absent on the last page. */
  readonly cursor?: string;
}

export interface Deploy {
  /** The version. */
  readonly version_id: string;
  /** Human-readable name, 1 to 128 bytes of UTF-8. */
  readonly display_name: string;
  /** When it was deployed. */
  readonly deploy_ts: string;
  /** The version was deleted; the history keeps its id and name. */
  readonly is_deleted: boolean;
  /** It was rolled back from: an earlier version was deployed again in its stead. A rollback goes to the newest earlier deployment of another version for which this is false. */
  readonly rolled_back: boolean;
}

export interface DevelopmentServer {
  /** Where the game server under development runs. */
  readonly hostname: string;
  /** By label; each has either `port` or `port_range`. */
  readonly ports: Readonly<Record<string, {
    readonly protocol: "http" | "https" | "ws" | "wss" | "tcp" | "tls" | "udp";
    readonly port?: number | null;
    readonly port_range?: {
      readonly min: number;
      readonly max: number;
    } | null;
  }>>;
}

export interface DisconnectedPlayersRequest {
  /** The token that the player got from find, join or create. */
  readonly player_token: string;
  /** The player dropped and may come back. Means nothing where `reconnect_s` is 0. */
  readonly may_return?: boolean | null;
}

/** Foyer starts each lobby as a container on its own machine. */
export interface DockerRuntime {
  /** The image, such as registry.example.com/game:1.4. What a tag means is decided when the version is first started, and stays. */
  readonly image: string;
  /** The program to start. By default that of the image. */
  readonly command?: string | null;
  /** Its arguments. By default those of the image, or none when `command` is given. */
  readonly args?: readonly string[] | null;
  /** Environment variables of the program. Foyer sets PORT, PORT_… and FOYER_… itself. */
  readonly env?: Readonly<Record<string, string>> | null;
  /** `bridge`: a network of its own, with the ports published. `host`: that of the machine; needs the admin token. */
  readonly network?: "bridge" | "host" | null;
  /** Memory; with more it is ended. */
  readonly memory_mib?: number | null;
  /** Processors, also a part of one. By default no limit. */
  readonly cpus?: number | null;
  /** Most processes and threads. */
  readonly pids?: number | null;
  /** Whether the version's first start pulls the image: when the machine does not have it, never, or always. Later starts pull that same image where it is missing, unless `never`. */
  readonly pull?: "missing" | "never" | "always" | null;
  /** Whether the image's files cannot be changed. /tmp is always writable, in memory. */
  readonly read_only?: boolean | null;
  /** User, or user:group, by name or number. By default that of the image. */
  readonly user?: string | null;
}

/** Only with `explain`. */
export interface Explanation {
  /** What find did, or why it did nothing, in a sentence. */
  readonly summary: string;
  /** At most 20: the chosen lobby, then the nearest misses first. */
  readonly candidates: readonly Candidate[];
  /** There are more candidates than are listed. */
  readonly has_more: boolean;
  /** Living private lobbies of the requested game modes and regions, which find never chooses. */
  readonly private_count: number;
}

export interface FindDryRunAnswer {
  /** The lobby that find would choose. Null: it would create one. */
  readonly lobby: {
    /** The lobby. */
    readonly lobby_id: string;
    readonly region: {
      readonly region_id: string;
      readonly display_name: string;
    };
  } | null;
  /** No lobby fits, and find would create one. */
  readonly would_create: boolean;
  readonly explain?: Explanation;
}

export interface FindPreview {
  /** The lobby that find would choose. Null: it would create one. */
  readonly lobby: {
    /** The lobby. */
    readonly lobby_id: string;
    readonly region: {
      readonly region_id: string;
      readonly display_name: string;
    };
  } | null;
  /** No lobby fits, and find would create one. */
  readonly would_create: boolean;
  /** What find would be refused with. */
  readonly refusal: {
    readonly code: string;
    readonly message: string;
  } | null;
  readonly explain: Explanation;
}

export interface FindRequest {
  /** In order of preference. */
  readonly game_modes: readonly string[];
  /** In order of preference. */
  readonly regions?: readonly string[] | null;
  /** At most 8; names ≤ 64 and values ≤ 256 bytes, without control characters and line breaks. */
  readonly tags?: Readonly<Record<string, string>> | null;
  /** Size of a lobby that this call creates, where the game mode allows choosing it. */
  readonly max_players?: number | null;
  /** Seats to take together; 1 if absent. */
  readonly party_size?: number | null;
  /** One entry for each seat, in place of `party_size`. The answer has them in the same order. */
  readonly players?: readonly SeatRequest[] | null;
  /** The id or the display name of the version that the caller was built for. Refused when another one is deployed. */
  readonly version?: string | null;
  readonly prevent_auto_create_lobby?: boolean | null;
  /** Only answer what find would do: take no seat, create no lobby. An Idempotency-Key is ignored. */
  readonly dry_run?: boolean | null;
  /** Add why each lobby was or was not chosen. When the find is refused, this is in `metadata.explain` of the error. */
  readonly explain?: boolean | null;
}

export interface Game {
  /** The game's id. */
  readonly game_id: string;
  /** Short identifier, 1 to 32 of `a-z 0-9 -`; can replace the UUID in paths. */
  readonly name_id: string;
  /** Human-readable name, 1 to 128 bytes of UTF-8. */
  readonly display_name: string;
  /** When it was created. */
  readonly create_ts: string;
}

/** A kind of lobby. */
export interface GameMode {
  /** The seats that find may fill. */
  readonly max_players: number;
  /** The seats that a join by id may fill; not less than max_players, which is the default. */
  readonly max_players_direct?: number | null;
  /** Names of regions of this document, in the order in which find tries them. By default all. */
  readonly regions?: readonly string[] | null;
  /** Whether public lobbies of this mode are listed. */
  readonly listable?: boolean | null;
  /** Whether lobbies of this mode may carry tags. */
  readonly taggable?: boolean | null;
  /** Whether find and create may size the lobby that they create. */
  readonly allow_dynamic_max_players?: boolean | null;
  /** Who may give players keys: `vouched`, only your backend with a server token; `open`, players too, whose keys are labels that nothing vouches for. */
  readonly player_keys?: "vouched" | "open" | null;
  readonly idle_lobbies?: {
    /** How many empty lobbies Foyer keeps running in each region, before players need them. No effect with `external`: Foyer does not start those. */
    readonly min?: number | null;
  } | null;
  readonly timeouts?: Timeouts | null;
  readonly actions?: Actions | null;
  readonly codes?: JoinCodes | null;
  /** The ports of a lobby by label. */
  readonly ports?: Readonly<Record<string, {
    /** The protocol of this port. Clients see https, wss and tls as is_tls. */
    readonly protocol?: "http" | "https" | "ws" | "wss" | "tcp" | "tls" | "udp" | null;
    /** How players reach an http or ws port: `direct`, at a port of its own; `gateway`, through Foyer at `/lobby/<lobby_id>/<label>`. Not with `external`. */
    readonly routing?: "direct" | "gateway" | null;
    /** Whether the server may begin to listen on it after it has called ready. Otherwise a lobby that Foyer runs becomes ready only when the port accepts connections; UDP ports are not tried. */
    readonly lazy?: boolean | null;
  }>> | null;
  readonly runtime: Runtime;
}

export interface GetBuildAnswer {
  readonly build: Build;
  readonly nodes: readonly BuildOnNode[];
}

export interface GetGameAnswer {
  readonly game: Game;
}

export interface GetGameNamespaceAnswer {
  readonly namespace: Namespace;
}

export interface GetGameVersionAnswer {
  readonly version: Version;
}

export interface GetLobbyLogsAnswer {
  readonly stream: "stdout" | "stderr";
  /** Tokens are removed. Empty for lobbies that Foyer does not run. */
  readonly text: string;
  /** The log has more before this text. */
  readonly is_truncated: boolean;
}

export interface GetOperatorLobbyAnswer {
  readonly lobby: OperatorLobbyDetails;
}

export interface GetStatisticsAnswer {
  /** In the namespace. */
  readonly player_count: number;
  readonly game_modes: Readonly<Record<string, {
    /** In the game mode. */
    readonly player_count: number;
    readonly regions: Readonly<Record<string, {
      /** In the region. */
      readonly player_count: number;
    }>>;
  }>>;
}

export interface GetVersionHistoryAnswer {
  readonly versions: readonly Deploy[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

export interface HeartbeatAnswer {
  /** The connected players. */
  readonly player_ids: readonly string[];
  /** The connected and the held players. */
  readonly players: readonly HeartbeatPlayer[];
  /** The lobby's own flag. */
  readonly is_closed: boolean;
  /** The operator has closed the lobby to find, independently of its own flag. */
  readonly is_closed_by_operator: boolean;
  /** Another version is deployed: stop when you can. */
  readonly is_outdated: boolean;
  /** Send a heartbeat at least this often; 0: none is needed. */
  readonly heartbeat_s: number;
  /** How long a dropped player may come back; 0: seats are not held. */
  readonly reconnect_s: number;
}

export interface HeartbeatPlayer {
  /** The player. */
  readonly player_id: string;
  /** Your own name for the player, if the call that took the seat gave one. */
  readonly key?: string;
  /** A server token gave the key. Otherwise the player did, and nothing vouches for it. */
  readonly is_key_vouched?: boolean;
  /** The player dropped and may come back. */
  readonly is_held: boolean;
}

export interface HeartbeatRequest {
  readonly player_ids?: readonly string[] | null;
  readonly is_closed?: boolean | null;
}

export interface HeldBackMode {
  /** The version. */
  readonly version_id: string;
  readonly game_mode_id: string;
  /** How many lobbies failed one after the other. */
  readonly consecutive_failures: number;
  /** When Foyer tries to start another one. */
  readonly next_try_ts: string;
  readonly message: string;
}

export interface JoinAnswer {
  readonly lobby: JoinedLobby;
  readonly ports: Readonly<Record<string, LobbyPort>>;
  readonly player: {
    /** Pass it to the lobby, which calls players.connected. */
    readonly token: string;
  };
  readonly players: readonly {
    /** The player. */
    readonly player_id: string;
    readonly token: string;
  }[];
  readonly explain?: Explanation;
}

/** Codes for inviting friends into a lobby. */
export interface JoinCodes {
  /** Whether every lobby of this mode gets a short code that players can join it by. */
  readonly enabled?: boolean | null;
  /** How many symbols a code has, at least. */
  readonly length?: number | null;
}

export interface JoinRequest {
  /** The lobby to join. */
  readonly lobby_id?: string | null;
  /** The code of the lobby to join, in upper or lower case. Spaces and hyphens do not matter. */
  readonly code?: string | null;
  /** Seats to take together; 1 if absent. */
  readonly party_size?: number | null;
  /** One entry for each seat, in place of `party_size`. The answer has them in the same order. */
  readonly players?: readonly SeatRequest[] | null;
}

export interface JoinedLobby {
  /** The lobby. */
  readonly lobby_id: string;
  readonly region: {
    readonly region_id: string;
    readonly display_name: string;
  };
  readonly ports: Readonly<Record<string, LobbyPort>>;
  readonly player: {
    /** Pass it to the lobby, which calls players.connected. */
    readonly token: string;
  };
  /** What friends can join the lobby by, where its game mode has codes. */
  readonly code?: string;
}

export interface ListAuditAnswer {
  readonly entries: readonly AuditEntry[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

export interface ListBlocksAnswer {
  readonly blocks: readonly Block[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

export interface ListBuildsAnswer {
  readonly builds: readonly Build[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

export interface ListGameNamespacesAnswer {
  readonly namespaces: readonly Namespace[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

export interface ListGameVersionsAnswer {
  readonly versions: readonly VersionSummary[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

export interface ListGamesAnswer {
  readonly games: readonly Game[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

export interface ListLobbiesAnswer {
  readonly game_modes: readonly {
    readonly game_mode_id: string;
  }[];
  readonly regions: readonly Region[];
  readonly lobbies: readonly Lobby[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

export interface ListNodesAnswer {
  readonly nodes: readonly Node[];
}

export interface ListOperatorLobbiesAnswer {
  readonly lobbies: readonly OperatorLobby[];
  /** Game modes of the deployed version whose lobbies keep failing, so Foyer starts none now. */
  readonly held_back: readonly HeldBackMode[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

export interface ListRegionsAnswer {
  readonly regions: readonly Region[];
}

export interface ListSessionsAnswer {
  readonly sessions: readonly SignedIn[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

export interface LobbiesAddedEvent {
  readonly event: "added";
  readonly lobbies: readonly Lobby[];
}

export interface LobbiesChangedEvent {
  readonly event: "changed";
  readonly lobbies: readonly Lobby[];
}

export interface LobbiesRemovedEvent {
  readonly event: "removed";
  readonly lobby_ids: readonly string[];
}

/** What `list` shows, without states, in the same order. */
export interface LobbiesSnapshotEvent {
  readonly event: "snapshot";
  readonly lobbies: readonly Lobby[];
  /** There are more than the 1000 that are shown. */
  readonly is_truncated: boolean;
}

export interface Lobby {
  /** The lobby. */
  readonly lobby_id: string;
  readonly game_mode_id: string;
  readonly region_id: string;
  /** Up to how many players find fills it. */
  readonly max_players_normal: number;
  /** Up to how many players join fills it. */
  readonly max_players_direct: number;
  /** The same as max_players_normal. */
  readonly max_players_party: number;
  /** Seats taken. */
  readonly total_player_count: number;
  readonly is_closed: boolean;
  readonly tags: Readonly<Record<string, string>>;
  /** The lobby's state, with `include_state`. */
  readonly state?: unknown;
}

export interface LobbyChangedEvent {
  readonly event: "lobby.changed";
  /** As of when it happened. */
  readonly at: string;
  readonly lobby: OperatorLobby;
}

export interface LobbyClosedEvent {
  readonly event: "lobby.closed";
  /** As of when it happened. */
  readonly at: string;
  readonly lobby: OperatorLobby;
}

export interface LobbyCreatedEvent {
  readonly event: "lobby.created";
  /** As of when it happened. */
  readonly at: string;
  readonly lobby: OperatorLobby;
}

export interface LobbyHistoryAnswer {
  readonly lobbies: readonly PastLobby[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

export interface LobbyOpenedEvent {
  readonly event: "lobby.opened";
  /** As of when it happened. */
  readonly at: string;
  readonly lobby: OperatorLobby;
}

export interface LobbyPort {
  readonly hostname: string;
  /** `hostname:port` */
  readonly host?: string;
  readonly port?: number;
  readonly port_range?: {
    readonly min: number;
    readonly max: number;
  };
  readonly is_tls: boolean;
  /** Of http and ws ports: `ws://hostname:port`, or `wss://` with TLS; through the gateway, `wss://hostname/lobby/<lobby_id>/<label>`. That of an http port ends in `/`. */
  readonly url?: string;
}

export interface LobbyReadyEvent {
  readonly event: "lobby.ready";
  /** As of when it happened. */
  readonly at: string;
  readonly lobby: OperatorLobby;
}

export interface LobbyStoppedEvent {
  readonly event: "lobby.stopped";
  /** As of when it happened. */
  readonly at: string;
  readonly lobby: OperatorLobby;
}

/** The lobby has ended and the whole log was sent. */
export interface LogEndEvent {
  readonly event: "end";
  /** self, operator, crashed, start_failed, namespace_removed, node_lost, not_ready, empty, outdated or silent, as in the list of lobbies. */
  readonly stop_reason: string;
  /** Of its process. Null: it has not ended, a signal ended it, or how it ended is unknown. */
  readonly exit_code: number | null;
  /** The signal that ended its process, if one did. */
  readonly exit_signal: string | null;
  /** Why it stopped, in words; exit_code and exit_signal say how its process ended. */
  readonly exit_message: string | null;
}

export interface LogLineEvent {
  readonly event: "line";
  /** Without its line break; tokens are removed. */
  readonly text: string;
  /** The line is longer than 16 KiB and continues in the next event. */
  readonly is_cut?: boolean;
}

/** The next lines are no longer kept, because the log was rotated. The stream continues with the newest part. */
export interface LogResetEvent {
  readonly event: "reset";
}

export interface MatchmakerConfig {
  /** The most lobbies at the same time in the namespace. 0: no new lobby. */
  readonly lobby_count_max: number;
  /** The most players in one lobby. 0: no player gets a seat. */
  readonly max_players: number;
  /** The most seats one client may have at the same time. Absent: unchanged. Null: no limit. */
  readonly max_players_per_client?: number | null;
}

export interface Namespace {
  /** The namespace's id. */
  readonly namespace_id: string;
  /** The game it belongs to. */
  readonly game_id: string;
  /** Short identifier, 1 to 32 of `a-z 0-9 -`; can replace the UUID in paths. */
  readonly name_id: string;
  /** Human-readable name, 1 to 128 bytes of UTF-8. */
  readonly display_name: string;
  /** When it was created. */
  readonly create_ts: string;
  /** The deployed version. Null: none is deployed yet. */
  readonly version_id: string | null;
  readonly matchmaker: {
    /** The most lobbies at the same time. */
    readonly lobby_count_max: number;
    /** The most players in one lobby. */
    readonly max_players: number;
    /** The most seats one client may have at the same time. Null: no limit. */
    readonly max_players_per_client: number | null;
  };
  readonly domains: readonly {
    readonly domain: string;
    /** When it was added. */
    readonly create_ts: string;
  }[];
  readonly domain_public_auth: {
    readonly enabled: boolean;
    readonly allow_localhost: boolean;
  };
}

export interface NamespaceConfiguredEvent {
  readonly event: "namespace.configured";
  /** As of when it happened. */
  readonly at: string;
  /** The deployed version; null: none. */
  readonly version_id: string | null;
}

export interface NewToken {
  /** The secret. It is shown only once; Foyer stores only its hash. */
  readonly token: string;
  /** The token's id, for revoking it. */
  readonly token_id: string;
}

export interface Node {
  readonly node_id: string;
  /** The Foyer that it runs; null: a node of an earlier Foyer, which does not say. */
  readonly version: string | null;
  /** When it started; null: a node of an earlier Foyer, which does not say. */
  readonly start_ts: string | null;
  /** Whose lobbies it runs; null: all. */
  readonly regions: readonly string[] | null;
  /** Lobby processes that it runs. */
  readonly lobby_processes: number;
  /** Lobby processes that it may run. */
  readonly lobby_processes_max: number;
  /** It does the work that one node does for all. */
  readonly has_lease: boolean;
  /** By how much its machine's clock is ahead of Redis'; null: not measured yet, or there is no Redis. */
  readonly clock_offset_ms: number | null;
  /** It gave this answer. */
  readonly is_self: boolean;
}

export interface OperatorLobby {
  /** The lobby. */
  readonly lobby_id: string;
  readonly game_mode_id: string;
  readonly region_id: string;
  /** The version it runs. */
  readonly version_id: string;
  readonly status: "starting" | "ready" | "stopped";
  readonly publicity: "public" | "private";
  readonly runtime: "process" | "docker" | "external";
  /** Find avoids it: the lobby's own flag or the operator's is set. */
  readonly is_closed: boolean;
  /** Who closed it: `lobby` by itself; `operator` by games.namespaces.lobbies.setClosed; `token_revoked` with the server token that registered it. Empty while it is open. */
  readonly closed_by: readonly ("lobby" | "operator" | "token_revoked")[];
  /** It has missed its heartbeats; find avoids it. */
  readonly is_silent: boolean;
  /** Another version is deployed; find avoids it. */
  readonly is_outdated: boolean;
  /** Up to how many players find fills it. */
  readonly max_players_normal: number;
  /** Up to how many players join fills it. */
  readonly max_players_direct: number;
  /** Seats that are reserved and not yet connected. */
  readonly reserved_count: number;
  /** Players connected. */
  readonly connected_count: number;
  /** Seats of dropped players that may come back. */
  readonly held_count: number;
  /** Seats taken: reserved, connected and held. */
  readonly total_player_count: number;
  readonly tags: Readonly<Record<string, string>>;
  /** What players can join it by; null: its game mode has no codes. */
  readonly code: string | null;
  readonly ports: Readonly<Record<string, LobbyPort>>;
  /** The node that runs or ran its process. Null: Foyer does not run it, no node has accepted it yet, or this node is the only one. */
  readonly node_id: string | null;
  /** The server token that registered it. Null: Foyer runs it, or the token is unknown. */
  readonly registered_by: string | null;
  /** When it was created. */
  readonly create_ts: string;
  /** When it became ready. */
  readonly ready_ts: string | null;
  /** When it last sent a heartbeat, or since when Foyer waits for one: these clocks start again when the service does. */
  readonly heartbeat_ts: string | null;
  /** Since when no seat is taken. */
  readonly empty_since_ts: string | null;
  /** When it stopped. */
  readonly stop_ts: string | null;
  /** self, operator, crashed, start_failed, namespace_removed, node_lost, not_ready, empty, outdated or silent; null while it lives. */
  readonly stop_reason: string | null;
  /** Of the lobby's process, if it has ended and the code is known. */
  readonly exit_code: number | null;
  /** The signal that ended the lobby's process, if one did. */
  readonly exit_signal: string | null;
  /** Why it stopped, in words; exit_code and exit_signal say how its process ended. */
  readonly exit_message: string | null;
}

export interface OperatorLobbyDetails {
  /** The lobby. */
  readonly lobby_id: string;
  readonly game_mode_id: string;
  readonly region_id: string;
  /** The version it runs. */
  readonly version_id: string;
  readonly status: "starting" | "ready" | "stopped";
  readonly publicity: "public" | "private";
  readonly runtime: "process" | "docker" | "external";
  /** Find avoids it: the lobby's own flag or the operator's is set. */
  readonly is_closed: boolean;
  /** Who closed it: `lobby` by itself; `operator` by games.namespaces.lobbies.setClosed; `token_revoked` with the server token that registered it. Empty while it is open. */
  readonly closed_by: readonly ("lobby" | "operator" | "token_revoked")[];
  /** It has missed its heartbeats; find avoids it. */
  readonly is_silent: boolean;
  /** Another version is deployed; find avoids it. */
  readonly is_outdated: boolean;
  /** Up to how many players find fills it. */
  readonly max_players_normal: number;
  /** Up to how many players join fills it. */
  readonly max_players_direct: number;
  /** Seats that are reserved and not yet connected. */
  readonly reserved_count: number;
  /** Players connected. */
  readonly connected_count: number;
  /** Seats of dropped players that may come back. */
  readonly held_count: number;
  /** Seats taken: reserved, connected and held. */
  readonly total_player_count: number;
  readonly tags: Readonly<Record<string, string>>;
  /** What players can join it by; null: its game mode has no codes. */
  readonly code: string | null;
  readonly ports: Readonly<Record<string, LobbyPort>>;
  /** The node that runs or ran its process. Null: Foyer does not run it, no node has accepted it yet, or this node is the only one. */
  readonly node_id: string | null;
  /** The server token that registered it. Null: Foyer runs it, or the token is unknown. */
  readonly registered_by: string | null;
  /** When it was created. */
  readonly create_ts: string;
  /** When it became ready. */
  readonly ready_ts: string | null;
  /** When it last sent a heartbeat, or since when Foyer waits for one: these clocks start again when the service does. */
  readonly heartbeat_ts: string | null;
  /** Since when no seat is taken. */
  readonly empty_since_ts: string | null;
  /** When it stopped. */
  readonly stop_ts: string | null;
  /** self, operator, crashed, start_failed, namespace_removed, node_lost, not_ready, empty, outdated or silent; null while it lives. */
  readonly stop_reason: string | null;
  /** Of the lobby's process, if it has ended and the code is known. */
  readonly exit_code: number | null;
  /** The signal that ended the lobby's process, if one did. */
  readonly exit_signal: string | null;
  /** Why it stopped, in words; exit_code and exit_signal say how its process ended. */
  readonly exit_message: string | null;
  /** What the lobby has set with lobbies.setState; null: nothing. */
  readonly state: unknown;
  /** The last lines of the process's log, if it ended by itself. */
  readonly log_tail: string | null;
  readonly players: readonly OperatorSeat[];
  /** The last 50 events of the lobby, the newest last. After a restart of the service it starts again with `lobby.created`, `lobby.ready` and `lobby.stopped`. */
  readonly timeline: readonly TimelineEntry[];
}

export interface OperatorSeat {
  /** The player. */
  readonly player_id: string;
  /** reserved, connected or held */
  readonly status: string;
  /** The client that asked for the seat. Null: a server token did. */
  readonly client: string | null;
  /** Your own name for the player, if the call that took the seat gave one. */
  readonly key?: string;
  /** A server token gave the key. Otherwise the player did, and nothing vouches for it. */
  readonly is_key_vouched?: boolean;
  /** When the seat was reserved. */
  readonly reserve_ts: string;
  /** When the player connected. */
  readonly connect_ts: string | null;
  /** When the reservation or the hold ends. */
  readonly expires_ts: string | null;
}

export interface OwnSeatRequest {
  /** The token that the player got from find, join or create. */
  readonly player_token?: string | null;
  /** The key that a server token gave with the seat. Server tokens only; in place of `player_token`. */
  readonly key?: string | null;
}

export interface PastLobby {
  /** The lobby. */
  readonly lobby_id: string;
  readonly game_mode_id: string;
  readonly region_id: string;
  /** The version it ran. */
  readonly version_id: string;
  /** Of that version. Null: it was deleted so long ago that its name is forgotten. */
  readonly version_display_name: string | null;
  /** The version was deleted; only its id and name are kept. */
  readonly is_version_deleted: boolean;
  /** When it was created. */
  readonly create_ts: string;
  /** When it became ready; null: it never was. */
  readonly ready_ts: string | null;
  /** When it stopped. */
  readonly stop_ts: string;
  /** self, operator, crashed, start_failed, namespace_removed, node_lost, not_ready, empty, outdated or silent, as in the list of lobbies. */
  readonly stop_reason: string;
  /** The most seats that were taken at the same time. */
  readonly peak_player_count: number;
  /** Of its process. Null: it has not ended, a signal ended it, or how it ended is unknown. */
  readonly exit_code: number | null;
  /** The signal that ended its process, if one did. */
  readonly exit_signal: string | null;
  /** Why it stopped, in words; exit_code and exit_signal say how its process ended. */
  readonly exit_message: string | null;
}

export interface PlayerConnectedEvent {
  readonly event: "player.connected";
  /** As of when it happened. */
  readonly at: string;
  /** The lobby of the seat. */
  readonly lobby_id: string;
  /** The player. */
  readonly player_id: string;
  /** Your own name for the player, if the call that took the seat gave one. */
  readonly key?: string;
  /** A server token gave the key. Otherwise the player did, and nothing vouches for it. */
  readonly is_key_vouched?: boolean;
  /** reserved, connected, held, expired, left, released, not_returned, or ended with the lobby */
  readonly status: string;
  /** `blocked`: the seat ended with a block of its client. */
  readonly reason?: string;
}

export interface PlayerExpiredEvent {
  readonly event: "player.expired";
  /** As of when it happened. */
  readonly at: string;
  /** The lobby of the seat. */
  readonly lobby_id: string;
  /** The player. */
  readonly player_id: string;
  /** Your own name for the player, if the call that took the seat gave one. */
  readonly key?: string;
  /** A server token gave the key. Otherwise the player did, and nothing vouches for it. */
  readonly is_key_vouched?: boolean;
  /** reserved, connected, held, expired, left, released, not_returned, or ended with the lobby */
  readonly status: string;
  /** `blocked`: the seat ended with a block of its client. */
  readonly reason?: string;
}

export interface PlayerHeldEvent {
  readonly event: "player.held";
  /** As of when it happened. */
  readonly at: string;
  /** The lobby of the seat. */
  readonly lobby_id: string;
  /** The player. */
  readonly player_id: string;
  /** Your own name for the player, if the call that took the seat gave one. */
  readonly key?: string;
  /** A server token gave the key. Otherwise the player did, and nothing vouches for it. */
  readonly is_key_vouched?: boolean;
  /** reserved, connected, held, expired, left, released, not_returned, or ended with the lobby */
  readonly status: string;
  /** `blocked`: the seat ended with a block of its client. */
  readonly reason?: string;
}

export interface PlayerLeftEvent {
  readonly event: "player.left";
  /** As of when it happened. */
  readonly at: string;
  /** The lobby of the seat. */
  readonly lobby_id: string;
  /** The player. */
  readonly player_id: string;
  /** Your own name for the player, if the call that took the seat gave one. */
  readonly key?: string;
  /** A server token gave the key. Otherwise the player did, and nothing vouches for it. */
  readonly is_key_vouched?: boolean;
  /** reserved, connected, held, expired, left, released, not_returned, or ended with the lobby */
  readonly status: string;
  /** `blocked`: the seat ended with a block of its client. */
  readonly reason?: string;
}

export interface PlayerReservedEvent {
  readonly event: "player.reserved";
  /** As of when it happened. */
  readonly at: string;
  /** The lobby of the seat. */
  readonly lobby_id: string;
  /** The player. */
  readonly player_id: string;
  /** Your own name for the player, if the call that took the seat gave one. */
  readonly key?: string;
  /** A server token gave the key. Otherwise the player did, and nothing vouches for it. */
  readonly is_key_vouched?: boolean;
  /** reserved, connected, held, expired, left, released, not_returned, or ended with the lobby */
  readonly status: string;
  /** `blocked`: the seat ended with a block of its client. */
  readonly reason?: string;
}

export interface PlayerReturnedEvent {
  readonly event: "player.returned";
  /** As of when it happened. */
  readonly at: string;
  /** The lobby of the seat. */
  readonly lobby_id: string;
  /** The player. */
  readonly player_id: string;
  /** Your own name for the player, if the call that took the seat gave one. */
  readonly key?: string;
  /** A server token gave the key. Otherwise the player did, and nothing vouches for it. */
  readonly is_key_vouched?: boolean;
  /** reserved, connected, held, expired, left, released, not_returned, or ended with the lobby */
  readonly status: string;
  /** `blocked`: the seat ended with a block of its client. */
  readonly reason?: string;
}

export interface PreviewFindRequest {
  /** In order of preference. */
  readonly game_modes: readonly string[];
  /** In order of preference. */
  readonly regions?: readonly string[] | null;
  /** At most 8; names ≤ 64 and values ≤ 256 bytes, without control characters and line breaks. */
  readonly tags?: Readonly<Record<string, string>> | null;
  /** Size of a lobby that this call creates, where the game mode allows choosing it. */
  readonly max_players?: number | null;
  /** Seats to take together; 1 if absent. */
  readonly party_size?: number | null;
  /** One entry for each seat, in place of `party_size`. The answer has them in the same order. */
  readonly players?: readonly SeatRequest[] | null;
  /** The id or the display name of the version that the caller was built for. Refused when another one is deployed. */
  readonly version?: string | null;
  readonly prevent_auto_create_lobby?: boolean | null;
  /** The player's machine. */
  readonly client?: {
    /** Counts for max_players_per_client only. Absent: a client that has no seat. */
    readonly address?: string | null;
    readonly coordinates?: {
      readonly latitude: number;
      readonly longitude: number;
    } | null;
  } | null;
}

/** Foyer starts each lobby as a process on its own machine. */
export interface ProcessRuntime {
  /** The program to start, without a shell. */
  readonly command: string;
  /** Its arguments. */
  readonly args?: readonly string[] | null;
  /** The folder to start it in, relative to FOYER_LOBBY_ROOT. By default a new, empty one for each lobby. With a build: relative to the build's folder, which is the default. */
  readonly cwd?: string | null;
  /** The build that has the program. A command with a slash that is not absolute is a file of the build; one without a slash comes from PATH. */
  readonly build_id?: string | null;
  /** Environment variables of the program. Foyer sets PORT, PORT_… and FOYER_… itself. */
  readonly env?: Readonly<Record<string, string>> | null;
}

export interface ProposedMatchmakerConfig {
  /** Valid: an integer from 0 to 4294967295. */
  readonly lobby_count_max: number;
  /** Valid: an integer from 0 to 4294967295. */
  readonly max_players: number;
  /** Valid: an integer from 0 to 4294967295, or null. */
  readonly max_players_per_client?: number | null;
}

export interface ProposedNames {
  /** Human-readable name, 1 to 128 bytes of UTF-8. */
  readonly display_name: string;
  /** Short identifier, 1 to 32 of `a-z 0-9 -`; can replace the UUID in paths. */
  readonly name_id: string;
}

export interface ProposedVersion {
  /** Human-readable name, 1 to 128 bytes of UTF-8. */
  readonly display_name: string;
  readonly config: VersionConfig;
}

export interface Region {
  readonly region_id: string;
  readonly provider_display_name: string;
  readonly region_display_name: string;
  readonly datacenter_coord: {
    readonly latitude: number;
    readonly longitude: number;
  };
  readonly datacenter_distance_from_client: {
    readonly kilometers: number;
    readonly miles: number;
  };
  /** What to fetch to measure how far away the region is. */
  readonly ping_url?: string;
}

/** A location where lobbies run. */
export interface RegionConfig {
  /** The name that players see. 1 to 128 bytes; by default the region's own name. */
  readonly display_name?: string | null;
  /** Who runs the machines there; at most 128 bytes, may be empty. */
  readonly provider_display_name?: string | null;
  /** Degrees, north is positive. */
  readonly latitude?: number | null;
  /** Degrees, east is positive. */
  readonly longitude?: number | null;
  /** What clients may fetch to measure how far away the region is: http or https. Foyer never fetches it. */
  readonly ping_url?: string | null;
}

export interface RegisterAnswer {
  /** The lobby. */
  readonly lobby_id: string;
  /** The lobby token. */
  readonly token: string;
  /** Send a heartbeat at least this often; 0: none is needed. */
  readonly heartbeat_s: number;
  /** How long a dropped player may come back; 0: seats are not held. */
  readonly reconnect_s: number;
  /** What friends can join the lobby by, where its game mode has codes. */
  readonly code?: string;
}

export interface RegisterRequest {
  /** The name of a game mode in the deployed version. */
  readonly game_mode: string;
  /** The name of a region in the deployed version. */
  readonly region: string;
  /** One for each port label of the game mode. */
  readonly ports: Readonly<Record<string, {
    /** A host name (a single label, such as a container's, is allowed) or an IP address. */
    readonly hostname: string;
    readonly port: number;
    readonly is_tls: boolean;
  }>>;
  /** The version that the lobby runs; absent: the deployed one. */
  readonly version_id?: string | null;
  /** At most 8; names ≤ 64 and values ≤ 256 bytes, without control characters and line breaks. */
  readonly tags?: Readonly<Record<string, string>> | null;
  /** Size of the lobby. Replaces both maxima of its game mode; at most the larger of them. */
  readonly max_players?: number | null;
  /** Private lobbies are never found. */
  readonly publicity?: "public" | "private" | null;
}

/** The events after Last-Event-ID are no longer available: read your data again, then continue from here. */
export interface ResetEvent {
  readonly event: "reset";
  /** As of when it happened. */
  readonly at: string;
}

/** How lobbies run: exactly one of the three. */
export interface Runtime {
  readonly process?: ProcessRuntime | null;
  readonly docker?: DockerRuntime | null;
  /** Your own servers register their lobbies themselves. */
  readonly external?: Record<string, never> | null;
}

/** A seat, and whom it is for. */
export interface SeatRequest {
  /** Your own name for the player. */
  readonly key?: string | null;
}

export interface SetBlockRequest {
  /** An address or a range: IPv4 /16 to /32, IPv6 /32 to /64. An IPv6 address means its /64, as for clients. */
  readonly client: string;
  /** When the block ends by itself; absent or null: never. */
  readonly until_ts?: string | null;
  /** A note for readers of the list. */
  readonly note?: string | null;
  /** Ends its taken seats too. */
  readonly end_seats?: boolean | null;
}

export interface SetClosedRequest {
  /** Whether the lobby is closed to matchmaker routing. */
  readonly is_closed: boolean;
}

export interface SetOperatorClosedRequest {
  readonly is_closed: boolean;
}

export interface SignInAnswer {
  /** The session token. */
  readonly token: string;
  /** When it ends by itself. */
  readonly expires_ts: string;
}

export interface SignInRequest {
  /** The code of a sign-in address. */
  readonly code: string;
}

export interface SignedIn {
  /** The session's id, as in the audit log. */
  readonly session_id: string;
  /** When it was made. */
  readonly create_ts: string;
  /** When it was last used; noted once a minute. */
  readonly last_used_ts: string;
  /** When it ends if it is not used again. */
  readonly expires_ts: string;
}

export interface TimelineEntry {
  /** As of when it happened. */
  readonly at: string;
  /** The name of the event, as in games.namespaces.events. */
  readonly event: string;
  /** The player, the reason or what was changed, if there is one. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Whole seconds, at most one day each; `reconnect_s` at most one hour. */
export interface Timeouts {
  /** Foyer stops a lobby that is not ready after this time. */
  readonly ready_s?: number | null;
  /** How long a reserved seat waits for its player, counted from the lobby's ready. */
  readonly reservation_s?: number | null;
  /** A lobby that sends no heartbeat for this time gets no players from find; after ten times as long Foyer stops it. 0 turns this off. Without it: 30, for lobbies that Foyer runs from their first heartbeat on. */
  readonly heartbeat_s?: number | null;
  /** Foyer stops a lobby that it runs after this time without a taken seat. */
  readonly empty_s?: number | null;
  /** How long a dropped player may come back: its seat is held for so long. 0: it ends immediately. */
  readonly reconnect_s?: number | null;
}

export interface ToggleNamespaceDomainPublicAuthRequest {
  /** Absent or null: unchanged. At least one of the two is needed. */
  readonly enabled?: boolean | null;
  /** Absent or null: unchanged. */
  readonly allow_localhost?: boolean | null;
}

export interface Token {
  /** The token's id, for revoking it. */
  readonly token_id: string;
  readonly kind: "cloud" | "pub" | "dev" | "server";
  /** When it was made. */
  readonly create_ts: string;
  /** When it was last used, within half a minute; null if never. */
  readonly last_used_ts: string | null;
  /** When it ends by itself. */
  readonly expires_ts?: string;
  /** When it was revoked. */
  readonly revoke_ts?: string;
}

export interface TokenList {
  readonly tokens: readonly Token[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

export interface UpdateGameNamespaceVersionRequest {
  /** The version to deploy. */
  readonly version_id: string;
  /** The version that is deployed now: if it is another one, nothing happens. Absent or null: any. */
  readonly expected_version_id?: string | null;
}

export interface ValidationAnswer {
  readonly errors: readonly {
    /** Where the issue is; the last element is the reason. */
    readonly path: readonly string[];
    readonly message: string;
  }[];
}

export interface Version {
  /** The version's id. */
  readonly version_id: string;
  /** Human-readable name, 1 to 128 bytes of UTF-8. */
  readonly display_name: string;
  /** When it was made. */
  readonly create_ts: string;
  readonly config: VersionConfig;
}

/** Game modes, regions and how lobbies run. It never changes after its creation. */
export interface VersionConfig {
  /** The regions by name. */
  readonly regions: Readonly<Record<string, RegionConfig>>;
  /** The game modes by name. */
  readonly game_modes: Readonly<Record<string, GameMode>>;
}

export interface VersionSummary {
  /** The version's id. */
  readonly version_id: string;
  /** Human-readable name, 1 to 128 bytes of UTF-8. */
  readonly display_name: string;
  /** When it was made. */
  readonly create_ts: string;
}

export interface VersionValidationAnswer {
  readonly errors: readonly {
    /** Where the issue is; the last element is the reason. */
    readonly path: readonly string[];
    readonly message: string;
  }[];
  readonly warnings?: readonly {
    /** Where the issue is; the last element is the reason. */
    readonly path: readonly string[];
    readonly message: string;
  }[];
}

export interface WhoamiAnswer {
  readonly kind: "admin" | "session" | "cloud";
  /** The one game of a cloud token. */
  readonly game_id?: string;
  /** The token or the session; absent for the admin token. */
  readonly token_id?: string;
  /** When the token expires; absent: never. */
  readonly expires_ts?: string;
  readonly may: {
    readonly create_games: boolean;
    /** Make versions with the `process` runtime, which run programs on the machine of the service. */
    readonly run_processes: boolean;
    /** Make versions with the `docker` runtime, which run containers on the machine of the service. */
    readonly run_containers: boolean;
  };
}
