import type { ResolvedVersionConfig } from "../../contract/version-config.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { isRefusal } from "../refusal.ts";
import { distanceAnswer, nearestFirst, type Place } from "./geo.ts";
import { deployedVersion } from "./new-lobby.ts";
import { namespaceGone } from "./seat-reply.ts";

export function regionOperations(context: Context) {
  return {
    "regions.list": async ({ caller, client }) => {
      const config = await context.configs.get(caller.namespaceId);
      if (!config) return namespaceGone();
      const version = deployedVersion(config);
      return isRefusal(version) ? version : { regions: regionsAnswer(version.config, client.place) };
    },
  } satisfies Partial<Handlers>;
}

/** Nearest first when the client's place is known, else as the version lists them with distances of 0. */
export function regionsAnswer(config: ResolvedVersionConfig, place: Place | null) {
  return nearestFirst(Object.keys(config.regions), config.regions, place).map((name) => {
    const region = config.regions[name]!;
    return {
      region_id: name,
      provider_display_name: region.provider_display_name,
      region_display_name: region.display_name,
      datacenter_coord: { latitude: region.latitude, longitude: region.longitude },
      datacenter_distance_from_client: distanceAnswer(place, region),
      ...(region.ping_url !== null && { ping_url: region.ping_url }),
    };
  });
}
