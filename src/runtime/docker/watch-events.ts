import { setTimeout as sleep } from "node:timers/promises";
import { lobbyLabel, ownerLabel } from "./container-spec.ts";
import type { Engine } from "./engine.ts";
import type { Backoff } from "./patience.ts";

interface EngineEvents {
  readonly engine: Engine;
  readonly owner: string;
  readonly backoff: Backoff;
  /** Something happened to the container of the lobby. */
  onEvent(lobbyId: string): void;
  /** The engine sends events from now on; what happened before is unknown. */
  onConnected(): void;
}

/** Listens to the engine's events about the containers of this data folder until the signal. */
export async function watchEvents(events: EngineEvents, signal: AbortSignal): Promise<void> {
  const { firstMs, maxMs } = events.backoff;
  for (let pauseMs = firstMs; !signal.aborted; pauseMs = Math.min(pauseMs * 2, maxMs)) {
    const wasConnected = await listen(events, signal).catch(() => false);
    if (wasConnected) pauseMs = firstMs;
    await sleep(pauseMs, undefined, { ref: false, signal }).catch(() => undefined);
  }
}

/** Resolves when the engine ends the stream. */
async function listen({ engine, owner, onEvent, onConnected }: EngineEvents, signal: AbortSignal): Promise<boolean> {
  const filters = JSON.stringify({ type: ["container"], label: [`${ownerLabel}=${owner}`] });
  const response = await engine.open("GET", "/events", { filters }, signal);
  onConnected();
  let rest = "";
  try {
    for await (const text of response.setEncoding("utf8") as AsyncIterable<string>) {
      const lines = `${rest}${text}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const lobbyId = readLobbyId(line);
        if (lobbyId !== null) onEvent(lobbyId);
      }
    }
  } catch {
    // The engine went away; it is asked again.
  }
  return true;
}

function readLobbyId(line: string): string | null {
  try {
    return JSON.parse(line).Actor.Attributes[lobbyLabel] ?? null;
  } catch {
    // Not an event about a container.
    return null;
  }
}
