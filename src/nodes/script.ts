import { createHash } from "node:crypto";
import type { Script } from "../redis/interface.ts";

/** What nodes do together is a few lines of Lua each, which read best beside what calls them. */
export function script(name: string, text: string): Script {
  return { name, text, sha: createHash("sha1").update(text).digest("hex") };
}
