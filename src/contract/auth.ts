import { Type } from "typebox";
import { named, object, timestamp, uuid } from "./common.ts";
import type { Operation } from "./define.ts";
import { cloud } from "./games.ts";

/** What tools and pages ask before anything else. */
export const auth = {
  "auth.whoami": {
    ...cloud,
    method: "GET",
    path: "/cloud/whoami",
    summary: "Says which token this is and what it may do.",
    reply: named("WhoamiAnswer", {
      kind: Type.Enum(["admin", "cloud"]),
      game_id: Type.Optional(uuid("The one game of a cloud token.")),
      token_id: Type.Optional(uuid("Absent for the admin token.")),
      expires_ts: Type.Optional(timestamp("When the token expires; absent: never.")),
      may: object({
        create_games: Type.Boolean(),
        run_processes: Type.Boolean({
          description: "Make versions with the `process` runtime, which run programs on the machine of the service.",
        }),
        run_containers: Type.Boolean({
          description: "Make versions with the `docker` runtime, which run containers on the machine of the service.",
        }),
      }),
    }),
    errors: [],
  },
} as const satisfies Record<string, Operation>;
