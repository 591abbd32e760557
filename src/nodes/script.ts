import { createHash } from "node:crypto";
import type { Script } from "../redis/interface.ts";

/** The scripts of nodes are a few lines of Lua each, so they are next to the code that calls them. */
export function script(name: string, text: string): Script {
  return { name, text, sha: createHash("sha1").update(text).digest("hex") };
}
