/** What a node says about the builds of deployed versions. */
export interface NodeBuilds {
  /** Those that are unpacked there. */
  readonly ready: readonly string[];
  /** Those that it could not unpack, each with the reason for operators. It tries again. */
  readonly failed: Readonly<Record<string, string>>;
}

/** unknown: the node does not say, so it may have the build or not. */
export type BuildState = "ready" | "preparing" | "failed" | "unknown";

/** A report is sent every second, so it is short: a node with more builds of deployed versions than this does not list them. */
const listedMax = 1_000;
const reasonMax = 300;

/** The part of a node's report about builds; null: they are too many. */
export function reportBuilds(ready: readonly string[], failed: ReadonlyMap<string, string>): NodeBuilds | null {
  if (ready.length + failed.size > listedMax) return null;
  const reasons = [...failed].map(([buildId, reason]) => [buildId, reason.slice(0, reasonMax)]);
  return { ready, failed: Object.fromEntries(reasons) };
}

/** Null or absent: the node does not list its builds, perhaps because it runs an earlier Foyer. */
export function buildStateOn({ builds }: { readonly builds?: NodeBuilds | null }, buildId: string): BuildState {
  if (!builds) return "unknown";
  if (builds.ready.includes(buildId)) return "ready";
  return Object.hasOwn(builds.failed, buildId) ? "failed" : "preparing";
}
