import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import { createRecent } from "./bounded-cache.ts";

/** Every prefix that a token may have (docs/decisions/0006). */
const tokenKinds = ["admin", "cloud", "pub", "dev", "server", "lobby", "player", "devplayer", "session"] as const;

/** Every prefix of what must not be in a log: tokens, and the codes of sign-in addresses. */
export const secretPrefixes = [...tokenKinds, "signin"] as const;

/** Random tokens, known by their hash: in the store, those of the admin and of sessions only in memory. */
export type KeptTokenKind = "admin" | "cloud" | "pub" | "dev" | "server" | "session";

/** A token that is never stored: it contains its ids, signed with the installation's secret. */
export type DerivedToken =
  | {
      readonly kind: "lobby";
      readonly namespaceId: string;
      readonly lobbyId: string;
      /** The node that started its server, see `nodeTagOf`. Absent: there is one node, or Foyer does not run the lobby. */
      readonly nodeTag?: string;
    }
  | { readonly kind: "player"; readonly namespaceId: string; readonly lobbyId: string; readonly playerId: string }
  | { readonly kind: "devplayer"; readonly namespaceId: string; readonly playerId: string };

export interface DerivedTokens {
  make(token: DerivedToken): string;
  /** null: not made by this installation. */
  read(token: string): DerivedToken | null;
}

export function newKeptToken(kind: KeptTokenKind): string {
  return `${kind}_${randomBytes(32).toString("base64url")}`;
}

/** 128 bits: a person pastes it as part of an address. */
export function newSignInCode(): string {
  return `signin_${randomBytes(16).toString("base64url")}`;
}

export function hashToken(token: string): string {
  return hash("sha256", token, "base64url");
}

/** The kind that a token claims by its prefix. */
export function claimedKind(token: string): string {
  return token.slice(0, Math.max(0, token.indexOf("_")));
}

const macBytes = 32;
const idBytes = 16;
const idCounts = { lobby: [2, 3], player: [3], devplayer: [2] } as const;

/** About 10 MB when full. Lobbies call repeatedly with the same token; a player's token is read at most twice. */
const knownLobbiesMax = 20_000;

/** `previousSecret` keeps tokens from before a change of secret valid until their lobby or seat ends. */
export function createDerivedTokens(secret: Buffer, previousSecret: Buffer | null): DerivedTokens {
  const knownLobbies = createRecent<DerivedToken>(knownLobbiesMax);

  function seal(kind: DerivedToken["kind"], ids: Buffer, key: Buffer): Buffer {
    return createHmac("sha256", key).update(`${kind}\0`).update(ids).digest();
  }

  function isAuthentic(kind: DerivedToken["kind"], ids: Buffer, mac: Buffer): boolean {
    if (timingSafeEqual(seal(kind, ids, secret), mac)) return true;
    return previousSecret !== null && timingSafeEqual(seal(kind, ids, previousSecret), mac);
  }

  function check(token: string): DerivedToken | null {
    const kind = claimedKind(token);
    if (kind !== "lobby" && kind !== "player" && kind !== "devplayer") return null;
    const text = token.slice(kind.length + 1);
    const bytes = Buffer.from(text, "base64url");
    const idCount = idCounts[kind].find((count) => bytes.length === count * idBytes + macBytes);
    // The second condition refuses other spellings of the same bytes: one token has one text.
    if (idCount === undefined || bytes.toString("base64url") !== text) return null;
    const idsLength = idCount * idBytes;
    const ids = bytes.subarray(0, idsLength);
    if (!isAuthentic(kind, ids, bytes.subarray(idsLength))) return null;

    const id = (index: number) => bytesToId(ids.subarray(index * idBytes, (index + 1) * idBytes));
    if (kind === "lobby") return { kind, namespaceId: id(0), lobbyId: id(1), ...(idCount === 3 && { nodeTag: id(2) }) };
    if (kind === "player") return { kind, namespaceId: id(0), lobbyId: id(1), playerId: id(2) };
    return { kind, namespaceId: id(0), playerId: id(1) };
  }

  return {
    make(token) {
      const ids = idsToBytes(listIds(token));
      return `${token.kind}_${Buffer.concat([ids, seal(token.kind, ids, secret)]).toString("base64url")}`;
    },
    read(token) {
      const known = knownLobbies.get(token);
      if (known !== undefined) return known;
      const checked = check(token);
      if (checked?.kind === "lobby") knownLobbies.set(token, checked);
      return checked;
    },
  };
}

/** A node in the token of a lobby: as long as an id, whatever the node is called. */
export function nodeTagOf(nodeId: string): string {
  return bytesToId(Buffer.from(hash("sha256", nodeId, "hex"), "hex").subarray(0, idBytes));
}

function listIds(token: DerivedToken): string[] {
  if (token.kind === "lobby") {
    const { namespaceId, lobbyId, nodeTag } = token;
    return nodeTag === undefined ? [namespaceId, lobbyId] : [namespaceId, lobbyId, nodeTag];
  }
  if (token.kind === "player") return [token.namespaceId, token.lobbyId, token.playerId];
  return [token.namespaceId, token.playerId];
}

function idsToBytes(ids: readonly string[]): Buffer {
  return Buffer.from(ids.join("").replaceAll("-", ""), "hex");
}

function bytesToId(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
