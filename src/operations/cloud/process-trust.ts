import type { Config } from "../../config/config.ts";
import type { CallerOf } from "../callers.ts";
import { type Refusal, refuse } from "../refusal.ts";

/** A refusal when the caller may not bring programs that run on this machine. */
export function checkProcessTrust(
  { processTrust }: Config,
  caller: CallerOf<"admin" | "session" | "cloud">,
): Refusal<"TOKEN_FORBIDDEN"> | null {
  if (caller.kind !== "cloud" || processTrust === "cloud") return null;
  const message =
    "A version with the process runtime runs programs on the service's machine and needs the admin token (or FOYER_PROCESS_TRUST=cloud).";
  return refuse("TOKEN_FORBIDDEN", message);
}
