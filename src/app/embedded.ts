import { createMemoryEngine } from "../engine/memory/memory.ts";
import { createSqliteJournal, journalFileName } from "../engine/memory/sqlite-journal.ts";
import { ensureAdminToken, ensureNodeId } from "../ground/data-folder.ts";
import { createStallWatch, type StallWatch } from "../ground/stall-watch.ts";
import { createExpire } from "../loops/expire.ts";
import { everyLobby } from "../loops/servers/own-lobbies.ts";
import { noCalls } from "../nodes/calls.ts";
import { onlyNode } from "../nodes/nodes.ts";
import { noOtherWriters } from "../store/db.ts";
import { holdAlone } from "../store/only-node.ts";
import { openDemo } from "./demo.ts";
import { openOwnSlots } from "./lobby-room.ts";
import type { Ground, LiveState, Mode } from "./mode.ts";
import { followWallClock } from "./open-parts.ts";

/** One node with its own data folder: live state is in this process, and there are no other nodes. */
export function openEmbedded(ground: Ground): Mode {
  const { config, log, clock, folder } = ground;
  const stalls = createStallWatch({
    steadyNow: () => performance.now(),
    onStall: (ms) =>
      log.warn(
        `Foyer did not run for ${Math.round(ms / 1000)} s: the process or the machine was stopped or overloaded. Heartbeat clocks of all lobbies start again.`,
      ),
  });
  return {
    adminToken: ensureAdminToken(folder, config.adminToken),
    store: { invalidation: noOtherWriters, hold: holdAlone },
    openEngine: () => openEngine(ground, stalls),
    folder: { fileNames: [journalFileName], ifUnusable: "Foyer refuses all changes" },
    join: async (status) => onlyNode(ensureNodeId(folder, config.nodeId), status),
    openSlots: openOwnSlots,
    openCalls: async () => noCalls,
    authenticateFreshly: (_, authenticate) => authenticate,
    openPlayPage: (handlers) => openDemo(config, handlers, folder.path, log),
    // Every lobby is made in this process.
    lobbyLearnMs: 0,
    // No other process changes the store.
    readAhead() {},
    ownLobbies: () => everyLobby("only"),
    startLoops: ({ runtime }) => ({
      tasks: [["following the wall clock", 1_000, async () => followWallClock(clock)]],
      expireEveryMs: 200,
      keepIdleEveryMs: runtime === null ? null : 500,
      expectMore() {},
      async stop() {},
    }),
    shownNodeId: null,
    async close() {
      stalls.stop();
    },
  };
}

/** Handles everything that became due while the service was down, before the first request. */
async function openEngine({ folder, clock, log }: Ground, stalls: StallWatch): Promise<LiveState> {
  const journal = createSqliteJournal({
    dataDir: folder.path,
    onWarning: (message) => log.warn(message),
    onSyncFailure(error) {
      // The content of the disk is unknown from now on, until a new process reads it.
      log.fatal({ err: error }, "writing the journal to disk failed; stopping the service immediately");
      process.kill(process.pid, "SIGKILL");
    },
  });
  const engine = await createMemoryEngine(journal, stalls.hasStalled);
  // The wall clock may have been set back since then, but no recorded time may be in the future.
  let latest = 0;
  for (const state of engine.states().values()) latest = Math.max(latest, state.now);
  clock.startAt(latest);
  await createExpire(engine, { lease: () => ({}) }, clock.now)();
  return {
    engine,
    isBehind: journal.isBehind,
    giveUp: journal.giveUp,
    /** No node could receive heartbeats before: this is the only one. */
    async startHearing() {
      for (const { namespaceId } of await engine.read({ type: "namespaces" })) {
        await engine.execute({ type: "restarted", namespaceId, now: clock.now() });
      }
    },
  };
}
