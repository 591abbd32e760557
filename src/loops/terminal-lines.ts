import type { Engine } from "../engine/engine.ts";
import type { Logger } from "../ground/log.ts";
import type { Event, LobbyEvent, PlayerEvent, StopReason } from "../matchmaker/commands.ts";
import { listClosedBy } from "../operations/cloud/closed-by.ts";
import { describeStop } from "../operations/live/stop-message.ts";
import { followEvents } from "./follow-events.ts";
import type { OwnLobbies } from "./servers/own-lobbies.ts";

/** Writes one short line for each deploy and each step of a lobby to a terminal; for players at level debug. */
export interface TerminalLines {
  /** Writes what has happened so far, and ends. */
  stop(): Promise<void>;
}

export interface LineParts {
  readonly engine: Engine;
  readonly log: Logger;
  readonly ownLobbies: OwnLobbies;
  now(): number;
  /** Whether this node writes about lobbies that no node runs. */
  hasLease(): boolean;
  /** The version that each namespace had at the start. */
  readonly deployed: ReadonlyMap<string, string>;
  /** `my-game/prod`. */
  nameNamespace(namespaceId: string): Promise<string>;
  nameVersion(namespaceId: string, versionId: string): Promise<string>;
}

/** The first word of a line, and its colour on a terminal. */
const words = {
  deployed: "35",
  started: "36",
  ready: "32",
  closed: "33",
  opened: "32",
  stopped: "2",
  failed: "31",
  "player in": "2",
  "player out": "2",
} as const;
type Word = keyof typeof words;

export function writeLines(parts: LineParts): TerminalLines {
  const { engine, log } = parts;
  const showsPlayers = log.isLevelEnabled("debug");
  const isWanted = (event: Event) => showsPlayers || !("playerId" in event);
  const write = createWriter(parts);
  // Names are only for the reader: without the store the line has ids.
  const handle = (event: Event) =>
    write(event).catch((error: unknown) => log.debug({ err: error }, "a line could not be written"));
  return followEvents(engine.events(isWanted), handle);
}

function createWriter(parts: LineParts): (event: Event) => Promise<void> {
  const { log, now, ownLobbies, hasLease, nameNamespace } = parts;
  const deployed = new Map(parts.deployed);
  const startedAt = now();
  /** Lobbies whose start was written. */
  const started = new Set<string>();

  const say = (word: Word, text: string, level: "info" | "debug" = "info") =>
    log[level]({ terminal_line: { word, colour: words[word] } }, text);

  async function writeLobby({ type, namespaceId, lobby }: LobbyEvent): Promise<void> {
    if (!(lobby.nodeId === null ? hasLease() : ownLobbies.isOwn(lobby))) return;
    const { lobbyId, gameMode, region, createdAt, readyAt } = lobby;
    const which = `${gameMode} ${shorten(lobbyId)} in ${region}, ${await nameNamespace(namespaceId)}`;
    const isRunning = lobby.isExternal || lobby.ports !== null;
    if (isRunning && !started.has(lobbyId) && createdAt >= startedAt) {
      started.add(lobbyId);
      say("started", `${which}${listPorts(lobby.ports)}`);
    }
    if (type === "lobby.ready") say("ready", `${which}, after ${((readyAt ?? createdAt) - createdAt) / 1000} s`);
    if (type === "lobby.closed")
      say(
        "closed",
        `${which}, by ${listClosedBy(lobby)
          .map((by) => closers[by])
          .join(" and ")}`,
      );
    if (type === "lobby.opened") say("opened", which);
    if (type !== "lobby.stopped") return;
    started.delete(lobbyId);
    say(isFailure(lobby.stopReason) ? "failed" : "stopped", `${which}: ${describeStop(lobby)}`);
  }

  async function writeDeploy(namespaceId: string, versionId: string | null): Promise<void> {
    if (versionId === null || deployed.get(namespaceId) === versionId) return;
    deployed.set(namespaceId, versionId);
    const name = await parts.nameVersion(namespaceId, versionId);
    say("deployed", `"${name}" to ${await nameNamespace(namespaceId)}`);
  }

  function writePlayer({ type, lobbyId, playerId, status }: PlayerEvent): void {
    const who = `${shorten(playerId)} of lobby ${shorten(lobbyId)}`;
    if (type === "player.connected" || type === "player.returned") say("player in", who, "debug");
    else if (type !== "player.reserved") say("player out", `${who}: ${status}`, "debug");
  }

  return async (event) => {
    if ("lobby" in event) await writeLobby(event);
    else if ("playerId" in event) writePlayer(event);
    else await writeDeploy(event.namespaceId, event.deployedVersionId);
  };
}

const closers = { lobby: "itself", operator: "the operator", token_revoked: "revoking its server token" } as const;

/** The end of an id: the beginning is the time, which lobbies of one minute have in common. */
function shorten(id: string): string {
  return id.slice(-8);
}

function listPorts(ports: string | null): string {
  // The matchmaker keeps what the driver or the registering server said.
  const entries = Object.entries((ports === null ? {} : JSON.parse(ports)) as Record<string, { port?: number }>);
  const shown = entries.flatMap(([label, { port }]) => (port === undefined ? [] : [`${label} ${port}`]));
  return shown.length === 0 ? "" : `, port ${shown.join(", ")}`;
}

const failures: ReadonlySet<StopReason | null> = new Set([
  "crashed",
  "start_failed",
  "node_lost",
  "not_ready",
  "silent",
] satisfies StopReason[]);

const isFailure = (reason: StopReason | null): boolean => failures.has(reason);
