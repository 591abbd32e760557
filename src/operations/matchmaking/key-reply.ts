import type { KeyShown } from "../../matchmaker/commands.ts";

/** A player's key for its lobby and for operators only; nothing, if the player has none. */
export function toKeyReply({ key, isKeyVouched }: KeyShown) {
  return key === undefined ? {} : { key, is_key_vouched: isKeyVouched ?? false };
}
