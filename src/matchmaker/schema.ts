import type { Fields } from "./field-kinds.ts";

/**
 * The records that a namespace is made of. Each field, constant and refusal code is written here once. Made from it: the
 * types (types.ts, records.ts), the journal's rows (codec.ts), views (views.ts), and what scripts in Redis load, write and
 * show (engine/redis/lua-fields.ts, read-views.ts). What a field says about itself is in field-kinds.ts.
 *
 * To add a field: one line here, with `since` one more than the last release had. Never reorder fields, and never change
 * the kind of one: rows in the journal are lists in this order.
 */

/** Given with the command that makes the lobby, and the same ever after. */
const given = { isGiven: true, isFixed: true } as const;
/** Said by the rule that makes the record, and the same ever after. */
const fixed = { isFixed: true } as const;

/** `created` by a player's call, `registered` by a server token, `warm` ahead of need; `found` is find's own creation. */
const createReasons = ["found", "created", "registered", "warm"] as const;

const lobbyStatuses = ["starting", "ready", "stopped"] as const;

/** Why the operator's flag makes find avoid a lobby. `token_revoked`: the server token that registered it. */
const operatorCloses = ["operator", "token_revoked"] as const;

const stopReasons = [
  "self",
  "operator",
  "crashed",
  "start_failed",
  "namespace_removed",
  /** The node that ran it has been down for too long. */
  "node_lost",
  // From here on they are the rules' own reasons.
  "not_ready",
  "empty",
  "outdated",
  "silent",
] as const;

/**
 * `held`: its player dropped and may come back. Ended: `left` by disconnecting, missing from heartbeats or a block of its
 * client, `ended` with the lobby, `released` by its player or a call that gave up waiting, `not_returned` after a hold.
 */
const seatStatuses = ["reserved", "connected", "expired", "left", "ended", "released", "held", "not_returned"] as const;

export const lobbyFields = {
  versionId: { kind: "text", ...given, redis: "made" },
  gameMode: { kind: "text", ...given, redis: "made" },
  region: { kind: "text", ...given, redis: "made" },
  maxPlayers: { kind: "number", ...given },
  maxPlayersDirect: { kind: "number", ...given },
  /** Run by the studio itself: never stopped for being empty or outdated. */
  isExternal: { kind: "flag", ...given },
  isPrivate: { kind: "flag", ...given },
  /** Whether its game mode lets players join by id. */
  isJoinable: { kind: "flag", ...given },
  tags: { kind: "tags", ...given, redis: "made" },
  readyMs: { kind: "number", ...given },
  reservationMs: { kind: "number", ...given },
  /** 0: the lobby need not send heartbeats. */
  heartbeatMs: { kind: "number", ...given },
  emptyMs: { kind: "number", ...given },
  /** JSON text; null when none was given. */
  lobbyConfig: { kind: "text?", ...given, redis: "made" },
  createReason: { kind: "choice", of: createReasons, ...fixed, redis: "made" },
  /** The client that caused it, or the id of the server token that registered it. */
  createdBy: { kind: "text?", ...fixed, redis: "made" },
  createdAt: { kind: "time", first: "now", ...fixed },
  /** JSON text; null until they are known (see setPorts). */
  ports: { kind: "text?", isGiven: true, redis: "text" },
  /** JSON text; null when the lobby has set none. */
  state: { kind: "text?", first: null, redis: "text" },
  /** JSON text about how its process ended. */
  exit: { kind: "text?", first: null, redis: "text" },
  /** The node that runs its server; null: none has been chosen yet, or there is only one. */
  nodeId: { kind: "text?", first: null },
  status: { kind: "choice", of: lobbyStatuses, first: "starting" },
  /** The lobby's own flag. */
  isClosed: { kind: "flag", first: false },
  /** The operator's flag; null: not set. Find avoids a lobby while either is set. */
  operatorClose: { kind: "choice?", of: operatorCloses, first: null },
  readyAt: { kind: "time?", first: null },
  silentSince: { kind: "time?", first: null },
  /** When it last had no taken seat; means something only while it has none. */
  emptySince: { kind: "time", first: "now", isHidden: true },
  /** The most seats taken at the same time, as of the last end of a seat; see peakSeats. */
  peakBefore: { kind: "number", first: 0, isHidden: true },
  stoppedAt: { kind: "time?", first: null },
  stopReason: { kind: "choice?", of: stopReasons, first: null },
  /** Heartbeat clocks start over with the embedded engine. */
  lastHeartbeatAt: { kind: "time?", first: null, isNotInJournal: true },
  /** How long a dropped player may come back; 0: its seat ends immediately. */
  reconnectMs: { kind: "number", ...given, since: 4, absent: 0 },
  /** What players join it by; null: its game mode has no codes. No other lobby that the namespace remembers has it. */
  code: { kind: "text?", ...fixed, since: 4 },
  /** Whether players may bring keys of their own; otherwise only a server token may give them keys. */
  takesOpenKeys: { kind: "flag", ...given, since: 4 },
  /** It need not send heartbeats before it has sent its first one. */
  isMute: { kind: "flag", isGiven: true, isHidden: true, since: 4 },
  /** It has called ready, but these ports of its server, in words for the operator, do not accept connections yet. */
  waitsFor: { kind: "text?", first: null, since: 4 },
} as const satisfies Fields;

/** What a view of a lobby shows besides its facts. How each is worked out is in views.ts, and in views.lua. */
export const lobbyShown = {
  isSilent: { kind: "flag" },
  /** Its version is not the deployed one. */
  isOutdated: { kind: "flag" },
  reserved: { kind: "number" },
  connected: { kind: "number" },
  /** Null while a seat is taken. */
  emptySince: { kind: "time?" },
  /** The most seats that were ever taken at the same time. */
  peakSeats: { kind: "number" },
  held: { kind: "number", since: 4, absent: 0 },
} as const satisfies Fields;

export const playerFields = {
  lobbyId: { kind: "text", ...fixed },
  /** Empty: a server token took the seat, which is no client. */
  clientId: { kind: "text", ...fixed },
  reservedAt: { kind: "time", first: "now", ...fixed },
  status: { kind: "choice", of: seatStatuses, first: "reserved" },
  connectedAt: { kind: "time?", first: null },
  endedAt: { kind: "time?", first: null, isHidden: true },
  /** Connected, but the lobby's last heartbeat that named its players did not name this one. */
  isMissing: { kind: "flag", first: false, isHidden: true },
  /** When its last hold began. */
  heldAt: { kind: "time?", first: null, isHidden: true, since: 4 },
  /** The studio's own name for the player; null: none. It is vouched for when a server token took the seat. */
  playerKey: { kind: "text?", ...fixed, since: 4 },
} as const satisfies Fields;

export const playerShown = {
  /** When the reservation or the hold ends; null while connected, and for a reservation while the lobby is starting. */
  expiresAt: { kind: "time?" },
} as const satisfies Fields;

/** What an idempotency key was answered with. */
export const keyFields = {
  bodyHash: { kind: "text", ...fixed },
  lobbyId: { kind: "text", ...fixed },
  playerIds: { kind: "ids", ...fixed },
  createdAt: { kind: "time", first: "now", ...fixed },
} as const satisfies Fields;

export const namespaceFields = {
  revision: { kind: "number", ...fixed },
  lobbyCountMax: { kind: "number", ...fixed },
  maxPlayers: { kind: "number", ...fixed },
  maxPlayersPerClient: { kind: "number?", ...fixed },
  deployedVersionId: { kind: "text?", ...fixed },
  /** How many empty lobbies are kept, by pairKey. */
  idleMinimums: { kind: "counts", ...fixed },
  removedAt: { kind: "time?", ...fixed },
} as const satisfies Fields;

/** The number of a record in the journal is its place here: new ones go to the end. */
export const entities = ["namespace", "lobby", "player", "key"] as const;
export type Entity = (typeof entities)[number];

export const constants = {
  /** Ended seats, stopped lobbies, idempotency keys and removed namespaces are remembered this long. */
  rememberedMs: 10 * 60_000,
  /** A lobby that has been silent for this many heartbeat periods is stopped. */
  silentPeriodsMax: 10,
  /** The maximum that one command or step of a query reads, so that other commands do not wait for long. */
  lobbiesPerStepMax: 500,
  seatsPerStepMax: 2_000,
  /** So many lobbies of another version end in one step after a deploy: to end one costs much more than to look at it. */
  retiredPerStepMax: 100,
  /** All lobbies of one explanation together, so that neither many lobbies nor many pairs make it expensive. */
  looksMax: 2_000,
  /** From one ordered set; each is walked from the lobbies nearest to a fit outwards. */
  looksPerSetMax: 24,
  /** With several tags the fits are not next to one another, so it is worth looking farther. */
  looksPerSetWithTagsMax: 200,
} as const;

/** Those of the public contract keep its names without the MATCHMAKER_ prefix; the last five stay inside. */
export const refusalCodes = [
  "NO_VERSION_DEPLOYED",
  "NO_AVAILABLE_LOBBIES",
  "LOBBY_NOT_FOUND",
  "LOBBY_STOPPED",
  "LOBBY_FULL",
  "JOIN_DISABLED",
  "TOO_MANY_LOBBIES",
  "TOO_MANY_PLAYERS_FROM_SOURCE",
  /** A player brings a key to a lobby that takes only those of server tokens. */
  "KEY_NOT_VOUCHED",
  /** A player with one of the keys has a taken seat. */
  "PLAYER_ALREADY_SEATED",
  "PLAYER_ALREADY_CONNECTED",
  "PLAYER_IN_DIFFERENT_LOBBY",
  "PLAYER_RESERVATION_EXPIRED",
  "PLAYER_REMOVED",
  "IDEMPOTENCY_KEY_REUSED",
  "CREATE_DISABLED",
  /** The client spent its budget of lobbies that its finds may cause. Only ever a find's own `startRefusal`. */
  "API_RATE_LIMIT",
  /** Nothing here can start the lobby's server. Only ever a find's own `startRefusal`. */
  "START_FAILED",
  "NAMESPACE_NOT_EMPTY",
  /** Load the namespace's configuration, push it with `configure`, build the command again. */
  "STALE_REVISION",
  /** The warm pool of this game mode and region is full. */
  "NOT_NEEDED",
  /** Other lobbies have every code that the command brought: build it again with longer ones. */
  "CODES_TAKEN",
  /** Another node runs the lobby already. */
  "ALREADY_PLACED",
  /** Another node has taken over what the sender does. */
  "LEASE_LOST",
] as const;
