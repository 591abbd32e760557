import type { CallerKind } from "../contract/define.ts";
import type { Counted } from "../ground/rates.ts";
import type { Place } from "./matchmaking/geo.ts";

/** Where a game server under development listens; stored with its development token. */
export interface DevelopmentServer {
  readonly hostname: string;
  readonly ports: Readonly<Record<string, DevelopmentPort>>;
}

export interface DevelopmentPort {
  readonly protocol: string;
  readonly port: number | null;
  readonly portRange: { readonly min: number; readonly max: number } | null;
}

/** The caller, as proven by the token or the origin. */
export type Caller =
  | { readonly kind: "admin" }
  | { readonly kind: "session"; readonly tokenId: string; readonly expiresTs: number }
  | { readonly kind: "none" }
  | { readonly kind: "cloud"; readonly tokenId: string; readonly gameId: string; readonly expiresTs: number | null }
  | { readonly kind: "pub"; readonly tokenId: string; readonly namespaceId: string }
  | { readonly kind: "origin"; readonly namespaceId: string }
  | {
      readonly kind: "dev";
      readonly tokenId: string;
      readonly gameId: string;
      readonly namespaceId: string;
      readonly server: DevelopmentServer;
    }
  | {
      readonly kind: "server";
      readonly tokenId: string;
      readonly namespaceId: string;
      /** The hash of its token, for looking it up again. */
      readonly tokenHash: string;
    }
  | {
      readonly kind: "lobby";
      readonly namespaceId: string;
      readonly lobbyId: string;
      /** The node that started the server that calls; absent: there is one node, or Foyer does not run the lobby. */
      readonly nodeTag?: string;
    };

export type CallerOf<K extends CallerKind> = Extract<Caller, { kind: K }>;

/** The name of an operator's token in shares; the admin token has no row and so no id. */
export function getTokenId(caller: CallerOf<"admin" | "session" | "cloud">): string {
  return caller.kind === "admin" ? "admin" : caller.tokenId;
}

/** The player's machine. Its id is an IPv4 address or the /64 of an IPv6 one. */
export interface Client extends Counted {
  /** False for direct loopback requests, to which no rate limit applies. */
  readonly isLimited: boolean;
  /** Its location, if a trusted proxy sends it. */
  readonly place: Place | null;
}

/**
 * Calls back when the client disconnects before it has its answer; immediately if it already has. The result stops
 * listening.
 */
export type WhenGone = (listener: () => void) => () => void;
