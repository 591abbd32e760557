import { bodyMaxBytes } from "../ground/limits.ts";
import { named, object } from "./common.ts";
import type { Operation } from "./define.ts";
import { Type } from "./type.ts";

export const region = named("Region", {
  region_id: Type.String(),
  provider_display_name: Type.String(),
  region_display_name: Type.String(),
  datacenter_coord: object({ latitude: Type.Number(), longitude: Type.Number() }),
  datacenter_distance_from_client: object({ kilometers: Type.Number(), miles: Type.Number() }),
  ping_url: Type.Optional(Type.String({ description: "What to fetch to measure how far away the region is." })),
});

export const regions = {
  "regions.list": {
    callers: ["pub", "origin", "dev"],
    rate: "list",
    query: null,
    body: null,
    bodyOptional: false,
    bodyMaxBytes,
    method: "GET",
    path: "/matchmaker/regions",
    summary: "Lists the regions of the deployed version, nearest first when the client's location is known.",
    reply: object({ regions: Type.Array(region) }),
    errors: ["MATCHMAKER_NO_VERSION_DEPLOYED"],
  },
} as const satisfies Record<string, Operation>;
