import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import type { Engine, PlacedEvent } from "../../src/engine/engine.ts";
import type { Command, CommandType, Outcome, Query, QueryType, WantedLobbies } from "../../src/matchmaker/commands.ts";
import { auditNamespace } from "../support/redis-audit.ts";
import type { OpenedEngine } from "../support/redis-engine.ts";
import { createHistory, type Step, steps } from "./random-commands.ts";

export interface Compared {
  readonly commands: number;
  readonly events: number;
  readonly reads: number;
  /** What came of commands, and the events of players, with how often: "find ok", "join LOBBY_FULL", "player.left left". */
  readonly outcomes: ReadonlyMap<string, number>;
}

const historyLength = 400;
/** An audit looks at everything there is; what it would find a few steps later it finds all the same. */
const auditEvery = 250;

/**
 * The same random commands and reads on both engines, until there were enough of them: every answer and every event has
 * to be the same, step by step. The first difference is thrown with what led to it.
 */
export async function compareEngines(
  memory: Engine,
  { engine: redis, link, prefix }: OpenedEngine,
  seed: number,
  commandsWanted: number,
): Promise<Compared> {
  const outcomes = new Map<string, number>();
  const count = { commands: 0, events: 0, reads: 0 };
  const received: PlacedEvent[] = [];
  void receive(memory, received);

  const histories = fc.sample(steps(historyLength), { seed, numRuns: Math.ceil((2 * commandsWanted) / historyLength) });
  for (const [number, history] of histories.entries()) {
    const namespaceId = `history-${number}`;
    try {
      await runHistory(namespaceId, history);
    } catch (error) {
      throw new Error(`Seed ${seed}, history ${number}: ${error instanceof Error ? error.message : error}`);
    }
    if (count.commands >= commandsWanted) break;
  }
  return { ...count, outcomes };

  function countOne(name: string): void {
    outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
  }

  async function runHistory(namespaceId: string, history: readonly Step[]): Promise<void> {
    const { commandOf, note } = createHistory(namespaceId);
    let position = "0-0";
    for (const [at, step] of history.entries()) {
      const command = variantOf(commandOf(step), step);
      const [wanted, outcome] = [await memory.execute<CommandType>(command), await redis.execute<CommandType>(command)];
      note(wanted);
      count.commands += 1;
      countOne(`${command.type} ${wanted.ok ? "ok" : wanted.code}`);
      expectSame(`step ${at}, ${JSON.stringify(command)}`, outcome, wanted);

      const published = (await redis.eventsAfter(namespaceId, position, 10_000)) ?? [];
      position = published.at(-1)?.position ?? position;
      const events = received.splice(0);
      count.events += events.length;
      for (const event of events) if ("playerId" in event) countOne(`${event.type} ${event.status}`);
      expectSame(
        `events of step ${at}, ${JSON.stringify(command)}`,
        published.map(withoutPosition),
        events.map(withoutPosition),
      );

      for (const query of queriesOf(command, wanted, step, at)) {
        count.reads += 1;
        const shown = await redis.read<QueryType>(query);
        expectSame(`after step ${at}, ${JSON.stringify(query)}`, shown, await memory.read<QueryType>(query));
      }
      const late = (await redis.eventsAfter(namespaceId, position, 10_000)) ?? [];
      position = late.at(-1)?.position ?? position;
      expectSame(
        `events of reads after step ${at}`,
        late.map(withoutPosition),
        received.splice(0).map(withoutPosition),
      );
      if (count.commands % auditEvery === 0) expectSame("audit", await auditNamespace(link, prefix, namespaceId), []);
    }
    expectSame("audit", await auditNamespace(link, prefix, namespaceId), []);
  }
}

function expectSame(what: string, shown: unknown, wanted: unknown): void {
  if (isDeepStrictEqual(shown, wanted)) return;
  throw new Error(`${what}\nRedis:  ${JSON.stringify(shown)}\nmemory: ${JSON.stringify(wanted)}`);
}

async function receive(engine: Engine, received: PlacedEvent[]): Promise<void> {
  for await (const event of engine.events()) received.push(event);
}

function withoutPosition({ position: _, ...event }: PlacedEvent): object {
  return event;
}

/** The histories were made for other tests; what they lack takes the place of a few of their commands. */
function variantOf(command: Command, { kind, pick, size, flag }: Step): Command {
  const { namespaceId, now } = command;
  if (command.type === "find" && pick % 2 === 0) return { ...command, explain: pick % 4 === 0 ? true : "refusal" };
  if (command.type === "find" && pick % 31 === 1) return { ...command, startRefusal: "START_FAILED" };
  if (command.type === "setState" && pick % 2 === 0) {
    return { type: "setPorts", namespaceId, now, lobbyId: command.lobbyId, ports: `{"default":${size}}` };
  }
  if (command.type === "setReady" && pick % 4 === 0) {
    return { type: "placeLobby", namespaceId, now, lobbyId: command.lobbyId, nodeId: `node-${size % 2}` };
  }
  if (command.type === "configure" && pick % 3 === 0) return { ...command, isAuthoritative: true };
  if (command.type === "stopLobby" && flag) return { ...command, exit: '{"code":1}' };
  if (kind === 99 && pick % 40 === 0) return { type: "removeNamespace", namespaceId, now, force: flag };
  if (kind === 98) return { type: "expire", namespaceId, now, fence: 1 + (pick % 3) };
  return command;
}

/** One question after each step, everything now and then, and sometimes as of a later time. */
function queriesOf(command: Command, outcome: Outcome<CommandType>, step: Step, at: number): Query[] {
  const { pick, size, flag } = step;
  const base = { namespaceId: command.namespaceId, now: command.now + (pick % 50 === 0 ? 1000 * size : 0) };
  const named = "lobbyId" in command ? command.lobbyId : null;
  const lobbyId = named ?? ("lobby" in outcome ? outcome.lobby.lobbyId : "unknown");
  const seated = "playerIds" in outcome ? outcome.playerIds[0] : undefined;
  const playerId = "playerId" in command ? command.playerId : (seated ?? "unknown");
  const revision = "revision" in command ? command.revision : 1;
  const tags: Record<string, string> = size === 1 ? { map: "ice" } : size === 2 ? { map: "ice", rank: "1" } : {};
  const pairs = [
    { gameMode: "duel", region: "local" },
    { gameMode: "royale", region: flag ? "far" : "local" },
  ];
  const playerIds = Array.from({ length: 1 + (pick % 3) }, (_, seat) => `preview-${seat}`);
  const request = {
    clientId: "192.0.2.1",
    pairs,
    tags,
    playerIds,
    create: null,
    explain: pick % 4 !== 0,
    ...keysOf(pick),
  };
  const all: Query[] = [
    { type: "counts", ...base },
    { type: "lobby", ...base, lobbyId },
    { type: "players", ...base, lobbyId },
    { type: "seat", ...base, playerId },
    { type: "seatByKey", ...base, key: keysOf(pick).keys?.find((key) => key !== "") ?? "steam:1" },
    { type: "statistics", ...base },
    { type: "missingIdle", ...base },
    { type: "listLobbies", ...base, gameModes: ["royale", "duel"], region: null, after: null, limit: 1 + size },
    {
      type: "listLobbies",
      ...base,
      stateBytesMax: pick % 50,
      gameModes: ["duel"],
      region: flag ? "far" : null,
      after: { gameMode: "duel", region: "far", lobbyId },
      limit: 3,
    },
    { type: "listAllLobbies", ...base, includeStopped: flag, after: flag ? null : lobbyId, limit: 1 + (pick % 30) },
    {
      type: "listAllLobbies",
      ...base,
      includeStopped: flag,
      playerKey: pick % 2 === 0 ? "anna" : "ben",
      after: flag ? null : lobbyId,
      limit: 1 + (pick % 3),
    },
    { type: "pickLobbies", ...base, wanted: wantedAt(pick), after: flag ? null : lobbyId },
    { type: "previewFind", ...base, revision, ...request, createRefusal: "NO_AVAILABLE_LOBBIES" },
  ];
  return at % 20 === 0 ? all : [all[pick % all.length]!];
}

function keysOf(pick: number): { keys?: string[] } {
  return pick % 5 === 0
    ? { keys: Array.from({ length: 1 + (pick % 3) }, (_, seat) => (seat === 0 ? "anna" : "")) }
    : {};
}

function wantedAt(pick: number): WantedLobbies {
  const all: readonly WantedLobbies[] = [
    {},
    { status: "stopped" },
    { status: "starting", nodeId: "" },
    { nodeId: "node-1" },
    { exceptNodeIds: ["node-1"] },
    { exceptNodeIds: [] },
  ];
  return all[pick % all.length]!;
}
