import { isUnavailable } from "../../ground/unavailable.ts";
import type { StopReason } from "../../matchmaker/commands.ts";
import type { LobbyEnd } from "../lobby-end.ts";
import type { OwnServers } from "./own-servers.ts";
import type { SuperviseParts } from "./parts.ts";
import { pauseAfter } from "./pause-after.ts";

/** Records in the engine that lobbies have ended. */
export interface LobbyEnds {
  end(namespaceId: string, lobbyId: string, reason: StopReason, exit: LobbyEnd | null): Promise<void>;
  /** Ends a lobby whose server was not started. `isNoFault`: that says nothing about its version. */
  endUnstarted(namespaceId: string, lobbyId: string, message: string, isNoFault: boolean): Promise<void>;
  /** Repeats the task until the engine answers. Null: it failed for another reason, or the service ends. */
  persist<T>(task: () => Promise<T>): Promise<T | null>;
}

export function createLobbyEnds({ engine, log, now }: SuperviseParts, own: OwnServers): LobbyEnds {
  const isEnding = () => own.isClosed || own.isStoppingAll;

  async function end(namespaceId: string, lobbyId: string, reason: StopReason, exit: LobbyEnd | null): Promise<void> {
    const text = exit && JSON.stringify(exit);
    const base = { type: "stopLobby", namespaceId, lobbyId, reason, exit: text } as const;
    await persist(() => engine.execute({ ...base, now: now() }));
  }

  // A lobby without a server would keep its players waiting. Any error but "try later" would come again.
  async function persist<T>(task: () => Promise<T>): Promise<T | null> {
    for (;;) {
      try {
        return await task();
      } catch (error) {
        if (!isUnavailable(error)) {
          log.error({ err: error }, "the end of a lobby could not be recorded");
          return null;
        }
        if (isEnding()) return null;
        log.error({ err: error }, "the end of a lobby could not be recorded; Foyer tries again");
        await pauseAfter(error, isEnding);
      }
    }
  }

  return {
    end,
    persist,
    endUnstarted(namespaceId, lobbyId, message, isNoFault) {
      return end(namespaceId, lobbyId, "start_failed", { code: null, signal: null, message, log: "", isNoFault });
    },
  };
}
