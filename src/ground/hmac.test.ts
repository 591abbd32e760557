import { createHmac, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createHmacSha256 } from "./hmac.ts";

test("gives what Node's own HMAC gives, for keys and messages of every length", () => {
  for (const keyBytes of [0, 1, 31, 32, 63, 64, 65, 200]) {
    const key = randomBytes(keyBytes);
    const seal = createHmacSha256(key, 130);
    // Also after a longer message, of which nothing may be left.
    for (let length = 130; length >= 0; length--) {
      const message = randomBytes(length);
      expect(seal(message)).toBe(createHmac("sha256", key).update(message).digest("binary"));
    }
  }
});

test("refuses a message that is longer than it was made for", () => {
  const seal = createHmacSha256(randomBytes(32), 10);
  expect(() => seal(randomBytes(11))).toThrow(RangeError);
});
