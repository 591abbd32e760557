// Written by scripts/write-openapi.mjs from Foyer's contract. Do not edit.

/** Every error code with its HTTP status. */
export interface ErrorStatus {
  /** 400: The body does not match the schema of the operation. `errors` lists every issue with its path. */
  readonly API_BAD_BODY: 400;
  /** 400: A query parameter is unknown, missing or has a wrong value. `errors` lists every issue. */
  readonly API_BAD_QUERY: 400;
  /** 400: A header is malformed or too large, or the request is not valid HTTP. */
  readonly API_BAD_HEADER: 400;
  /** 404: This path does not exist. See /docs for the paths that do. */
  readonly API_NOT_FOUND: 404;
  /** 405: The path exists, but not with this method. The `Allow` header lists the methods it supports. */
  readonly API_METHOD_NOT_ALLOWED: 405;
  /** 408: The request did not arrive completely in time. Send it again. */
  readonly API_REQUEST_TIMEOUT: 408;
  /** 413: The body is larger than the operation allows (64 KiB; a heartbeat 1 MiB; a build `build_max_mib`). */
  readonly API_BODY_TOO_LARGE: 413;
  /** 415: A request with a body needs `Content-Type: application/json`, in UTF-8. */
  readonly API_UNSUPPORTED_MEDIA_TYPE: 415;
  /** 421: The service listens on this machine only, and the request has another host name. If that name is correct, set FOYER_PUBLIC_URL. */
  readonly API_WRONG_HOST: 421;
  /** 426: The port of the lobby speaks WebSocket only. Connect with a WebSocket client. */
  readonly API_UPGRADE_REQUIRED: 426;
  /** 429: Too many requests. Try again after `Retry-After` seconds. */
  readonly API_RATE_LIMIT: 429;
  /** 500: Internal server error. The server log has details under the request id of the answer. */
  readonly API_INTERNAL: 500;
  /** 502: The gateway cannot reach the lobby: it does not listen on its port yet, its answer is not valid HTTP, or its node has no `node_url` or accepts no connection there. */
  readonly API_LOBBY_UNREACHABLE: 502;
  /** 504: The lobby did not begin its answer within 60 seconds. */
  readonly API_LOBBY_TIMEOUT: 504;
  /** 503: The service is overloaded, stopping, or cannot reach its data store. The request is fine: try again after `Retry-After` seconds. */
  readonly API_UNAVAILABLE: 503;
  /** 401: The operation needs a token: `Authorization: Bearer <token>`. */
  readonly TOKEN_MISSING: 401;
  /** 401: The token does not belong to this service, or its game, namespace or lobby no longer exists. */
  readonly TOKEN_INVALID: 401;
  /** 401: The token has expired. */
  readonly TOKEN_EXPIRED: 401;
  /** 401: The token was revoked. */
  readonly TOKEN_REVOKED: 401;
  /** 403: The token is valid but cannot be used for this call: it is of the wrong kind, or the request comes from an origin that is not allowed. */
  readonly TOKEN_FORBIDDEN: 403;
  /** 404: The game does not exist, or it is not yours. */
  readonly CLOUD_GAME_NOT_FOUND: 404;
  /** 404: The namespace does not exist in this game. */
  readonly CLOUD_NAMESPACE_NOT_FOUND: 404;
  /** 404: The version does not exist in this game. */
  readonly CLOUD_VERSION_NOT_FOUND: 404;
  /** 404: The lobby does not exist in this namespace. */
  readonly CLOUD_LOBBY_NOT_FOUND: 404;
  /** 404: The build does not exist in this game. */
  readonly CLOUD_BUILD_NOT_FOUND: 404;
  /** 404: The token does not exist in this game or namespace. */
  readonly CLOUD_TOKEN_NOT_FOUND: 404;
  /** 400: Not a domain name. Write it without protocol, port or path, for example `play.example.com`. */
  readonly CLOUD_INVALID_DOMAIN: 400;
  /** 400: A value is not allowed. `errors` lists every issue with its path. */
  readonly CLOUD_VALIDATION_ERROR: 400;
  /** 400: The archive is not a gzipped tar that is safe to unpack, or not the one that `sha256` names. The message says what is wrong with it; nothing of it was kept. */
  readonly CLOUD_BUILD_INVALID: 400;
  /** 409: This name_id is already in use. `metadata.is_deleting` is true when what has it was deleted and is still being removed: try again later. */
  readonly CLOUD_NAME_TAKEN: 409;
  /** 409: The domain belongs to another namespace. */
  readonly CLOUD_DOMAIN_TAKEN: 409;
  /** 409: The namespace already has the maximum number of domains (32). */
  readonly CLOUD_TOO_MANY_DOMAINS: 409;
  /** 409: The maximum number of these is reached. Remove some first, or raise the setting that the message names. */
  readonly CLOUD_QUOTA_REACHED: 409;
  /** 409: The version is deployed, or lobbies of it are running. Deploy another one and wait for them to end, or stop them. */
  readonly CLOUD_VERSION_IN_USE: 409;
  /** 409: A version names the build. Delete that version first. */
  readonly CLOUD_BUILD_IN_USE: 409;
  /** 409: Another version than `expected_version_id` is deployed: another deploy came first. Check which version is deployed, then decide again. */
  readonly CLOUD_VERSION_CHANGED: 409;
  /** 409: The namespace has running lobbies. Stop them first, or add `?force=true` to stop them. */
  readonly CLOUD_NAMESPACE_NOT_EMPTY: 409;
  /** 400: The deployed version does not have this game mode. */
  readonly MATCHMAKER_GAME_MODE_NOT_FOUND: 400;
  /** 400: No requested game mode runs in a requested region. */
  readonly MATCHMAKER_REGION_NOT_FOUND: 400;
  /** 400: `game_modes` is empty: name at least one. */
  readonly MATCHMAKER_NO_GAME_MODE_PROVIDED: 400;
  /** 400: The game mode does not allow tags. Set `taggable` in its version. */
  readonly MATCHMAKER_TAGS_DISABLED: 400;
  /** 400: At most 8 tags are allowed. */
  readonly MATCHMAKER_TOO_MANY_TAGS: 400;
  /** 400: A tag's name has at most 64 bytes, its value at most 256. */
  readonly MATCHMAKER_TAG_TOO_LONG: 400;
  /** 400: The game mode does not let callers choose max_players. Set `allow_dynamic_max_players` in its version. */
  readonly MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED: 400;
  /** 400: max_players must be at least 1 and at most the game mode's larger maximum. */
  readonly MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID: 400;
  /** 400: lobby_config is larger than 16 KiB of JSON. */
  readonly MATCHMAKER_LOBBY_CONFIG_INVALID: 400;
  /** 400: The game mode does not allow players to create lobbies of this publicity. */
  readonly MATCHMAKER_PUBLICITY_NOT_ALLOWED: 400;
  /** 400: The ports are not those of the game mode, or a hostname is not valid. `errors` lists every issue. */
  readonly MATCHMAKER_PORTS_INVALID: 400;
  /** 403: The game mode does not allow find. */
  readonly MATCHMAKER_FIND_DISABLED: 403;
  /** 403: The lobby's game mode does not allow join. */
  readonly MATCHMAKER_JOIN_DISABLED: 403;
  /** 403: The game mode does not allow players to create lobbies. */
  readonly MATCHMAKER_CREATE_DISABLED: 403;
  /** 403: In this game mode only a server token may give players keys. Let your backend make the call, or set `player_keys` to `open` in the version. */
  readonly MATCHMAKER_KEY_NOT_VOUCHED: 403;
  /** 403: The operator has blocked this client in the namespace. See games.namespaces.blocks. */
  readonly MATCHMAKER_CLIENT_BLOCKED: 403;
  /** 404: The lobby does not exist in this namespace. */
  readonly MATCHMAKER_LOBBY_NOT_FOUND: 404;
  /** 404: The player token does not belong to this namespace. */
  readonly MATCHMAKER_PLAYER_NOT_FOUND: 404;
  /** 409: No existing lobby fits, and none may be created for this request. */
  readonly MATCHMAKER_NO_AVAILABLE_LOBBIES: 409;
  /** 409: The lobby does not have enough free seats. */
  readonly MATCHMAKER_LOBBY_FULL: 409;
  /** 409: The namespace has as many lobbies as lobby_count_max allows. */
  readonly MATCHMAKER_TOO_MANY_LOBBIES: 409;
  /** 409: This client has as many seats as max_players_per_client allows. */
  readonly MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE: 409;
  /** 409: A player with the same key has a seat already. `metadata.players` says which players, and in which lobbies. */
  readonly MATCHMAKER_PLAYER_ALREADY_SEATED: 409;
  /** 409: The player token was already used. */
  readonly MATCHMAKER_PLAYER_ALREADY_CONNECTED: 409;
  /** 409: The player's seat is in another lobby. Nothing changed. */
  readonly MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY: 409;
  /** 409: The Idempotency-Key was used with another body. Use a new key for a new request. */
  readonly MATCHMAKER_IDEMPOTENCY_KEY_REUSED: 409;
  /** 409: `version` is not the deployed version, which is in `metadata.deployed_version`. Load the page of that version. */
  readonly MATCHMAKER_VERSION_NOT_DEPLOYED: 409;
  /** 409: The namespace has no deployed version yet. */
  readonly MATCHMAKER_NO_VERSION_DEPLOYED: 409;
  /** 410: The lobby has stopped. */
  readonly MATCHMAKER_LOBBY_STOPPED: 410;
  /** 410: The player connected too late: the reservation has expired. Find a lobby again. */
  readonly MATCHMAKER_PLAYER_RESERVATION_EXPIRED: 410;
  /** 410: The player has already left. */
  readonly MATCHMAKER_PLAYER_REMOVED: 410;
  /** 503: The lobby ended before it was ready, or no lobby can be started now. Try again after `Retry-After` seconds; the operator's list of lobbies and the log say why. */
  readonly MATCHMAKER_LOBBY_START_FAILED: 503;
  /** 503: The lobby did not become ready in time. Try again after `Retry-After` seconds. */
  readonly MATCHMAKER_LOBBY_NOT_READY: 503;
}

/** Foyer's codes and those of the SDK. UNKNOWN: the answer did not come from Foyer. NOT_CONFIGURED: no token or endpoint. */
export type ErrorCode = keyof ErrorStatus | "UNKNOWN" | "NO_ANSWER" | "NOT_CONFIGURED";

/** The codes that all operations can answer. */
type CommonError =
  | "API_BAD_BODY"
  | "API_BAD_QUERY"
  | "API_BAD_HEADER"
  | "API_REQUEST_TIMEOUT"
  | "API_BODY_TOO_LARGE"
  | "API_UNSUPPORTED_MEDIA_TYPE"
  | "API_WRONG_HOST"
  | "API_RATE_LIMIT"
  | "API_INTERNAL"
  | "API_UNAVAILABLE"
  | "TOKEN_INVALID"
  | "TOKEN_EXPIRED"
  | "TOKEN_REVOKED"
  | "TOKEN_FORBIDDEN";

/** The codes that each operation can answer. */
export interface OperationErrors {
  readonly "games.listGames": CommonError | "TOKEN_MISSING";
  readonly "games.createGame": CommonError | "TOKEN_MISSING" | "CLOUD_VALIDATION_ERROR" | "CLOUD_NAME_TAKEN";
  readonly "games.validateGame": CommonError | "TOKEN_MISSING";
  readonly "games.getGame": CommonError | "TOKEN_MISSING" | "CLOUD_GAME_NOT_FOUND";
  readonly "games.deleteGame": CommonError | "TOKEN_MISSING" | "CLOUD_GAME_NOT_FOUND" | "CLOUD_NAMESPACE_NOT_EMPTY";
  readonly "games.tokens.createCloudToken":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_VALIDATION_ERROR";
  readonly "games.tokens.listTokens": CommonError | "TOKEN_MISSING" | "CLOUD_GAME_NOT_FOUND";
  readonly "games.tokens.revokeToken": CommonError | "TOKEN_MISSING" | "CLOUD_GAME_NOT_FOUND" | "CLOUD_TOKEN_NOT_FOUND";
  readonly "games.namespaces.listGameNamespaces": CommonError | "TOKEN_MISSING" | "CLOUD_GAME_NOT_FOUND";
  readonly "games.namespaces.createGameNamespace":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_VERSION_NOT_FOUND"
    | "CLOUD_VALIDATION_ERROR"
    | "CLOUD_NAME_TAKEN"
    | "CLOUD_QUOTA_REACHED";
  readonly "games.namespaces.validateGameNamespace": CommonError | "TOKEN_MISSING" | "CLOUD_GAME_NOT_FOUND";
  readonly "games.namespaces.getGameNamespace":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND";
  readonly "games.namespaces.deleteGameNamespace":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_EMPTY";
  readonly "games.namespaces.updateGameNamespaceMatchmakerConfig":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND";
  readonly "games.namespaces.validateGameNamespaceMatchmakerConfig":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND";
  readonly "games.namespaces.addNamespaceDomain":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND"
    | "CLOUD_INVALID_DOMAIN"
    | "CLOUD_DOMAIN_TAKEN"
    | "CLOUD_TOO_MANY_DOMAINS";
  readonly "games.namespaces.removeNamespaceDomain":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND"
    | "CLOUD_INVALID_DOMAIN";
  readonly "games.namespaces.toggleNamespaceDomainPublicAuth":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND";
  readonly "games.namespaces.createGameNamespaceTokenPublic":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND"
    | "CLOUD_QUOTA_REACHED";
  readonly "games.namespaces.createGameNamespaceTokenDevelopment":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND"
    | "CLOUD_VALIDATION_ERROR"
    | "CLOUD_QUOTA_REACHED";
  readonly "games.namespaces.createGameNamespaceTokenServer":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND"
    | "CLOUD_QUOTA_REACHED";
  readonly "games.namespaces.listTokens":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND";
  readonly "games.namespaces.revokeToken":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND"
    | "CLOUD_TOKEN_NOT_FOUND";
  readonly "games.namespaces.updateGameNamespaceVersion":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND"
    | "CLOUD_VERSION_NOT_FOUND"
    | "CLOUD_VERSION_CHANGED";
  readonly "games.namespaces.getVersionHistory":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND";
  readonly "games.namespaces.lobbies.list":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND";
  readonly "games.namespaces.lobbies.get":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND"
    | "CLOUD_LOBBY_NOT_FOUND";
  readonly "games.namespaces.lobbies.setClosed":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND"
    | "CLOUD_LOBBY_NOT_FOUND";
  readonly "games.namespaces.lobbies.stop":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND"
    | "CLOUD_LOBBY_NOT_FOUND";
  readonly "games.namespaces.lobbies.previewFind":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND";
  readonly "games.namespaces.blocks.set":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND"
    | "CLOUD_VALIDATION_ERROR"
    | "CLOUD_QUOTA_REACHED";
  readonly "games.namespaces.blocks.list":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND";
  readonly "games.namespaces.blocks.remove":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND";
  readonly "games.namespaces.lobbies.getLogs":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND"
    | "CLOUD_LOBBY_NOT_FOUND";
  readonly "games.namespaces.lobbies.history":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND";
  readonly "games.namespaces.events":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND";
  readonly "games.namespaces.getActivity":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND";
  readonly "games.namespaces.listDecisions":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_NAMESPACE_NOT_FOUND";
  readonly "games.versions.createGameVersion":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_VALIDATION_ERROR"
    | "CLOUD_QUOTA_REACHED";
  readonly "games.versions.validateGameVersion": CommonError | "TOKEN_MISSING" | "CLOUD_GAME_NOT_FOUND";
  readonly "games.versions.listGameVersions": CommonError | "TOKEN_MISSING" | "CLOUD_GAME_NOT_FOUND";
  readonly "games.versions.getGameVersion":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_VERSION_NOT_FOUND";
  readonly "games.versions.deleteGameVersion":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_VERSION_NOT_FOUND"
    | "CLOUD_VERSION_IN_USE";
  readonly "games.builds.createBuild":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_VALIDATION_ERROR"
    | "CLOUD_BUILD_INVALID"
    | "CLOUD_QUOTA_REACHED";
  readonly "games.builds.listBuilds": CommonError | "TOKEN_MISSING" | "CLOUD_GAME_NOT_FOUND";
  readonly "games.builds.getBuild": CommonError | "TOKEN_MISSING" | "CLOUD_GAME_NOT_FOUND" | "CLOUD_BUILD_NOT_FOUND";
  readonly "games.builds.deleteBuild":
    | CommonError
    | "TOKEN_MISSING"
    | "CLOUD_GAME_NOT_FOUND"
    | "CLOUD_BUILD_NOT_FOUND"
    | "CLOUD_BUILD_IN_USE";
  readonly "audit.list": CommonError | "TOKEN_MISSING";
  readonly "auth.whoami": CommonError | "TOKEN_MISSING";
  readonly "auth.createSignInCode": CommonError | "TOKEN_MISSING";
  readonly "auth.signIn": CommonError;
  readonly "auth.signOut": CommonError | "TOKEN_MISSING";
  readonly "auth.listSessions": CommonError | "TOKEN_MISSING";
  readonly "auth.endSession": CommonError | "TOKEN_MISSING" | "CLOUD_TOKEN_NOT_FOUND";
  readonly "nodes.list": CommonError | "TOKEN_MISSING";
  readonly "lobbies.find":
    | CommonError
    | "TOKEN_MISSING"
    | "MATCHMAKER_CLIENT_BLOCKED"
    | "MATCHMAKER_NO_VERSION_DEPLOYED"
    | "MATCHMAKER_GAME_MODE_NOT_FOUND"
    | "MATCHMAKER_REGION_NOT_FOUND"
    | "MATCHMAKER_VERSION_NOT_DEPLOYED"
    | "MATCHMAKER_NO_GAME_MODE_PROVIDED"
    | "MATCHMAKER_FIND_DISABLED"
    | "MATCHMAKER_PORTS_INVALID"
    | "MATCHMAKER_TAGS_DISABLED"
    | "MATCHMAKER_TOO_MANY_TAGS"
    | "MATCHMAKER_TAG_TOO_LONG"
    | "MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED"
    | "MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID"
    | "MATCHMAKER_NO_AVAILABLE_LOBBIES"
    | "MATCHMAKER_TOO_MANY_LOBBIES"
    | "MATCHMAKER_KEY_NOT_VOUCHED"
    | "MATCHMAKER_PLAYER_ALREADY_SEATED"
    | "MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE"
    | "MATCHMAKER_IDEMPOTENCY_KEY_REUSED"
    | "MATCHMAKER_LOBBY_START_FAILED"
    | "MATCHMAKER_LOBBY_NOT_READY";
  readonly "lobbies.join":
    | CommonError
    | "TOKEN_MISSING"
    | "MATCHMAKER_CLIENT_BLOCKED"
    | "MATCHMAKER_LOBBY_NOT_FOUND"
    | "MATCHMAKER_LOBBY_STOPPED"
    | "MATCHMAKER_LOBBY_FULL"
    | "MATCHMAKER_JOIN_DISABLED"
    | "MATCHMAKER_KEY_NOT_VOUCHED"
    | "MATCHMAKER_PLAYER_ALREADY_SEATED"
    | "MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE"
    | "MATCHMAKER_IDEMPOTENCY_KEY_REUSED"
    | "MATCHMAKER_LOBBY_START_FAILED"
    | "MATCHMAKER_LOBBY_NOT_READY";
  readonly "lobbies.create":
    | CommonError
    | "TOKEN_MISSING"
    | "MATCHMAKER_CLIENT_BLOCKED"
    | "MATCHMAKER_NO_VERSION_DEPLOYED"
    | "MATCHMAKER_GAME_MODE_NOT_FOUND"
    | "MATCHMAKER_REGION_NOT_FOUND"
    | "MATCHMAKER_VERSION_NOT_DEPLOYED"
    | "MATCHMAKER_CREATE_DISABLED"
    | "MATCHMAKER_PUBLICITY_NOT_ALLOWED"
    | "MATCHMAKER_LOBBY_CONFIG_INVALID"
    | "MATCHMAKER_PORTS_INVALID"
    | "MATCHMAKER_TAGS_DISABLED"
    | "MATCHMAKER_TOO_MANY_TAGS"
    | "MATCHMAKER_TAG_TOO_LONG"
    | "MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED"
    | "MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID"
    | "MATCHMAKER_NO_AVAILABLE_LOBBIES"
    | "MATCHMAKER_TOO_MANY_LOBBIES"
    | "MATCHMAKER_KEY_NOT_VOUCHED"
    | "MATCHMAKER_PLAYER_ALREADY_SEATED"
    | "MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE"
    | "MATCHMAKER_IDEMPOTENCY_KEY_REUSED"
    | "MATCHMAKER_LOBBY_START_FAILED"
    | "MATCHMAKER_LOBBY_NOT_READY";
  readonly "lobbies.list":
    | CommonError
    | "TOKEN_MISSING"
    | "MATCHMAKER_CLIENT_BLOCKED"
    | "MATCHMAKER_NO_VERSION_DEPLOYED"
    | "MATCHMAKER_GAME_MODE_NOT_FOUND"
    | "MATCHMAKER_REGION_NOT_FOUND";
  readonly "lobbies.ready": CommonError | "TOKEN_MISSING" | "MATCHMAKER_LOBBY_STOPPED";
  readonly "lobbies.setClosed": CommonError | "TOKEN_MISSING" | "MATCHMAKER_LOBBY_STOPPED";
  readonly "lobbies.setState": CommonError | "TOKEN_MISSING" | "MATCHMAKER_LOBBY_STOPPED";
  readonly "lobbies.getState":
    | CommonError
    | "TOKEN_MISSING"
    | "MATCHMAKER_LOBBY_NOT_FOUND"
    | "MATCHMAKER_LOBBY_STOPPED";
  readonly "lobbies.heartbeat": CommonError | "TOKEN_MISSING" | "MATCHMAKER_LOBBY_STOPPED";
  readonly "lobbies.stop": CommonError | "TOKEN_MISSING" | "MATCHMAKER_LOBBY_STOPPED";
  readonly "lobbies.register":
    | CommonError
    | "TOKEN_MISSING"
    | "MATCHMAKER_NO_VERSION_DEPLOYED"
    | "MATCHMAKER_GAME_MODE_NOT_FOUND"
    | "MATCHMAKER_REGION_NOT_FOUND"
    | "CLOUD_VERSION_NOT_FOUND"
    | "MATCHMAKER_PORTS_INVALID"
    | "MATCHMAKER_TAGS_DISABLED"
    | "MATCHMAKER_TOO_MANY_TAGS"
    | "MATCHMAKER_TAG_TOO_LONG"
    | "MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID"
    | "MATCHMAKER_TOO_MANY_LOBBIES";
  readonly "lobbies.watch":
    | CommonError
    | "TOKEN_MISSING"
    | "MATCHMAKER_CLIENT_BLOCKED"
    | "MATCHMAKER_NO_VERSION_DEPLOYED"
    | "MATCHMAKER_GAME_MODE_NOT_FOUND"
    | "MATCHMAKER_REGION_NOT_FOUND";
  readonly "players.connected":
    | CommonError
    | "TOKEN_MISSING"
    | "MATCHMAKER_PLAYER_NOT_FOUND"
    | "MATCHMAKER_PLAYER_ALREADY_CONNECTED"
    | "MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY"
    | "MATCHMAKER_PLAYER_RESERVATION_EXPIRED"
    | "MATCHMAKER_PLAYER_REMOVED"
    | "MATCHMAKER_LOBBY_STOPPED";
  readonly "players.disconnected":
    | CommonError
    | "TOKEN_MISSING"
    | "MATCHMAKER_PLAYER_NOT_FOUND"
    | "MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY"
    | "MATCHMAKER_LOBBY_STOPPED";
  readonly "players.resume":
    | CommonError
    | "TOKEN_MISSING"
    | "MATCHMAKER_CLIENT_BLOCKED"
    | "MATCHMAKER_KEY_NOT_VOUCHED"
    | "MATCHMAKER_PLAYER_NOT_FOUND"
    | "MATCHMAKER_PLAYER_RESERVATION_EXPIRED"
    | "MATCHMAKER_PLAYER_REMOVED"
    | "MATCHMAKER_LOBBY_STOPPED"
    | "MATCHMAKER_LOBBY_START_FAILED"
    | "MATCHMAKER_LOBBY_NOT_READY";
  readonly "players.release":
    | CommonError
    | "TOKEN_MISSING"
    | "MATCHMAKER_CLIENT_BLOCKED"
    | "MATCHMAKER_KEY_NOT_VOUCHED"
    | "MATCHMAKER_PLAYER_NOT_FOUND"
    | "MATCHMAKER_PLAYER_ALREADY_CONNECTED";
  readonly "players.getStatistics": CommonError | "TOKEN_MISSING" | "MATCHMAKER_CLIENT_BLOCKED";
  readonly "regions.list":
    | CommonError
    | "TOKEN_MISSING"
    | "MATCHMAKER_CLIENT_BLOCKED"
    | "MATCHMAKER_NO_VERSION_DEPLOYED";
}
