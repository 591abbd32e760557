import { expect, test, vi } from "vitest";
import { anyLobby } from "../../../tests/support/any-lobby.ts";
import { temporaryFolder } from "../../../tests/support/temporary-folder.ts";
import { createMemoryEngine } from "../../engine/memory/memory.ts";
import { createSqliteJournal } from "../../engine/memory/sqlite-journal.ts";
import { createWaiting } from "./lobby-waiters.ts";

const namespaceId = "aaaaaaaa-0000-7000-8000-00000000000a";
const lobbyId = "00000000-0000-7000-8000-000000000001";
const never = () => () => {};

async function engineWithLobby() {
  const engine = await createMemoryEngine(createSqliteJournal({ dataDir: temporaryFolder() }));
  const base = { namespaceId, now: 1, revision: 1 };
  const limits = { lobbyCountMax: 10, maxPlayers: 10, maxPlayersPerClient: null };
  await engine.execute({ type: "configure", ...base, limits, deployedVersionId: "v", idleMinimums: [] });
  await engine.execute({
    type: "createLobby",
    ...base,
    reason: "registered",
    lobby: {
      ...anyLobby,
      lobbyId,
      versionId: "v",
      maxPlayers: 4,
      maxPlayersDirect: 4,
      isExternal: true,
      readyMs: 1e9,
      reservationMs: 1e9,
      emptyMs: 1e9,
      ports: "{}",
    },
    clientId: null,
    playerIds: [],
    idempotency: null,
  });
  return engine;
}

test("[T69] as many calls may wait as the limit allows, and one more is answered immediately", async () => {
  const engine = await engineWithLobby();
  const waiting = createWaiting(engine, { waitMs: 1e9, waitersMax: 2, now: () => 1 });
  let leave = () => {};
  const first = waiting.untilReady(namespaceId, lobbyId, (listener) => {
    leave = listener;
    return () => {};
  });
  const second = waiting.untilReady(namespaceId, lobbyId, never);
  expect(waiting.count()).toBe(2);
  const third = waiting.untilReady(namespaceId, lobbyId, never);
  expect(waiting.count()).toBe(2);
  expect(await third).toEqual({ end: "timeout" });
  leave();
  expect(await first).toEqual({ end: "disconnected" });
  const fourth = waiting.untilReady(namespaceId, lobbyId, never);
  expect(waiting.count()).toBe(2);
  await engine.execute({ type: "setReady", namespaceId, now: 2, lobbyId });
  for (const waited of [await second, await fourth]) expect(waited).toMatchObject({ end: "ready", lobby: { lobbyId } });
  expect(waiting.count()).toBe(0);
  await engine.close();
});

test("[T69] a wait whose lobby cannot be read fails, and no longer counts", async () => {
  const engine = await createMemoryEngine(createSqliteJournal({ dataDir: temporaryFolder() }));
  const waiting = createWaiting(engine, { waitMs: 1e9, waitersMax: 1, now: () => 1 });
  await engine.close();
  for (let attempt = 0; attempt < 3; attempt++) {
    const wait = waiting.untilReady(namespaceId, lobbyId, never);
    expect(waiting.count()).toBe(1);
    await expect(wait).rejects.toThrow("closed");
    expect(waiting.count()).toBe(0);
  }
});

test("[R6] a wait that would end shortly before the lobby does goes on until the lobby has ended", async () => {
  const engine = await engineWithLobby();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const waiting = createWaiting(engine, { waitMs: 60_000, waitersMax: 2, now: () => 1 });
  const ending = waiting.untilReady(namespaceId, lobbyId, never, 64_000);
  const other = waiting.untilReady(namespaceId, lobbyId, never, 66_000);
  vi.advanceTimersByTime(60_000);
  vi.useRealTimers();
  expect(await other).toEqual({ end: "timeout" });
  expect(waiting.count()).toBe(1);
  await engine.execute({ type: "stopLobby", namespaceId, now: 2, lobbyId, reason: "start_failed", exit: null });
  expect(await ending).toMatchObject({ end: "stopped", lobby: { lobbyId } });
  await engine.close();
});
