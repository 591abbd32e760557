import { toTimestamp } from "../cloud/pagination.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";

export function whoamiOperations({ config }: Context) {
  return {
    "auth.whoami": async ({ caller }) => {
      const runsContainers = config.runtimes.includes("docker");
      if (caller.kind !== "cloud") {
        return {
          kind: caller.kind,
          ...(caller.kind === "session" && { token_id: caller.tokenId, expires_ts: toTimestamp(caller.expiresTs) }),
          may: { create_games: true, run_processes: true, run_containers: runsContainers },
        };
      }
      const mayRun = config.processTrust === "cloud";
      return {
        kind: "cloud",
        game_id: caller.gameId,
        token_id: caller.tokenId,
        ...(caller.expiresTs !== null && { expires_ts: toTimestamp(caller.expiresTs) }),
        may: {
          create_games: false,
          run_processes: mayRun,
          run_containers: runsContainers && config.dockerTrust === "cloud",
        },
      };
    },
  } satisfies Partial<Handlers>;
}
