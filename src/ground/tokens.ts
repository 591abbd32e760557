import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { createRecent } from "./bounded-cache.ts";
import { createHmacSha256 } from "./hmac.ts";

/** Every prefix that a token may have (docs/decisions/0006). */
const tokenKinds = ["admin", "cloud", "pub", "dev", "server", "lobby", "player", "devplayer", "session"] as const;

/** Every prefix of what must not be in a log: tokens, and the codes of sign-in addresses. */
export const secretPrefixes = [...tokenKinds, "signin"] as const;

/** Random tokens, known by their hash: in the store, that of the admin only in memory. */
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
const idsMax = 3;

/** About 10 MB when full. Lobbies call repeatedly with the same token; a player's token is read at most twice. */
const knownLobbiesMax = 20_000;

/** `previousSecret` keeps tokens from before a change of secret valid until their lobby or seat ends. */
export function createDerivedTokens(secret: Buffer, previousSecret: Buffer | null): DerivedTokens {
  const knownLobbies = createRecent<DerivedToken>(knownLobbiesMax);

  const seal = createSeal(secret);
  const sealBefore = previousSecret && createSeal(previousSecret);
  /** The bytes of the token that is being made. */
  const made = Buffer.alloc(idsMax * idBytes + macBytes);

  function isAuthentic(kind: DerivedToken["kind"], ids: Buffer, mac: Buffer): boolean {
    const isBy = (sealed: string) => timingSafeEqual(Buffer.from(sealed, "latin1"), mac);
    return isBy(seal(kind, ids)) || (sealBefore !== null && isBy(sealBefore(kind, ids)));
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
      const ids = listIds(token);
      for (let i = 0; i < ids.length; i++) writeId(made, ids[i]!, i * idBytes);
      const idsLength = ids.length * idBytes;
      made.write(seal(token.kind, made.subarray(0, idsLength)), idsLength, "latin1");
      return `${token.kind}_${made.toString("base64url", 0, idsLength + macBytes)}`;
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

/** The kind is sealed too, so that no token is valid as one of another kind. */
function createSeal(key: Buffer): (kind: DerivedToken["kind"], ids: Buffer) => string {
  const mac = createHmacSha256(key, kindBytesMax + idsMax * idBytes);
  const message = Buffer.alloc(kindBytesMax + idsMax * idBytes);
  return (kind, ids) => {
    const start = message.write(`${kind}\0`, "latin1");
    message.set(ids, start);
    return mac(message.subarray(0, start + ids.length));
  };
}

const kindBytesMax = "devplayer\0".length;

/** Writes the 16 bytes of a UUID. By a table: a find writes three, and Buffer's own way makes a text without hyphens first. */
function writeId(bytes: Buffer, id: string, start: number): void {
  if (id.length !== 36) throw new Error("An id in a token must be a UUID.");
  for (let at = 0, to = start; at < 36; at += 2) {
    if (at === 8 || at === 13 || at === 18 || at === 23) at += 1;
    bytes[to++] = (hexDigits[id.charCodeAt(at)]! << 4) | hexDigits[id.charCodeAt(at + 1)]!;
  }
}

const hexDigits = new Uint8Array(128);
for (let digit = 0; digit < 16; digit++) {
  hexDigits[digit.toString(16).charCodeAt(0)] = digit;
  hexDigits[digit.toString(16).toUpperCase().charCodeAt(0)] = digit;
}

function bytesToId(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
