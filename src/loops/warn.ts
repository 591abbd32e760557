import { isLobbyEvent } from "../engine/engine.ts";
import type { WarningParts } from "./warnings/parts.ts";
import { createSilenceWarnings } from "./warnings/silent-lobbies.ts";
import { createSlowStarts } from "./warnings/slow-starts.ts";

/** Warns the operator about lobbies that run but do not work. */
export interface LobbyWarnings {
  /** Looks for lobbies that have not called ready for too long. */
  check(): Promise<void>;
  /** Events were lost. */
  expectMore(): void;
  stop(): Promise<void>;
}

export function warnAboutLobbies(parts: WarningParts): LobbyWarnings {
  const slowStarts = createSlowStarts(parts);
  const warnSilent = createSilenceWarnings(parts);
  const events = parts.engine.events(isLobbyEvent)[Symbol.asyncIterator]();
  const listening = listen();

  async function listen(): Promise<void> {
    for (let next = await events.next(); !next.done; next = await events.next()) {
      if (!("lobby" in next.value)) continue;
      const { namespaceId, lobby } = next.value;
      slowStarts.look(namespaceId, lobby);
      warnSilent(namespaceId, lobby);
    }
  }

  return {
    check: slowStarts.check,
    expectMore: slowStarts.expectMore,
    async stop() {
      await events.return?.();
      await listening;
    },
  };
}
