import { createMemoryEngine } from "../engine/memory/memory.ts";
import { createSqliteJournal, journalFileName } from "../engine/memory/sqlite-journal.ts";
import { ensureAdminToken, ensureNodeId } from "../ground/data-folder.ts";
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

/** One node with its own data folder: live state is in this process, and there is nobody to share with. */
export function openEmbedded(ground: Ground): Mode {
  const { config, log, clock, folder } = ground;
  return {
    adminToken: ensureAdminToken(folder, config.adminToken),
    store: { invalidation: noOtherWriters, hold: holdAlone },
    openEngine: () => openEngine(ground),
    folder: { fileNames: [journalFileName], whenGone: "Foyer takes no changes any more" },
    join: async (status) => onlyNode(ensureNodeId(folder, config.nodeId), status),
    openSlots: openOwnSlots,
    openCalls: async () => noCalls,
    authenticateFreshly: (_, authenticate) => authenticate,
    openPlayPage: (handlers) => openDemo(config, handlers, folder.path, log),
    // The store is on this machine, or this node is the only one that changes it.
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
    async close() {},
  };
}

/** With everything that became due while the service was down ended before the first request. */
async function openEngine({ folder, clock, log }: Ground): Promise<LiveState> {
  const journal = createSqliteJournal({
    dataDir: folder.path,
    onWarning: (message) => log.warn(message),
    onSyncFailure(error) {
      // What is on the disk is unknown from here on; only a new process that reads it again can tell.
      log.fatal({ err: error }, "the disk failed to keep what was written; the service ends at once");
      process.kill(process.pid, "SIGKILL");
    },
  });
  const engine = await createMemoryEngine(journal);
  // The wall clock may have been set back since: what has happened already is not in the future.
  let latest = 0;
  for (const state of engine.states().values()) latest = Math.max(latest, state.now);
  clock.startAt(latest);
  await createExpire(engine, { lease: () => ({}) }, clock.now)();
  return {
    engine,
    isBehind: journal.isBehind,
    giveUp: journal.giveUp,
    /** Nobody could hear heartbeats before: there is no other node. */
    async startHearing() {
      for (const { namespaceId } of await engine.read({ type: "namespaces" })) {
        await engine.execute({ type: "restarted", namespaceId, now: clock.now() });
      }
    },
  };
}
