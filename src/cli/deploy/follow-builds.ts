import { setTimeout as sleep } from "node:timers/promises";
import type { Client, Json } from "../remote/client.ts";
import type { Progress } from "../remote/progress.ts";
import { clean } from "../remote/show.ts";

/** How the nodes got the builds of a version. `isNowhere`: no node that should run a build has it. */
export type Prepared =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly isNowhere: boolean; readonly reason: string }
  | { readonly kind: "late" };

const askEveryMs = 500;
/** Long enough to fetch and unpack a build of the largest size. */
const waitMs = 10 * 60_000;

/** Waits until every node that runs lobbies of the builds has them, or one could not unpack one. */
export async function followBuilds(
  client: Client,
  { game_id, buildIds }: { readonly game_id: string; readonly buildIds: readonly string[] },
  progress: Progress,
  signal: AbortSignal,
): Promise<Prepared> {
  const endsAt = performance.now() + waitMs;
  for (const build_id of buildIds) {
    for (;;) {
      const { nodes = [] } = await client.call("games.builds.getBuild", { params: { game_id, build_id } });
      const isIn = (state: string) => (node: Json) => node.state === state;
      if (nodes.every(isIn("ready"))) break;
      if (!nodes.some(isIn("preparing"))) return describeFailure(nodes);
      if (performance.now() > endsAt) return { kind: "late" };
      progress.update(
        `Waiting for the build: ${nodes.filter(isIn("ready")).length} of ${nodes.length} nodes have it …`,
      );
      await sleep(askEveryMs, undefined, { signal });
    }
  }
  return { kind: "ready" };
}

function describeFailure(nodes: readonly Json[]): Prepared {
  const failed = nodes.filter(({ state }) => state === "failed");
  const lines = failed.map(({ node_id, message }) =>
    clean(`The node ${node_id} could not prepare the build: ${message}`),
  );
  return { kind: "failed", isNowhere: failed.length === nodes.length, reason: lines.join("\n") };
}
