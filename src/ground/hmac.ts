import { hash } from "node:crypto";

const blockBytes = 64;
const digestBytes = 32;

/**
 * HMAC-SHA256 with one key, as RFC 2104 defines it, for messages of at most `messageMaxBytes`. The result is a text with
 * one character for each byte ("latin1"). Made of two hashes, because an Hmac object of Node costs twice as much, and
 * every find makes a token (docs/decisions/0016).
 */
export function createHmacSha256(key: Buffer, messageMaxBytes: number): (message: Uint8Array) => string {
  const block = Buffer.alloc(blockBytes);
  block.set(key.length > blockBytes ? hash("sha256", key, "buffer") : key);
  const inner = Buffer.alloc(blockBytes + messageMaxBytes);
  const outer = Buffer.alloc(blockBytes + digestBytes);
  for (let i = 0; i < blockBytes; i++) {
    inner[i] = block[i]! ^ 0x36;
    outer[i] = block[i]! ^ 0x5c;
  }
  return (message) => {
    inner.set(message, blockBytes);
    const digest = hash("sha256", inner.subarray(0, blockBytes + message.length), "binary");
    outer.write(digest, blockBytes, "latin1");
    return hash("sha256", outer, "binary");
  };
}
