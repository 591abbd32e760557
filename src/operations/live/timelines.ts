import type { Event, LobbyEvent, LobbyView, PlayerEvent } from "../../matchmaker/commands.ts";
import { listClosedBy } from "../cloud/closed-by.ts";

/** What happened to a lobby at one moment. */
export interface Moment {
  readonly at: number;
  readonly event: Event["type"];
  readonly details: Readonly<Record<string, unknown>> | null;
}

/** The latest events of each lobby that this process has received. */
export interface Timelines {
  push(event: Event): void;
  /** Includes the start and end that the lobby itself records; newest last. */
  of(lobby: LobbyView): Moment[];
  /** How many moments are kept, for tests. */
  size(): number;
}

const momentsPerLobbyMax = 50;
/** The maximum for all lobbies together. The lobby without events for the longest time is dropped first. */
const usualMomentsMax = 100_000;

interface Timeline {
  /** Player events are kept unprocessed: there are many, and they are seldom read. */
  readonly moments: (Moment | PlayerEvent)[];
  /** The index of the oldest moment: when the list is full, the next moment replaces it. */
  oldest: number;
  /** What `lobby.changed` is compared with; null before the first event that contains the lobby. */
  last: Pick<LobbyView, "isSilent" | "ports" | "isClosed" | "operatorClose"> | null;
}

export function createTimelines(momentsMax = usualMomentsMax): Timelines {
  // Ordered by their latest event.
  const timelines = new Map<string, Timeline>();
  let newest: Timeline | null = null;
  let momentCount = 0;

  function note(lobbyId: string, timeline: Timeline, moment: Moment | PlayerEvent): void {
    if (timeline !== newest) {
      timelines.delete(lobbyId);
      timelines.set(lobbyId, timeline);
      newest = timeline;
    }
    if (timeline.moments.length === momentsPerLobbyMax) {
      timeline.moments[timeline.oldest] = moment;
      timeline.oldest = (timeline.oldest + 1) % momentsPerLobbyMax;
      return;
    }
    timeline.moments.push(moment);
    momentCount += 1;
    while (momentCount > momentsMax) forgetQuietest();
  }

  function forgetQuietest(): void {
    const [lobbyId, timeline] = timelines.entries().next().value!;
    timelines.delete(lobbyId);
    if (timeline === newest) newest = null;
    momentCount -= timeline.moments.length;
  }

  return {
    push(event) {
      if (event.type === "namespace.configured") return;
      const lobbyId = "lobby" in event ? event.lobby.lobbyId : event.lobbyId;
      const timeline = timelines.get(lobbyId) ?? { moments: [], oldest: 0, last: null };
      if (!("lobby" in event)) return note(lobbyId, timeline, event);
      const details = lobbyDetails(event, timeline.last);
      const { isSilent, ports, isClosed, operatorClose } = event.lobby;
      timeline.last = { isSilent, ports, isClosed, operatorClose };
      note(lobbyId, timeline, { at: event.at, event: event.type, details });
    },
    of(lobby) {
      const { moments: kept, oldest } = timelines.get(lobby.lobbyId) ?? { moments: [], oldest: 0 };
      const moments = [...kept.slice(oldest), ...kept.slice(0, oldest)].map(toMoment);
      const seen = new Set(moments.map(({ event }) => event));
      const recorded = recordedMoments(lobby).filter(({ event }) => !seen.has(event));
      return [...recorded, ...moments].sort((a, b) => a.at - b.at).slice(-momentsPerLobbyMax);
    },
    size: () => momentCount,
  };
}

function recordedMoments(lobby: LobbyView): Moment[] {
  const { createdAt, readyAt, stoppedAt } = lobby;
  const created = { at: createdAt, event: "lobby.created", details: createdDetails(lobby) } as const;
  const ready = readyAt === null ? [] : [{ at: readyAt, event: "lobby.ready", details: null } as const];
  const stopped =
    stoppedAt === null ? [] : [{ at: stoppedAt, event: "lobby.stopped", details: stoppedDetails(lobby) } as const];
  return [created, ...ready, ...stopped];
}

function lobbyDetails({ type, lobby }: LobbyEvent, last: Timeline["last"]): Moment["details"] {
  if (type === "lobby.created") return createdDetails(lobby);
  if (type === "lobby.stopped") return stoppedDetails(lobby);
  if (type === "lobby.closed") return { closed_by: listClosedBy(lobby) };
  return type === "lobby.changed" && last !== null ? { change: describeChange(lobby, last) } : null;
}

function describeChange(lobby: LobbyView, last: NonNullable<Timeline["last"]>): string {
  if (lobby.isSilent !== last.isSilent) return lobby.isSilent ? "fell_silent" : "spoke_again";
  if (lobby.isClosed !== last.isClosed || lobby.operatorClose !== last.operatorClose) return "closed_by";
  return lobby.ports === last.ports ? "state" : "ports";
}

function createdDetails({ createReason }: LobbyView) {
  return { reason: createReason };
}

function stoppedDetails({ stopReason }: LobbyView) {
  return { reason: stopReason };
}

function toMoment(kept: Moment | PlayerEvent): Moment {
  if ("event" in kept) return kept;
  const { at, type, playerId, status, reason } = kept;
  return { at, event: type, details: { player_id: playerId, status, ...(reason && { reason }) } };
}
