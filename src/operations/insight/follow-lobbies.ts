import type { Engine } from "../../engine/engine.ts";
import type { Event, StopReason } from "../../matchmaker/commands.ts";
import type { Nodes } from "../../nodes/nodes.ts";
import { type Activity, activityStepMs } from "./activity.ts";

interface FollowedParts {
  readonly engine: Pick<Engine, "events" | "read">;
  readonly nodes: Pick<Nodes, "lease">;
  readonly activity: Activity;
}

const failures: ReadonlySet<StopReason | null> = new Set([
  "start_failed",
  "not_ready",
  "crashed",
  "node_lost",
  "silent",
] satisfies StopReason[]);

/**
 * Every node gets the events of every lobby; the lease holder counts them, so that each is counted once. Ends with the
 * engine.
 */
export async function followLobbies({ engine, nodes, activity }: FollowedParts): Promise<void> {
  const isWanted = ({ type }: Event) =>
    (type === "lobby.created" || type === "lobby.stopped") && nodes.lease() !== null;
  for await (const event of engine.events(isWanted)) {
    if (!("lobby" in event)) continue;
    const { namespaceId, lobby } = event;
    activity.count(namespaceId, event.type === "lobby.created" ? "lobbies_created" : "lobbies_stopped");
    if (event.type === "lobby.stopped" && failures.has(lobby.stopReason)) activity.count(namespaceId, "lobbies_failed");
  }
}

/** More are not looked at in one step. */
const looksMax = 1000;

/** Looks once in each step at how many lobbies and players there are, on the node that has the lease. */
export function createMeasureLobbies({
  engine,
  nodes,
  activity,
  now,
}: FollowedParts & { now(): number }): () => Promise<void> {
  let measuredStep = -1;
  return async () => {
    const step = Math.floor(now() / activityStepMs);
    if (step === measuredStep || nodes.lease() === null) return;
    measuredStep = step;
    const known = (await engine.read({ type: "namespaces" })).map(({ namespaceId }) => namespaceId);
    for (const namespaceId of [...new Set([...activity.namespaceIds(), ...known])].slice(0, looksMax)) {
      const counts = await engine.read({ type: "counts", namespaceId, now: now() });
      const lobbies = counts.starting + counts.ready;
      activity.measure(
        namespaceId,
        { lobbies, players: counts.reserved + counts.connected + counts.held },
        lobbies > 0,
      );
    }
  };
}
