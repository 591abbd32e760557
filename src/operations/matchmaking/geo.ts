import type { ResolvedRegion } from "../../contract/version-config.ts";

export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

const earthRadiusKm = 6371;
const milesPerKm = 0.621371;

/** `lat,long` in degrees, as a trusted proxy sends it; null: unreadable. */
export function parsePlace(text: string): Place | null {
  const match = /^\s*(-?\d{1,3}(?:\.\d{1,10})?)\s*,\s*(-?\d{1,3}(?:\.\d{1,10})?)\s*$/.exec(text);
  if (!match) return null;
  const [latitude, longitude] = [Number(match[1]), Number(match[2])];
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : null;
}

/** Along the surface, by the haversine formula. */
function distanceKm(from: Place, to: Place): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const half = (a: number, b: number) => Math.sin(radians(b - a) / 2) ** 2;
  const chord =
    half(from.latitude, to.latitude) +
    Math.cos(radians(from.latitude)) * Math.cos(radians(to.latitude)) * half(from.longitude, to.longitude);
  return 2 * earthRadiusKm * Math.asin(Math.min(1, Math.sqrt(chord)));
}

/** Nearest first when the place is known, else in the order given. */
export function nearestFirst(
  names: readonly string[],
  regions: Readonly<Record<string, ResolvedRegion>>,
  place: Place | null,
): readonly string[] {
  if (!place || names.length < 2) return names;
  const distances = new Map(names.map((name) => [name, distanceKm(place, regions[name]!)]));
  return [...names].sort((a, b) => distances.get(a)! - distances.get(b)!);
}

export function distanceAnswer(place: Place | null, region: Place) {
  const kilometers = place ? distanceKm(place, region) : 0;
  return { kilometers: round(kilometers), miles: round(kilometers * milesPerKm) };
}

function round(distance: number): number {
  return Math.round(distance * 10) / 10;
}
