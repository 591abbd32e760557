export type { CallOptions, ClientOptions, KeyedCallOptions } from "./call.ts";
export { FoyerError, type Issue, isFoyerError } from "./error.ts";
export type { ErrorCode, OperationErrors } from "./generated/errors.ts";
export type { CreateRequest, FindRequest, JoinAnswer } from "./generated/types.ts";
export type { RegionWithLatency } from "./latency.ts";
export {
  createMatchmaker,
  type Matchmaker,
  type MatchmakerOptions,
  type Seat,
  type TokenStorage,
} from "./matchmaker.ts";
