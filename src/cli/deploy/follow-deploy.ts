import { setTimeout as sleep } from "node:timers/promises";
import { readLastLine } from "../../ground/plain-line.ts";
import type { Client, Json } from "../remote/client.ts";
import type { Progress } from "../remote/progress.ts";

interface Deployed {
  readonly client: Client;
  readonly params: { readonly game_id: string; readonly namespace_id: string };
  readonly versionId: string;
  /** How many warm lobbies each game mode keeps in each of its regions. */
  readonly wanted: Readonly<Record<string, number>>;
}

/** How a deploy went: its warm lobbies are ready, or some lobbies failed. */
export type Outcome = { readonly kind: "ready"; readonly count: number } | Failed | { readonly kind: "late" };

interface Failed {
  readonly kind: "failed";
  readonly lobbyId: string;
  readonly reason: string;
  readonly log: string;
}

const failuresMax = 2;
const failures = new Set(["crashed", "start_failed", "not_ready"]);
const askEveryMs = 500;
const waitMs = 120_000;

/** Waits until every game mode with warm lobbies has one that is ready, or until two lobbies have failed. */
export async function followDeploy(deployed: Deployed, progress: Progress, signal: AbortSignal): Promise<Outcome> {
  const modes = Object.keys(deployed.wanted);
  if (modes.length === 0) return { kind: "ready", count: 0 };
  const endsAt = performance.now() + waitMs;
  while (performance.now() < endsAt) {
    const lobbies = await listLobbies(deployed);
    const ended = lobbies.filter(({ stop_reason }) => failures.has(stop_reason));
    if (ended.length >= failuresMax) return describeFailure(deployed, ended.at(-1));
    const ready = modes.filter((mode) =>
      lobbies.some((lobby) => lobby.game_mode_id === mode && lobby.status === "ready"),
    );
    if (ready.length === modes.length) return { kind: "ready", count: lobbies.filter(isReady).length };
    progress.update(`Waiting for warm lobbies: ${ready.length} of ${modes.length} game modes are ready …`);
    await sleep(askEveryMs, undefined, { signal });
  }
  return { kind: "late" };
}

const isReady = ({ status }: Json) => status === "ready";

async function listLobbies({ client, params, versionId }: Deployed): Promise<Json[]> {
  const query = { limit: "500", include_stopped: "true" };
  const lobbies: Json[] = await client.all("games.namespaces.lobbies.list", "lobbies", { params, query });
  return lobbies.filter(({ version_id }) => version_id === versionId);
}

async function describeFailure({ client, params }: Deployed, lobby: Json): Promise<Failed> {
  const lobbyId: string = lobby.lobby_id;
  const logs = await Promise.all(
    ["stdout", "stderr"].map((stream) =>
      client
        .call("games.namespaces.lobbies.getLogs", { params: { ...params, lobby_id: lobbyId }, query: { stream } })
        .then(({ text }) => String(text))
        .catch(() => ""),
    ),
  );
  const lines = logs.flatMap((text) => text.split("\n").slice(-10).map(readLastLine)).filter((line) => line !== "");
  return { kind: "failed", lobbyId, reason: lobby.exit_message ?? lobby.stop_reason, log: lines.join("\n") };
}
