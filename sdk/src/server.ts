export type { ClientOptions } from "./call.ts";
export { FoyerError, type Issue, isFoyerError } from "./error.ts";
export type { ErrorCode, OperationErrors } from "./generated/errors.ts";
export { createLobbyServer, type LobbyServer, type LobbyServerOptions, type StopReason } from "./lobby-server.ts";
export type { LeaveOptions, LeaveReason, Player } from "./roster.ts";
