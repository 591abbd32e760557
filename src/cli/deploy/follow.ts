import { setTimeout as sleep } from "node:timers/promises";
import type { BuildOnNode, OperatorLobby } from "foyer-sdk";
import { readLastLine } from "../../ground/plain-line.ts";
import { all, type Client } from "../remote/client.ts";
import { shortId } from "../remote/lobby-ids.ts";
import type { Progress } from "../remote/progress.ts";
import { clean } from "../remote/show.ts";
import type { Target } from "../remote/target.ts";

const askEveryMs = 500;
/** Long enough to fetch and unpack a build of the largest size. */
const buildsWithinMs = 10 * 60_000;

/** How the nodes got the builds of a version. `isNowhere`: no node that should run a build has it. */
export type Prepared =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly isNowhere: boolean; readonly reason: string }
  | { readonly kind: "late" };

/** Waits until every node that runs lobbies of the builds has them, or one could not unpack one. */
export async function followBuilds(
  client: Client,
  { game_id, buildIds }: { readonly game_id: string; readonly buildIds: readonly string[] },
  progress: Progress,
  signal: AbortSignal,
): Promise<Prepared> {
  const endsAt = performance.now() + buildsWithinMs;
  for (const build_id of buildIds) {
    for (;;) {
      const { nodes } = await client.games.builds.getBuild(game_id, build_id);
      const ready = nodes.filter(({ state }) => state === "ready");
      if (ready.length === nodes.length) break;
      if (!nodes.some(({ state }) => state === "preparing")) return describeUnprepared(nodes);
      if (performance.now() > endsAt) return { kind: "late" };
      progress.update(`Waiting for the build: ${ready.length} of ${nodes.length} nodes have it …`);
      await sleep(askEveryMs, undefined, { signal });
    }
  }
  return { kind: "ready" };
}

function describeUnprepared(nodes: readonly BuildOnNode[]): Prepared {
  const failed = nodes.filter(({ state }) => state === "failed");
  const lines = failed.map(({ node_id, message }) =>
    clean(`The node ${node_id} could not prepare the build: ${message}`),
  );
  return { kind: "failed", isNowhere: failed.length === nodes.length, reason: lines.join("\n") };
}

interface Deployed extends Target {
  readonly client: Client;
  readonly versionId: string;
  /** How many warm lobbies each game mode keeps in each of its regions. */
  readonly wanted: Readonly<Record<string, number>>;
}

/** How a deploy went: its warm lobbies are ready, or some lobbies failed. */
export type Outcome =
  | { readonly kind: "ready"; readonly count: number }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "late" };

const failuresMax = 2;
const failures = new Set(["crashed", "start_failed", "not_ready"]);
const lobbiesWithinMs = 120_000;

/** Waits until every game mode with warm lobbies has one that is ready, or until two lobbies have failed. */
export async function followLobbies(deployed: Deployed, progress: Progress, signal: AbortSignal): Promise<Outcome> {
  const modes = Object.keys(deployed.wanted);
  if (modes.length === 0) return { kind: "ready", count: 0 };
  const endsAt = performance.now() + lobbiesWithinMs;
  while (performance.now() < endsAt) {
    const lobbies = await listLobbies(deployed);
    const failed = lobbies.filter(({ stop_reason }) => failures.has(stop_reason ?? ""));
    if (failed.length >= failuresMax)
      return { kind: "failed", reason: await describeFailure(deployed, failed.at(-1)!) };
    const ready = lobbies.filter(({ status }) => status === "ready");
    const served = modes.filter((mode) => ready.some(({ game_mode_id }) => game_mode_id === mode));
    if (served.length === modes.length) return { kind: "ready", count: ready.length };
    progress.update(`Waiting for warm lobbies: ${served.length} of ${modes.length} game modes are ready …`);
    await sleep(askEveryMs, undefined, { signal });
  }
  return { kind: "late" };
}

async function listLobbies({ client, game_id, namespace_id, versionId }: Deployed): Promise<OperatorLobby[]> {
  const query = { limit: 500, include_stopped: true };
  const lobbies = await all(client.games.namespaces.lobbies.list(game_id, namespace_id, query));
  return lobbies.filter(({ version_id }) => version_id === versionId);
}

async function describeFailure({ client, game_id, namespace_id }: Deployed, lobby: OperatorLobby): Promise<string> {
  const read = (stream: "stdout" | "stderr") =>
    client.games.namespaces.lobbies.getLogs(game_id, namespace_id, lobby.lobby_id, { stream }).then(
      ({ text }) => text,
      () => "",
    );
  const texts = await Promise.all((["stdout", "stderr"] as const).map(read));
  const lines = texts.flatMap((text) => text.split("\n").slice(-10).map(readLastLine)).filter((line) => line !== "");
  const log = lines.length === 0 ? "It wrote nothing." : `It wrote last:\n${lines.join("\n")}`;
  const more = `foyer logs ${shortId(lobby.lobby_id)} shows all of it.`;
  return `${clean(lobby.exit_message ?? lobby.stop_reason ?? "")}\n${log}\n${more}`;
}
