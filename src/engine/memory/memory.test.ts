import { describe, expect, test } from "vitest";
import { anyLobby } from "../../../tests/support/any-lobby.ts";
import { checkInvariants } from "../../../tests/support/invariants.ts";
import { createMemoryJournal } from "../../../tests/support/memory-journal.ts";
import { stateHash } from "../../../tests/support/state-hash.ts";
import { EngineUnavailable } from "../../ground/unavailable.ts";
import type { Configure, CreateLobby, Event, SetClosed } from "../../matchmaker/commands.ts";
import { createEventHub } from "../event-hub.ts";
import { createMemoryEngine, type MemoryEngine } from "./memory.ts";

const namespaceId = "eeeeeeee-0000-7000-8000-00000000000e";
const lobbyId = "00000000-0000-7000-8000-000000000001";
const otherId = "00000000-0000-7000-8000-000000000002";
const now = 1_700_000_000_000;

const configure: Configure = {
  type: "configure",
  namespaceId,
  now,
  revision: 1,
  limits: { lobbyCountMax: 10, maxPlayers: 10, maxPlayersPerClient: null },
  deployedVersionId: "version",
  idleMinimums: [],
};

const create = (id: string): CreateLobby => ({
  type: "createLobby",
  namespaceId,
  now,
  revision: 1,
  reason: "created",
  lobby: {
    ...anyLobby,
    lobbyId: id,
    versionId: "version",
    maxPlayers: 4,
    maxPlayersDirect: 4,
    readyMs: 60_000,
    reservationMs: 1000,
    emptyMs: 1000,
  },
  clientId: "192.0.2.1",
  playerIds: [id.replace("7000", "7001")],
  idempotency: null,
});

const close: SetClosed = { type: "setClosed", namespaceId, now, lobbyId, isClosed: true };
const isClosed = async (engine: MemoryEngine) =>
  (await engine.read<"lobby">({ type: "lobby", namespaceId, now, lobbyId }))?.isClosed;

async function withLobby() {
  const journal = createMemoryJournal();
  const engine = await createMemoryEngine(journal);
  await engine.execute(configure);
  await engine.execute(create(lobbyId));
  return { journal, engine };
}

/** Whether a promise has settled by now: after every callback that could run without the outside has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

describe("memory engine", () => {
  test("[DU3] a command is answered, and a read shows its effect, only when the journal has it", async () => {
    const { journal, engine } = await withLobby();
    journal.isHeld = true;
    const closing = engine.execute(close);
    const again = engine.execute(close);
    const reading = isClosed(engine);
    expect(await Promise.all([closing, again, reading].map(isSettled))).toEqual([false, false, false]);
    journal.release();
    expect(await closing).toEqual({ ok: true, isChanged: true });
    expect(await again).toEqual({ ok: true, isChanged: false });
    expect(await reading).toBe(true);
  });

  test("[DU3] events are published in order, after the journal has stored their changes", async () => {
    const { journal, engine } = await withLobby();
    journal.isHeld = true;
    const events = engine.events()[Symbol.asyncIterator]();
    const first = events.next();
    const executed = [engine.execute(close), engine.execute({ ...close, isClosed: false })];
    expect(await isSettled(first)).toBe(false);
    journal.release();
    await Promise.all(executed);
    const heard: (Event | undefined)[] = [(await first).value, (await events.next()).value];
    expect(heard.map((event) => event?.type)).toEqual(["lobby.closed", "lobby.opened"]);
  });

  test("[DU2] another engine on the same journal has the same state", async () => {
    const { journal, engine } = await withLobby();
    await engine.execute(create(otherId));
    await engine.execute({ type: "setReady", namespaceId, now, lobbyId });
    const hash = stateHash(engine.states().get(namespaceId)!);
    await engine.close();
    const next = await createMemoryEngine(journal);
    expect(stateHash(next.states().get(namespaceId)!)).toBe(hash);
    expect(await next.read({ type: "counts", namespaceId, now })).toMatchObject({ starting: 1, ready: 1, reserved: 2 });
    expect(checkInvariants(next.states().get(namespaceId)!)).toEqual([]);
  });

  test("[DU4] when the journal refuses, memory is what the journal has, and those commands fail", async () => {
    const { journal, engine } = await withLobby();
    const hash = stateHash(engine.states().get(namespaceId)!);
    const events = engine.events()[Symbol.asyncIterator]();
    journal.isFailing = true;
    const failed = await Promise.allSettled([
      engine.execute(close),
      engine.execute(create(otherId)),
      engine.execute(close),
    ]);
    for (const outcome of failed) expect(outcome).toMatchObject({ reason: expect.any(EngineUnavailable) });
    expect(await isClosed(engine)).toBe(false);
    expect(stateHash(engine.states().get(namespaceId)!)).toBe(hash);
    await expect(engine.execute(close)).rejects.toThrow(EngineUnavailable);
    expect(await isClosed(engine)).toBe(false);
    journal.isFailing = false;
    expect(await engine.execute(close)).toEqual({ ok: true, isChanged: true });
    expect(await isClosed(engine)).toBe(true);
    expect((await events.next()).value).toMatchObject({ type: "lobby.closed" });
  });

  test("[O30] an engine whose journal accepts no writes reports that, until it accepts them again", async () => {
    const { journal, engine } = await withLobby();
    await engine.checkWritable();
    journal.isFailing = true;
    await expect(engine.execute(close)).rejects.toThrow(EngineUnavailable);
    await expect(engine.checkWritable()).rejects.toThrow(EngineUnavailable);
    expect(await isClosed(engine)).toBe(false);
    journal.isFailing = false;
    await engine.checkWritable();
  });

  test("[DU4] a read that raced with the refusal shows the durable state", async () => {
    const { journal, engine } = await withLobby();
    journal.isHeld = true;
    const closing = engine.execute(close);
    const reading = isClosed(engine);
    journal.isFailing = true;
    journal.release();
    await expect(closing).rejects.toThrow(EngineUnavailable);
    expect(await reading).toBe(false);
  });

  test("[DU5] while the journal accepts no writes, what is due waits, and happens afterwards as of its time", async () => {
    const { journal, engine } = await withLobby();
    journal.isFailing = true;
    await expect(engine.execute(close)).rejects.toThrow(EngineUnavailable);
    const later = { type: "lobby", namespaceId, now: now + 60_000, lobbyId } as const;
    expect(await engine.read(later)).toMatchObject({ status: "starting" });
    journal.isFailing = false;
    await engine.execute({ type: "expire", namespaceId, now: now + 90_000 });
    expect(await engine.read(later)).toMatchObject({ status: "stopped", stoppedAt: now + 60_000 });
  });

  test("[DU6] an id that is used twice is an error, and the command has no effect", async () => {
    const { engine } = await withLobby();
    const hash = stateHash(engine.states().get(namespaceId)!);
    await expect(engine.execute(create(lobbyId))).rejects.toThrow("exists already");
    await expect(engine.execute({ ...create(lobbyId), playerIds: [] })).rejects.toThrow("exists already");
    const twice = { ...create(otherId), playerIds: [otherId, otherId] };
    await expect(engine.execute(twice)).rejects.toThrow("different id");
    expect((await engine.execute({ type: "expire", namespaceId, now })).ok).toBe(true);
    expect(stateHash(engine.states().get(namespaceId)!)).toBe(hash);
  });

  test("[E2] a listener that stops is removed, and a listener to a closed engine gets its end", async () => {
    const hub = createEventHub();
    const left = hub.subscribe()[Symbol.asyncIterator]();
    const stays = hub.subscribe()[Symbol.asyncIterator]();
    await left.return?.();
    const position = "1-1";
    hub.publish({ type: "namespace.configured", namespaceId, at: now, position, revision: 1, deployedVersionId: null });
    expect(await left.next()).toEqual({ done: true, value: undefined });
    expect((await stays.next()).value).toMatchObject({ type: "namespace.configured" });
    hub.close();
    expect((await hub.subscribe()[Symbol.asyncIterator]().next()).done).toBe(true);
  });

  test("[DU7] a closed engine ends its event streams and takes nothing more", async () => {
    const { engine } = await withLobby();
    const events = engine.events()[Symbol.asyncIterator]();
    const next = events.next();
    await engine.close();
    expect(await next).toEqual({ done: true, value: undefined });
    await expect(engine.execute(close)).rejects.toThrow(EngineUnavailable);
    await expect(isClosed(engine)).rejects.toThrow(EngineUnavailable);
  });
});

test("[G9] very many lobbies of a removed namespace end in steps, and other calls are decided in between", async () => {
  const engine = await createMemoryEngine(createMemoryJournal());
  const limits = { lobbyCountMax: 5000, maxPlayers: 10_000, maxPlayersPerClient: null };
  await engine.execute({ ...configure, limits });
  const ids = Array.from({ length: 1500 }, (_, at) => lobbyId.replace(/.{4}$/, String(at).padStart(4, "0")));
  for (const id of ids) expect(await engine.execute(create(id))).toMatchObject({ ok: true });
  const removal = engine.execute({ type: "removeNamespace", namespaceId, now, force: true });
  const other = namespaceId.replace(/e$/, "f");
  const left: number[] = [];
  let isOver = false;
  void removal.then(() => {
    isOver = true;
  });
  while (!isOver) {
    await engine.execute({ ...configure, namespaceId: other, revision: left.length + 1 });
    expect(await engine.execute(create(otherId))).toEqual({ ok: false, code: "STALE_REVISION" });
    left.push(engine.states().get(namespaceId)!.lobbies.size);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await removal).toEqual({ ok: true });
  expect(left[0]).toBeGreaterThan(1000);
  expect(new Set(left).size).toBeGreaterThan(5);
  const { lobbies, players, keys } = engine.states().get(namespaceId)!;
  expect([lobbies.size, players.size, keys.size]).toEqual([0, 0, 0]);
  await engine.close();
});
