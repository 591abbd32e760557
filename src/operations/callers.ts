import type { CallerKind } from "../contract/define.ts";
import type { Counted } from "../ground/rates.ts";
import type { Place } from "./matchmaking/geo.ts";

/** Where a game server under development listens; kept with its development token. */
export interface DevelopmentServer {
  readonly hostname: string;
  readonly ports: Readonly<Record<string, DevelopmentPort>>;
}

export interface DevelopmentPort {
  readonly protocol: string;
  readonly port: number | null;
  readonly portRange: { readonly min: number; readonly max: number } | null;
}

/** Who is calling, as far as the token or the origin proves it. */
export type Caller =
  | { readonly kind: "admin" }
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
      /** Of its token, by which it is looked up again. */
      readonly tokenHash: string;
    }
  | { readonly kind: "lobby"; readonly namespaceId: string; readonly lobbyId: string };

export type CallerOf<K extends CallerKind> = Extract<Caller, { kind: K }>;

/** What an operator's token is called where it has a share of something; the admin token has no row, so no id. */
export function tokenIdOf(caller: CallerOf<"admin" | "cloud">): string {
  return caller.kind === "admin" ? "admin" : caller.tokenId;
}

/** The player's machine. Its id is an IPv4 address or the /64 of an IPv6 one. */
export interface Client extends Counted {
  /** False for direct loopback requests, to which no rate limit applies. */
  readonly isLimited: boolean;
  /** Where it is, when a trusted proxy tells. */
  readonly place: Place | null;
}

/** Calls back when the client goes away before it has its answer, at once if it is gone. The result stops listening. */
export type WhenGone = (listener: () => void) => () => void;
