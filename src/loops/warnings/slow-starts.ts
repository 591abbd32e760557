import { pickLobbies } from "../../engine/pick-lobbies.ts";
import type { LobbyView } from "../../matchmaker/commands.ts";
import { readLastOutput } from "../servers/last-output.ts";
import type { WarningParts } from "./parts.ts";

/** Names each lobby whose server runs for a while and has not called ready, once. */
export interface SlowStarts {
  look(namespaceId: string, lobby: LobbyView): void;
  /** Events were lost, or happened before this process: reads the lobbies that are starting. */
  expectMore(): void;
  check(): Promise<void>;
}

const patienceMs = 10_000;

interface Starting {
  readonly namespaceId: string;
  readonly lobby: LobbyView;
  readonly since: number;
  isNamed: boolean;
}

export function createSlowStarts(parts: WarningParts): SlowStarts {
  const { engine, now, ownLobbies } = parts;
  const starting = new Map<string, Starting>();
  let isBehind = true;

  function look(namespaceId: string, lobby: LobbyView): void {
    const { lobbyId } = lobby;
    // Without ports its server has not been started yet.
    const isStarting = lobby.status === "starting" && !lobby.isExternal && lobby.ports !== null;
    if (!isStarting || !ownLobbies.isOwn(lobby)) starting.delete(lobbyId);
    else if (!starting.has(lobbyId)) starting.set(lobbyId, { namespaceId, lobby, since: now(), isNamed: false });
  }

  async function readStarting(): Promise<void> {
    for (const { namespaceId } of await engine.read({ type: "namespaces" })) {
      const wanted = { status: "starting", ...ownLobbies.picked } as const;
      for await (const lobby of pickLobbies(engine, namespaceId, now, wanted)) look(namespaceId, lobby);
    }
  }

  return {
    look,
    expectMore() {
      isBehind = true;
    },
    async check() {
      if (isBehind) {
        isBehind = false;
        await readStarting().catch((error: unknown) => {
          isBehind = true;
          throw error;
        });
      }
      for (const entry of starting.values()) {
        if (entry.isNamed || now() - entry.since < patienceMs) continue;
        entry.isNamed = true;
        await name(parts, entry);
      }
    },
  };
}

async function name({ engine, runtime, log, now }: WarningParts, { namespaceId, lobby }: Starting): Promise<void> {
  const { lobbyId, gameMode, region, readyMs } = lobby;
  // An event that was lost may have said that it is ready. Its ports have a warning of their own.
  const current = await engine.read({ type: "lobby", namespaceId, lobbyId, now: now() });
  if (current?.status !== "starting" || current.waitsFor !== null) return;
  const lastOutput = await readLastOutput(runtime, lobbyId);
  log.warn(
    {
      lobby_id: lobbyId,
      namespace_id: namespaceId,
      game_mode_id: gameMode,
      region_id: region,
      last_output: lastOutput || "(none)",
    },
    `a lobby has been running for ${patienceMs / 1000} s and has not called ready, so players wait: its server must call ` +
      `POST /matchmaker/lobbies/ready with its FOYER_TOKEN; Foyer stops it when it has not after ${readyMs / 1000} s`,
  );
}
