export type {
  Bytes,
  CallOptions,
  ClientOptions,
  KeyedCallOptions,
  Page,
  StreamEvent,
  StreamOptions,
} from "./call.ts";
export { FoyerError, type Issue, isFoyerError } from "./error.ts";
export { createFoyer, createPlayerApi, type Foyer } from "./foyer.ts";
export type { OperatorApi, PlayerApi } from "./generated/api.ts";
export type { ErrorCode, ErrorStatus, OperationErrors } from "./generated/errors.ts";
export type * from "./generated/types.ts";
export type { RegionWithLatency } from "./latency.ts";
export { createLobbyServer, type LobbyServer, type LobbyServerOptions, type StopReason } from "./lobby-server.ts";
export {
  createMatchmaker,
  type Matchmaker,
  type MatchmakerOptions,
  type Seat,
  type TokenStorage,
} from "./matchmaker.ts";
export type { RetryOptions } from "./retry.ts";
export type { LeaveOptions, LeaveReason, Player } from "./roster.ts";
