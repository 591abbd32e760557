// Written by scripts/write-openapi.mjs from Foyer's contract. Do not edit.
import type { Bytes, CallOptions, KeyedCallOptions, Page, StreamEvent, StreamOptions } from "../call.ts";
import type {
  Activity,
  AddNamespaceDomainRequest,
  ConnectedPlayersAnswer,
  ConnectedPlayersRequest,
  CreateBuildAnswer,
  CreateCloudTokenRequest,
  CreateGameAnswer,
  CreateGameNamespaceAnswer,
  CreateGameNamespaceRequest,
  CreateGameVersionAnswer,
  CreateRequest,
  CreateSignInCodeAnswer,
  DecisionList,
  DevelopmentServer,
  DisconnectedPlayersRequest,
  FindDryRunAnswer,
  FindPreview,
  FindRequest,
  GetBuildAnswer,
  GetGameAnswer,
  GetGameNamespaceAnswer,
  GetGameVersionAnswer,
  GetLobbyLogsAnswer,
  GetOperatorLobbyAnswer,
  GetStatisticsAnswer,
  GetVersionHistoryAnswer,
  HeartbeatAnswer,
  HeartbeatRequest,
  JoinAnswer,
  JoinRequest,
  ListAuditAnswer,
  ListBlocksAnswer,
  ListBuildsAnswer,
  ListGameNamespacesAnswer,
  ListGameVersionsAnswer,
  ListGamesAnswer,
  ListLobbiesAnswer,
  ListNodesAnswer,
  ListOperatorLobbiesAnswer,
  ListRegionsAnswer,
  ListSessionsAnswer,
  LobbiesAddedEvent,
  LobbiesChangedEvent,
  LobbiesRemovedEvent,
  LobbiesSnapshotEvent,
  LobbyChangedEvent,
  LobbyClosedEvent,
  LobbyCreatedEvent,
  LobbyHistoryAnswer,
  LobbyOpenedEvent,
  LobbyReadyEvent,
  LobbyStoppedEvent,
  LogEndEvent,
  LogLineEvent,
  LogResetEvent,
  MatchmakerConfig,
  NamespaceConfiguredEvent,
  NewToken,
  OwnSeatRequest,
  PlayerConnectedEvent,
  PlayerExpiredEvent,
  PlayerHeldEvent,
  PlayerLeftEvent,
  PlayerReservedEvent,
  PlayerReturnedEvent,
  PreviewFindRequest,
  ProposedMatchmakerConfig,
  ProposedNames,
  ProposedVersion,
  RegisterAnswer,
  RegisterRequest,
  ResetEvent,
  SetBlockRequest,
  SetClosedRequest,
  SetOperatorClosedRequest,
  SignInAnswer,
  SignInRequest,
  ToggleNamespaceDomainPublicAuthRequest,
  TokenList,
  UpdateGameNamespaceVersionRequest,
  ValidationAnswer,
  VersionValidationAnswer,
  WhoamiAnswer,
} from "./types.ts";

/** What games and their servers call. */
export interface PlayerApi {
  readonly lobbies: {
    /** Reserves seats for a player or party in the fullest lobby that fits, or creates a lobby if none fits. Find tries game modes, then regions, in the order given. In the first pair that has a fitting lobby, ready lobbies come before starting ones, then the fullest, then the oldest. Find never chooses closed or private lobbies. If the lobby is still starting, the call waits until it is ready. With an `Idempotency-Key` a retry gets the same seats. (`lobbies.find`: POST /matchmaker/lobbies/find) */
    find(body: FindRequest & { readonly dry_run: true }, options?: KeyedCallOptions): Promise<FindDryRunAnswer>;
    /** Reserves seats for a player or party in the fullest lobby that fits, or creates a lobby if none fits. Find tries game modes, then regions, in the order given. In the first pair that has a fitting lobby, ready lobbies come before starting ones, then the fullest, then the oldest. Find never chooses closed or private lobbies. If the lobby is still starting, the call waits until it is ready. With an `Idempotency-Key` a retry gets the same seats. (`lobbies.find`: POST /matchmaker/lobbies/find) */
    find(body: FindRequest & { readonly dry_run?: false | null }, options?: KeyedCallOptions): Promise<JoinAnswer>;
    /** Reserves seats for a player or party in one lobby by its id or code, including closed and private ones. It fills a lobby up to `max_players_direct` and never opens a closed one. Pass either `lobby_id` or `code`. A code that no living lobby has is LOBBY_NOT_FOUND; after too many of them in a minute codes are refused with 429, while joins by id go on. (`lobbies.join`: POST /matchmaker/lobbies/join) */
    join(body: JoinRequest, options?: KeyedCallOptions): Promise<JoinAnswer>;
    /** Creates a lobby and reserves seats for the caller in it. (`lobbies.create`: POST /matchmaker/lobbies/create) */
    create(body: CreateRequest, options?: KeyedCallOptions): Promise<JoinAnswer>;
    /** Lists the public lobbies that are ready, including full and closed ones. (`lobbies.list`: GET /matchmaker/lobbies/list) */
    list(query?: { readonly include_state?: boolean; readonly game_mode?: string; readonly region?: string; readonly limit?: number; readonly cursor?: string }, options?: CallOptions): Page<ListLobbiesAnswer, "lobbies">;
    /** Marks the calling lobby as ready to accept players. Calls that wait for the lobby are answered. Repeating this changes nothing. (`lobbies.ready`: POST /matchmaker/lobbies/ready) */
    ready(options?: CallOptions): Promise<void>;
    /** Sets whether the matchmaker routes new players to the calling lobby. With `true`, no find that starts after the answer returns the lobby. The lobby keeps running, its players and seats reserved before stay, and joining by its id remains possible: reject new connections if you do not want that. `false` makes it routable again. Repeating a call changes nothing. (`lobbies.setClosed`: PUT /matchmaker/lobbies/closed) */
    setClosed(body: SetClosedRequest, options?: CallOptions): Promise<void>;
    /** Stores any JSON value with the calling lobby; an empty body clears it. (`lobbies.setState`: PUT /matchmaker/lobbies/state) */
    setState(body?: unknown, options?: CallOptions): Promise<void>;
    /** Returns the state of a lobby of the caller's namespace; null if it has none. (`lobbies.getState`: GET /matchmaker/lobbies/{lobby_id}/state) */
    getState(lobbyId: string, options?: CallOptions): Promise<unknown>;
    /** Sends the matchmaker the lobby's view of its players, and returns the matchmaker's view. A player who is missing from `player_ids` twice in a row loses the seat, or has it held where the lobby has a `reconnect_s`; a held player who is named has returned. `is_closed: true` closes the lobby; `false` never opens it. (`lobbies.heartbeat`: POST /matchmaker/lobbies/heartbeat) */
    heartbeat(body?: HeartbeatRequest, options?: CallOptions): Promise<HeartbeatAnswer>;
    /** Ends the calling lobby. (`lobbies.stop`: POST /matchmaker/lobbies/stop) */
    stop(options?: CallOptions): Promise<void>;
    /** Registers a lobby that you run yourself and returns its lobby token. (`lobbies.register`: POST /matchmaker/lobbies/register) */
    register(body: RegisterRequest, options?: CallOptions): Promise<RegisterAnswer>;
    /** Streams the public list of lobbies: first all of it, then what changes. The first event is `snapshot`. Then at most once a second there is one each of `removed`, `added` and `changed`, with everything since the last. Silent lobbies are removed; a deploy removes and adds. After a reconnect the stream begins with a new snapshot. Browsers without a token can use EventSource (domain public auth), others fetch. (`lobbies.watch`: GET /matchmaker/lobbies/watch) */
    watch(query?: { readonly game_mode?: string; readonly region?: string }, options?: StreamOptions): AsyncIterable<StreamEvent<"snapshot", LobbiesSnapshotEvent> | StreamEvent<"removed", LobbiesRemovedEvent> | StreamEvent<"added", LobbiesAddedEvent> | StreamEvent<"changed", LobbiesChangedEvent>>;
  };
  readonly players: {
    /** Reports that a player has connected to the calling lobby; a player token can be used once. Call it before you admit the player, and reject the player if the call is refused. A player whose seat is held comes back with the same token. (`players.connected`: POST /matchmaker/players/connected) */
    connected(body: ConnectedPlayersRequest, options?: CallOptions): Promise<ConnectedPlayersAnswer>;
    /** Reports that a player has left the calling lobby, and frees the seat. Repeating it changes nothing. It also frees a reserved seat that was never connected. With `may_return` the seat of a connected player is held for `reconnect_s` of the game mode, and nothing else changes. (`players.disconnected`: POST /matchmaker/players/disconnected) */
    disconnected(body: DisconnectedPlayersRequest, options?: CallOptions): Promise<void>;
    /** Returns where the lobby of a player with a taken seat is, as find did. For a client that was restarted or lost its connection. It changes and extends nothing. In a lobby that is still starting it waits like find, and releases nothing when it gives up. (`players.resume`: POST /matchmaker/players/resume) */
    resume(body: OwnSeatRequest, options?: CallOptions): Promise<JoinAnswer>;
    /** Gives up a player's reserved or held seat. Only this seat, not those of its party. Repeating it changes nothing. A connected player leaves its lobby. (`players.release`: POST /matchmaker/players/release) */
    release(body: OwnSeatRequest, options?: CallOptions): Promise<void>;
    /** Counts the taken seats, by game mode and region. (`players.getStatistics`: GET /matchmaker/players/statistics) */
    getStatistics(options?: CallOptions): Promise<GetStatisticsAnswer>;
  };
  readonly regions: {
    /** Lists the regions of the deployed version, nearest first when the client's location is known. (`regions.list`: GET /matchmaker/regions) */
    list(options?: CallOptions): Promise<ListRegionsAnswer>;
  };
}

/** What operators call. */
export interface OperatorApi {
  readonly games: {
    /** Lists the games; with a cloud token, the one game it belongs to. (`games.listGames`: GET /cloud/games) */
    listGames(query?: { readonly limit?: number; readonly cursor?: string }, options?: CallOptions): Page<ListGamesAnswer, "games">;
    /** Creates a game. (`games.createGame`: POST /cloud/games) */
    createGame(body: ProposedNames, options?: CallOptions): Promise<CreateGameAnswer>;
    /** Checks the names proposed for a new game and lists every issue. (`games.validateGame`: POST /cloud/games/validate) */
    validateGame(body: ProposedNames, options?: CallOptions): Promise<ValidationAnswer>;
    /** Reads a game. (`games.getGame`: GET /cloud/games/{game_id}) */
    getGame(gameId: string, options?: CallOptions): Promise<GetGameAnswer>;
    /** Deletes a game with its namespaces, versions and tokens. (`games.deleteGame`: DELETE /cloud/games/{game_id}) */
    deleteGame(gameId: string, query?: { readonly force?: boolean }, options?: CallOptions): Promise<void>;
    readonly tokens: {
      /** Creates a cloud token, which has the rights over this one game. (`games.tokens.createCloudToken`: POST /cloud/games/{game_id}/tokens/cloud) */
      createCloudToken(gameId: string, body?: CreateCloudTokenRequest, options?: CallOptions): Promise<NewToken>;
      /** Lists the game's cloud tokens, newest first, without their secrets. (`games.tokens.listTokens`: GET /cloud/games/{game_id}/tokens) */
      listTokens(gameId: string, query?: { readonly limit?: number; readonly cursor?: string }, options?: CallOptions): Page<TokenList, "tokens">;
      /** Revokes a cloud token of the game. (`games.tokens.revokeToken`: DELETE /cloud/games/{game_id}/tokens/{token_id}) */
      revokeToken(gameId: string, tokenId: string, options?: CallOptions): Promise<void>;
    };
    readonly namespaces: {
      /** Lists the namespaces of a game. (`games.namespaces.listGameNamespaces`: GET /cloud/games/{game_id}/namespaces) */
      listGameNamespaces(gameId: string, query?: { readonly limit?: number; readonly cursor?: string }, options?: CallOptions): Page<ListGameNamespacesAnswer, "namespaces">;
      /** Creates a namespace, optionally with a version deployed. (`games.namespaces.createGameNamespace`: POST /cloud/games/{game_id}/namespaces) */
      createGameNamespace(gameId: string, body: CreateGameNamespaceRequest, options?: CallOptions): Promise<CreateGameNamespaceAnswer>;
      /** Checks the data proposed for a new namespace and lists every issue. Nothing is stored, and the status is 200 also when there are issues. `path` is the field and the reason: `display_name` with `too_short`, `too_long` or `invalid`; `name_id` with `too_short`, `too_long`, `invalid`, `reserved` or `not_unique`. A field that is missing or has the wrong type is a bad request. (`games.namespaces.validateGameNamespace`: POST /cloud/games/{game_id}/namespaces/validate) */
      validateGameNamespace(gameId: string, body: ProposedNames, options?: CallOptions): Promise<ValidationAnswer>;
      /** Returns a namespace with its limits and domains. (`games.namespaces.getGameNamespace`: GET /cloud/games/{game_id}/namespaces/{namespace_id}) */
      getGameNamespace(gameId: string, namespaceId: string, options?: CallOptions): Promise<GetGameNamespaceAnswer>;
      /** Deletes a namespace with its domains and tokens. It is refused while the namespace has running lobbies. `?force=true` stops them. (`games.namespaces.deleteGameNamespace`: DELETE /cloud/games/{game_id}/namespaces/{namespace_id}) */
      deleteGameNamespace(gameId: string, namespaceId: string, query?: { readonly force?: boolean }, options?: CallOptions): Promise<void>;
      /** Sets the matchmaker configuration of a namespace. `lobby_count_max` is how many lobbies may run at the same time, `max_players` limits the seats of every lobby. It applies to every find, join and create after the answer. No player loses a seat. (`games.namespaces.updateGameNamespaceMatchmakerConfig`: POST /cloud/games/{game_id}/namespaces/{namespace_id}/mm-config) */
      updateGameNamespaceMatchmakerConfig(gameId: string, namespaceId: string, body: MatchmakerConfig, options?: CallOptions): Promise<void>;
      /** Checks a proposed matchmaker configuration and lists every issue. (`games.namespaces.validateGameNamespaceMatchmakerConfig`: POST /cloud/games/{game_id}/namespaces/{namespace_id}/mm-config/validate) */
      validateGameNamespaceMatchmakerConfig(gameId: string, namespaceId: string, body: ProposedMatchmakerConfig, options?: CallOptions): Promise<ValidationAnswer>;
      /** Adds a domain to a namespace. A domain belongs to at most one namespace; a namespace has at most 32. Write it without protocol, port and path, in any letter case; Foyer stores international names in their ASCII form. As soon as a namespace has a domain, browsers can use its public token only on its domains. Adding a domain again changes nothing. (`games.namespaces.addNamespaceDomain`: POST /cloud/games/{game_id}/namespaces/{namespace_id}/domains) */
      addNamespaceDomain(gameId: string, namespaceId: string, body: AddNamespaceDomainRequest, options?: CallOptions): Promise<void>;
      /** Removes a domain from a namespace; succeeds also when the namespace does not have it. (`games.namespaces.removeNamespaceDomain`: DELETE /cloud/games/{game_id}/namespaces/{namespace_id}/domains/{domain}) */
      removeNamespaceDomain(gameId: string, namespaceId: string, domain: string, options?: CallOptions): Promise<void>;
      /** Lets browsers on the namespace's domains call the matchmaker without a token. (`games.namespaces.toggleNamespaceDomainPublicAuth`: PUT /cloud/games/{game_id}/namespaces/{namespace_id}/domain-public-auth) */
      toggleNamespaceDomainPublicAuth(gameId: string, namespaceId: string, body: ToggleNamespaceDomainPublicAuthRequest, options?: CallOptions): Promise<void>;
      /** Creates a public token, for players' machines. (`games.namespaces.createGameNamespaceTokenPublic`: POST /cloud/games/{game_id}/namespaces/{namespace_id}/tokens/public) */
      createGameNamespaceTokenPublic(gameId: string, namespaceId: string, options?: CallOptions): Promise<NewToken>;
      /** Creates a development token, which gets mock answers that point to the given server. (`games.namespaces.createGameNamespaceTokenDevelopment`: POST /cloud/games/{game_id}/namespaces/{namespace_id}/tokens/development) */
      createGameNamespaceTokenDevelopment(gameId: string, namespaceId: string, body: DevelopmentServer, options?: CallOptions): Promise<NewToken>;
      /** Creates a server token, for registering lobbies that you run yourself. (`games.namespaces.createGameNamespaceTokenServer`: POST /cloud/games/{game_id}/namespaces/{namespace_id}/tokens/server) */
      createGameNamespaceTokenServer(gameId: string, namespaceId: string, options?: CallOptions): Promise<NewToken>;
      /** Lists the namespace's tokens, newest first, without their secrets. (`games.namespaces.listTokens`: GET /cloud/games/{game_id}/namespaces/{namespace_id}/tokens) */
      listTokens(gameId: string, namespaceId: string, query?: { readonly limit?: number; readonly cursor?: string }, options?: CallOptions): Page<TokenList, "tokens">;
      /** Revokes a token of the namespace. `lobbies` says what Foyer does with the lobbies that a server token registered, before it answers: `unroute` (the default) closes them to find until the operator opens them, `stop` stops them, `keep` leaves them unchanged. For other kinds of tokens it has no effect. (`games.namespaces.revokeToken`: DELETE /cloud/games/{game_id}/namespaces/{namespace_id}/tokens/{token_id}) */
      revokeToken(gameId: string, namespaceId: string, tokenId: string, query?: { readonly lobbies?: "keep" | "unroute" | "stop" }, options?: CallOptions): Promise<void>;
      /** Deploys a version of the game to a namespace. No player loses a seat: from now on find chooses lobbies of this version only. Lobbies of other versions keep their players, accept joins by id and stop when they are empty. To roll back, deploy the earlier version again. (`games.namespaces.updateGameNamespaceVersion`: PUT /cloud/games/{game_id}/namespaces/{namespace_id}/version) */
      updateGameNamespaceVersion(gameId: string, namespaceId: string, body: UpdateGameNamespaceVersionRequest, options?: CallOptions): Promise<void>;
      /** Lists the deployments of a namespace, newest first. (`games.namespaces.getVersionHistory`: GET /cloud/games/{game_id}/namespaces/{namespace_id}/version-history) */
      getVersionHistory(gameId: string, namespaceId: string, query?: { readonly limit?: number; readonly cursor?: string }, options?: CallOptions): Page<GetVersionHistoryAnswer, "versions">;
      readonly lobbies: {
        /** Lists the lobbies of a namespace, oldest first, as the operator sees them. (`games.namespaces.lobbies.list`: GET /cloud/games/{game_id}/namespaces/{namespace_id}/lobbies) */
        list(gameId: string, namespaceId: string, query?: { readonly limit?: number; readonly cursor?: string; readonly include_stopped?: boolean; readonly player_key?: string }, options?: CallOptions): Page<ListOperatorLobbiesAnswer, "lobbies">;
        /** Returns a lobby with its players and its latest events. (`games.namespaces.lobbies.get`: GET /cloud/games/{game_id}/namespaces/{namespace_id}/lobbies/{lobby_id}) */
        get(gameId: string, namespaceId: string, lobbyId: string, options?: CallOptions): Promise<GetOperatorLobbyAnswer>;
        /** Sets the operator's flag that makes find avoid a lobby, independently of the lobby's own flag. Find avoids a lobby while this flag or the lobby's own is set, and neither call changes the other flag. Players stay, and join works. Opening also clears the flag that revoking the lobby's server token set. (`games.namespaces.lobbies.setClosed`: PUT /cloud/games/{game_id}/namespaces/{namespace_id}/lobbies/{lobby_id}/closed) */
        setClosed(gameId: string, namespaceId: string, lobbyId: string, body: SetOperatorClosedRequest, options?: CallOptions): Promise<void>;
        /** Stops a lobby; its players lose their seats. (`games.namespaces.lobbies.stop`: DELETE /cloud/games/{game_id}/namespaces/{namespace_id}/lobbies/{lobby_id}) */
        stop(gameId: string, namespaceId: string, lobbyId: string, options?: CallOptions): Promise<void>;
        /** Answers what a player's find would do now, and why: it takes no seat and creates no lobby. What a find would be refused with is in `refusal`, and the status is 200. Rate limits, budgets and blocks do not apply. Private lobbies, which find never chooses, are named with the code `private`. (`games.namespaces.lobbies.previewFind`: POST /cloud/games/{game_id}/namespaces/{namespace_id}/lobbies/preview-find) */
        previewFind(gameId: string, namespaceId: string, body: PreviewFindRequest, options?: CallOptions): Promise<FindPreview>;
        /** Returns the last 256 KiB of a lobby's log, also for a while after it has ended. With `follow`, streams these and later lines. (`games.namespaces.lobbies.getLogs`: GET /cloud/games/{game_id}/namespaces/{namespace_id}/lobbies/{lobby_id}/logs) */
        getLogs(gameId: string, namespaceId: string, lobbyId: string, query: { readonly stream?: "stdout" | "stderr"; readonly follow?: boolean } & { readonly follow: true }, options?: StreamOptions): AsyncIterable<StreamEvent<"line", LogLineEvent> | StreamEvent<"reset", LogResetEvent> | StreamEvent<"end", LogEndEvent>>;
        /** Returns the last 256 KiB of a lobby's log, also for a while after it has ended. With `follow`, streams these and later lines. (`games.namespaces.lobbies.getLogs`: GET /cloud/games/{game_id}/namespaces/{namespace_id}/lobbies/{lobby_id}/logs) */
        getLogs(gameId: string, namespaceId: string, lobbyId: string, query?: { readonly stream?: "stdout" | "stderr"; readonly follow?: boolean }, options?: CallOptions): Promise<GetLobbyLogsAnswer>;
        /** Lists the stopped lobbies of a namespace, newest first; with `Accept: text/csv` as CSV. (`games.namespaces.lobbies.history`: GET /cloud/games/{game_id}/namespaces/{namespace_id}/lobby-history) */
        history(gameId: string, namespaceId: string, query?: { readonly limit?: number; readonly cursor?: string }, options?: CallOptions): Page<LobbyHistoryAnswer, "lobbies">;
      };
      readonly blocks: {
        /** Blocks a client or a range of clients in a namespace, or replaces such a block. From the answer on, its calls with a public token or from a page are 403 MATCHMAKER_CLIENT_BLOCKED. `end_seats` also ends its taken seats; lobbies see that in the answer to their next heartbeat. Server tokens and lobbies are not clients. Behind a proxy, set `trusted_proxies` first: otherwise the proxy is the client. (`games.namespaces.blocks.set`: PUT /cloud/games/{game_id}/namespaces/{namespace_id}/blocks) */
        set(gameId: string, namespaceId: string, body: SetBlockRequest, options?: CallOptions): Promise<void>;
        /** Lists the blocks of a namespace that have not ended. (`games.namespaces.blocks.list`: GET /cloud/games/{game_id}/namespaces/{namespace_id}/blocks) */
        list(gameId: string, namespaceId: string, query?: { readonly limit?: number; readonly cursor?: string }, options?: CallOptions): Page<ListBlocksAnswer, "blocks">;
        /** Removes the block of exactly this client or range, if there is one. (`games.namespaces.blocks.remove`: DELETE /cloud/games/{game_id}/namespaces/{namespace_id}/blocks) */
        remove(gameId: string, namespaceId: string, query?: { readonly client?: string }, options?: CallOptions): Promise<void>;
      };
      /** Streams the events of a namespace from now on, or after the event that Last-Event-ID names. (`games.namespaces.events`: GET /cloud/games/{game_id}/namespaces/{namespace_id}/events) */
      events(gameId: string, namespaceId: string, options?: StreamOptions): AsyncIterable<StreamEvent<"lobby.created", LobbyCreatedEvent> | StreamEvent<"lobby.ready", LobbyReadyEvent> | StreamEvent<"lobby.closed", LobbyClosedEvent> | StreamEvent<"lobby.opened", LobbyOpenedEvent> | StreamEvent<"lobby.changed", LobbyChangedEvent> | StreamEvent<"lobby.stopped", LobbyStoppedEvent> | StreamEvent<"player.reserved", PlayerReservedEvent> | StreamEvent<"player.connected", PlayerConnectedEvent> | StreamEvent<"player.held", PlayerHeldEvent> | StreamEvent<"player.returned", PlayerReturnedEvent> | StreamEvent<"player.left", PlayerLeftEvent> | StreamEvent<"player.expired", PlayerExpiredEvent> | StreamEvent<"namespace.configured", NamespaceConfiguredEvent> | StreamEvent<"reset", ResetEvent>>;
      /** Returns figures of the last hours: calls, refusals, lobbies, players and waits. Each node keeps them in memory for 6 hours, for the 500 namespaces used last; a restart begins again. Counts are summed over all nodes. A step before a namespace was counted has null, never 0. (`games.namespaces.getActivity`: GET /cloud/games/{game_id}/namespaces/{namespace_id}/activity) */
      getActivity(gameId: string, namespaceId: string, query?: { readonly window_s?: number; readonly step_s?: number }, options?: CallOptions): Promise<Activity>;
      /** Lists the latest calls of find, join and create that were refused or made a lobby, newest first. Calls refused with a MATCHMAKER_ code after admission, or for the creation budget (`API_RATE_LIMIT`), and those that made a lobby (`CREATED`). `explain` is what the player would have been shown at that moment; at most 20 refusals a second have one. Each node keeps the last 200 of the 100 namespaces used last, in memory. There is never an address, key, token or lobby_config. (`games.namespaces.listDecisions`: GET /cloud/games/{game_id}/namespaces/{namespace_id}/decisions) */
      listDecisions(gameId: string, namespaceId: string, query?: { readonly outcome?: string; readonly game_mode?: string; readonly limit?: number; readonly cursor?: string }, options?: CallOptions): Page<DecisionList, "decisions">;
    };
    readonly versions: {
      /** Creates a version: an immutable document of game modes, regions and how lobbies run. (`games.versions.createGameVersion`: POST /cloud/games/{game_id}/versions) */
      createGameVersion(gameId: string, body: ProposedVersion, options?: CallOptions): Promise<CreateGameVersionAnswer>;
      /** Checks a proposed version and lists every issue. (`games.versions.validateGameVersion`: POST /cloud/games/{game_id}/versions/validate) */
      validateGameVersion(gameId: string, body: ProposedVersion, options?: CallOptions): Promise<VersionValidationAnswer>;
      /** Lists the versions of a game, newest first. (`games.versions.listGameVersions`: GET /cloud/games/{game_id}/versions) */
      listGameVersions(gameId: string, query?: { readonly limit?: number; readonly cursor?: string }, options?: CallOptions): Page<ListGameVersionsAnswer, "versions">;
      /** Returns a version with its document. (`games.versions.getGameVersion`: GET /cloud/games/{game_id}/versions/{version_id}) */
      getGameVersion(gameId: string, versionId: string, options?: CallOptions): Promise<GetGameVersionAnswer>;
      /** Deletes a version that nothing uses. It is refused while the version is deployed to a namespace, or while Foyer runs a lobby of it. Lobbies of it that you run yourself continue. Histories keep its id and display name, with `is_deleted`. (`games.versions.deleteGameVersion`: DELETE /cloud/games/{game_id}/versions/{version_id}) */
      deleteGameVersion(gameId: string, versionId: string, options?: CallOptions): Promise<void>;
    };
    readonly builds: {
      /** Uploads a build: the program of lobbies as a gzipped tar. The body is the archive itself, of any Content-Type and up to `build_max_mib` (512 MiB). At least 64 KiB must arrive in every 10 seconds, and all of it within 30 minutes. The same bytes in the same game are the same build, with its first name. A cloud token may do this if it may create versions with the process runtime. (`games.builds.createBuild`: POST /cloud/games/{game_id}/builds) */
      createBuild(gameId: string, body: Bytes, query?: { readonly display_name?: string; readonly sha256?: string }, options?: CallOptions): Promise<CreateBuildAnswer>;
      /** Lists the builds of a game, newest first. (`games.builds.listBuilds`: GET /cloud/games/{game_id}/builds) */
      listBuilds(gameId: string, query?: { readonly limit?: number; readonly cursor?: string; readonly sha256?: string }, options?: CallOptions): Page<ListBuildsAnswer, "builds">;
      /** Returns a build, and which nodes have it. No operation returns its bytes. (`games.builds.getBuild`: GET /cloud/games/{game_id}/builds/{build_id}) */
      getBuild(gameId: string, buildId: string, options?: CallOptions): Promise<GetBuildAnswer>;
      /** Deletes a build that no version names. Builds that no version has named for 7 days are deleted without this. (`games.builds.deleteBuild`: DELETE /cloud/games/{game_id}/builds/{build_id}) */
      deleteBuild(gameId: string, buildId: string, options?: CallOptions): Promise<void>;
    };
  };
  readonly audit: {
    /** Lists the changes made under /cloud, newest first: who, what, when and from where. Every successful call that changes something is one entry, even when there was nothing left to change. An entry has ids and names only. Foyer keeps entries for `retention_days`, at most 1,000,000 of them. (`audit.list`: GET /cloud/audit) */
    list(query?: { readonly limit?: number; readonly cursor?: string; readonly game_id?: string; readonly token_id?: string; readonly operation?: string; readonly since_ts?: string }, options?: CallOptions): Page<ListAuditAnswer, "entries">;
  };
  readonly auth: {
    /** Says which token this is and what it may do. (`auth.whoami`: GET /cloud/whoami) */
    whoami(options?: CallOptions): Promise<WhoamiAnswer>;
    /** Makes a code that signs one person in to the dashboard, once, within five minutes. Open `/#sign-in=CODE` of the same service in a browser: the page signs in and removes the code from its address. (`auth.createSignInCode`: POST /cloud/sign-in-codes) */
    createSignInCode(options?: CallOptions): Promise<CreateSignInCodeAnswer>;
    /** Signs in with a code, and gives a session token, which may do what the admin token may but make codes. Takes no token, and of pages only those of the service's own origin. The token ends twelve hours after its last use (noted once a minute), 30 days after it was made, when it is ended, and when another admin token is set. (`auth.signIn`: POST /cloud/sign-in) */
    signIn(body: SignInRequest, options?: CallOptions): Promise<SignInAnswer>;
    /** Ends the session of the token that it is called with. (`auth.signOut`: DELETE /cloud/sign-in) */
    signOut(options?: CallOptions): Promise<void>;
    /** Lists who is signed in, newest first. (`auth.listSessions`: GET /cloud/sessions) */
    listSessions(query?: { readonly limit?: number; readonly cursor?: string }, options?: CallOptions): Page<ListSessionsAnswer, "sessions">;
    /** Ends a session, and its event streams. (`auth.endSession`: DELETE /cloud/sessions/{session_id}) */
    endSession(sessionId: string, options?: CallOptions): Promise<void>;
  };
  readonly nodes: {
    /** Lists the nodes of the installation that are up, by id. What a node says of itself is at most about a second old. (`nodes.list`: GET /cloud/nodes) */
    list(options?: CallOptions): Promise<ListNodesAnswer>;
  };
}
