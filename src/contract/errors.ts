/** Every code that a failed request can carry. `/docs/errors` is rendered from this table and openapi.json repeats it. */
export const errorTable = {
  API_BAD_BODY: {
    status: 400,
    meaning: "The body does not match the schema of the operation. `errors` lists every issue with its path.",
  },
  API_BAD_QUERY: {
    status: 400,
    meaning: "A query parameter is unknown, missing or has a wrong value. `errors` lists every issue.",
  },
  API_BAD_HEADER: {
    status: 400,
    meaning: "A header is malformed or too large, or the request is not valid HTTP.",
  },
  API_NOT_FOUND: { status: 404, meaning: "This path does not exist. See /docs for the paths that do." },
  API_METHOD_NOT_ALLOWED: {
    status: 405,
    meaning: "The path exists, but not with this method. The `Allow` header lists the methods it supports.",
  },
  API_REQUEST_TIMEOUT: { status: 408, meaning: "The request did not arrive completely in time. Send it again." },
  API_BODY_TOO_LARGE: {
    status: 413,
    meaning: "The body is larger than the operation allows (64 KiB; a heartbeat 1 MiB; a build `build_max_mib`).",
  },
  API_UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: "A request with a body needs `Content-Type: application/json`, in UTF-8.",
  },
  API_WRONG_HOST: {
    status: 421,
    meaning:
      "The service listens on this machine only, and the request has another host name. If that name is correct, set FOYER_PUBLIC_URL.",
  },
  API_UPGRADE_REQUIRED: {
    status: 426,
    meaning: "The port of the lobby speaks WebSocket only. Connect with a WebSocket client.",
  },
  API_RATE_LIMIT: {
    status: 429,
    meaning: "Too many requests. Try again after `Retry-After` seconds.",
  },
  API_INTERNAL: {
    status: 500,
    meaning: "Internal server error. The server log has details under the request id of the answer.",
  },
  API_LOBBY_UNREACHABLE: {
    status: 502,
    meaning:
      "The gateway cannot reach the lobby: it does not listen on its port yet, its answer is not valid HTTP, or its node has no `node_url` or accepts no connection there.",
  },
  API_LOBBY_TIMEOUT: { status: 504, meaning: "The lobby did not begin its answer within 60 seconds." },
  API_UNAVAILABLE: {
    status: 503,
    meaning:
      "The service is overloaded, stopping, or cannot reach its data store. The request is fine: try again after `Retry-After` seconds.",
  },

  TOKEN_MISSING: { status: 401, meaning: "The operation needs a token: `Authorization: Bearer <token>`." },
  TOKEN_INVALID: {
    status: 401,
    meaning: "The token does not belong to this service, or its game, namespace or lobby no longer exists.",
  },
  TOKEN_EXPIRED: { status: 401, meaning: "The token has expired." },
  TOKEN_REVOKED: { status: 401, meaning: "The token was revoked." },
  TOKEN_FORBIDDEN: {
    status: 403,
    meaning:
      "The token is valid but cannot be used for this call: it is of the wrong kind, or the request comes from an origin that is not allowed.",
  },

  CLOUD_GAME_NOT_FOUND: { status: 404, meaning: "The game does not exist, or it is not yours." },
  CLOUD_NAMESPACE_NOT_FOUND: { status: 404, meaning: "The namespace does not exist in this game." },
  CLOUD_VERSION_NOT_FOUND: { status: 404, meaning: "The version does not exist in this game." },
  CLOUD_LOBBY_NOT_FOUND: { status: 404, meaning: "The lobby does not exist in this namespace." },
  CLOUD_BUILD_NOT_FOUND: { status: 404, meaning: "The build does not exist in this game." },
  CLOUD_TOKEN_NOT_FOUND: { status: 404, meaning: "The token does not exist in this game or namespace." },
  CLOUD_INVALID_DOMAIN: {
    status: 400,
    meaning: "Not a domain name. Write it without protocol, port or path, for example `play.example.com`.",
  },
  CLOUD_VALIDATION_ERROR: {
    status: 400,
    meaning: "A value is not allowed. `errors` lists every issue with its path.",
  },
  CLOUD_BUILD_INVALID: {
    status: 400,
    meaning:
      "The archive is not a gzipped tar that is safe to unpack, or not the one that `sha256` names. The message says what is wrong with it; nothing of it was kept.",
  },
  CLOUD_NAME_TAKEN: {
    status: 409,
    meaning:
      "This name_id is already in use. `metadata.is_deleting` is true when what has it was deleted and is still being removed: try again later.",
  },
  CLOUD_DOMAIN_TAKEN: { status: 409, meaning: "The domain belongs to another namespace." },
  CLOUD_TOO_MANY_DOMAINS: { status: 409, meaning: "The namespace already has the maximum number of domains (32)." },
  CLOUD_QUOTA_REACHED: {
    status: 409,
    meaning: "The maximum number of these is reached. Remove some first, or raise the setting that the message names.",
  },
  CLOUD_VERSION_IN_USE: {
    status: 409,
    meaning:
      "The version is deployed, or lobbies of it are running. Deploy another one and wait for them to end, or stop them.",
  },
  CLOUD_BUILD_IN_USE: {
    status: 409,
    meaning: "A version names the build. Delete that version first.",
  },
  CLOUD_VERSION_CHANGED: {
    status: 409,
    meaning:
      "Another version than `expected_version_id` is deployed: another deploy came first. Check which version is deployed, then decide again.",
  },
  CLOUD_NAMESPACE_NOT_EMPTY: {
    status: 409,
    meaning: "The namespace has running lobbies. Stop them first, or add `?force=true` to stop them.",
  },

  MATCHMAKER_GAME_MODE_NOT_FOUND: { status: 400, meaning: "The deployed version does not have this game mode." },
  MATCHMAKER_REGION_NOT_FOUND: { status: 400, meaning: "No requested game mode runs in a requested region." },
  MATCHMAKER_NO_GAME_MODE_PROVIDED: { status: 400, meaning: "`game_modes` is empty: name at least one." },
  MATCHMAKER_TAGS_DISABLED: {
    status: 400,
    meaning: "The game mode does not allow tags. Set `taggable` in its version.",
  },
  MATCHMAKER_TOO_MANY_TAGS: { status: 400, meaning: "At most 8 tags are allowed." },
  MATCHMAKER_TAG_TOO_LONG: {
    status: 400,
    meaning: "A tag's name has at most 64 bytes, its value at most 256.",
  },
  MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED: {
    status: 400,
    meaning: "The game mode does not let callers choose max_players. Set `allow_dynamic_max_players` in its version.",
  },
  MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID: {
    status: 400,
    meaning: "max_players must be at least 1 and at most the game mode's larger maximum.",
  },
  MATCHMAKER_LOBBY_CONFIG_INVALID: { status: 400, meaning: "lobby_config is larger than 16 KiB of JSON." },
  MATCHMAKER_PUBLICITY_NOT_ALLOWED: {
    status: 400,
    meaning: "The game mode does not allow players to create lobbies of this publicity.",
  },
  MATCHMAKER_PORTS_INVALID: {
    status: 400,
    meaning: "The ports are not those of the game mode, or a hostname is not valid. `errors` lists every issue.",
  },
  MATCHMAKER_FIND_DISABLED: { status: 403, meaning: "The game mode does not allow find." },
  MATCHMAKER_JOIN_DISABLED: { status: 403, meaning: "The lobby's game mode does not allow join." },
  MATCHMAKER_CREATE_DISABLED: { status: 403, meaning: "The game mode does not allow players to create lobbies." },
  MATCHMAKER_KEY_NOT_VOUCHED: {
    status: 403,
    meaning:
      "In this game mode only a server token may give players keys. Let your backend make the call, or set `player_keys` to `open` in the version.",
  },
  MATCHMAKER_CLIENT_BLOCKED: {
    status: 403,
    meaning: "The operator has blocked this client in the namespace. See games.namespaces.blocks.",
  },
  MATCHMAKER_LOBBY_NOT_FOUND: { status: 404, meaning: "The lobby does not exist in this namespace." },
  MATCHMAKER_PLAYER_NOT_FOUND: { status: 404, meaning: "The player token does not belong to this namespace." },
  MATCHMAKER_NO_AVAILABLE_LOBBIES: {
    status: 409,
    meaning: "No existing lobby fits, and none may be created for this request.",
  },
  MATCHMAKER_LOBBY_FULL: { status: 409, meaning: "The lobby does not have enough free seats." },
  MATCHMAKER_TOO_MANY_LOBBIES: { status: 409, meaning: "The namespace has as many lobbies as lobby_count_max allows." },
  MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE: {
    status: 409,
    meaning: "This client has as many seats as max_players_per_client allows.",
  },
  MATCHMAKER_PLAYER_ALREADY_SEATED: {
    status: 409,
    meaning:
      "A player with the same key has a seat already. `metadata.players` says which players, and in which lobbies.",
  },
  MATCHMAKER_PLAYER_ALREADY_CONNECTED: { status: 409, meaning: "The player token was already used." },
  MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY: {
    status: 409,
    meaning: "The player's seat is in another lobby. Nothing changed.",
  },
  MATCHMAKER_IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    meaning: "The Idempotency-Key was used with another body. Use a new key for a new request.",
  },
  MATCHMAKER_VERSION_NOT_DEPLOYED: {
    status: 409,
    meaning:
      "`version` is not the deployed version, which is in `metadata.deployed_version`. Load the page of that version.",
  },
  MATCHMAKER_NO_VERSION_DEPLOYED: { status: 409, meaning: "The namespace has no deployed version yet." },
  MATCHMAKER_LOBBY_STOPPED: { status: 410, meaning: "The lobby has stopped." },
  MATCHMAKER_PLAYER_RESERVATION_EXPIRED: {
    status: 410,
    meaning: "The player connected too late: the reservation has expired. Find a lobby again.",
  },
  MATCHMAKER_PLAYER_REMOVED: { status: 410, meaning: "The player has already left." },
  MATCHMAKER_LOBBY_START_FAILED: {
    status: 503,
    meaning:
      "The lobby ended before it was ready, or no lobby can be started now. Try again after `Retry-After` seconds; the operator's list of lobbies and the log say why.",
  },
  MATCHMAKER_LOBBY_NOT_READY: {
    status: 503,
    meaning: "The lobby did not become ready in time. Try again after `Retry-After` seconds.",
  },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof errorTable;

export const errorCodes = Object.keys(errorTable) as ErrorCode[];
