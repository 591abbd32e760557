import { describe, expect, test } from "vitest";
import type { Journal } from "../../src/engine/memory/journal.ts";
import { createMemoryEngine } from "../../src/engine/memory/memory.ts";
import { createExpire } from "../../src/loops/expire.ts";
import type { Idempotency } from "../../src/matchmaker/commands.ts";
import { checkInvariants } from "../support/invariants.ts";
import { createMemoryJournal } from "../support/memory-journal.ts";
import { stateHash } from "../support/state-hash.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { listen, seated, World } from "../support/world.ts";
import { gate, journalIn, namespaceId, otherNamespaceId, outcomeOf, turn } from "./journals.ts";

/** When a rule looks at the hash, it has already made the lobby and taken the seats. */
const throwing: Idempotency = {
  key: "k",
  get bodyHash(): string {
    throw new Error("a rule that throws");
  },
};

async function twoNamespaces(journal: Journal) {
  const engine = await createMemoryEngine(journal);
  const under = {
    engine,
    check(id: string) {
      const state = engine.states().get(id);
      return state === undefined ? [] : checkInvariants(state);
    },
    restart: () => Promise.reject(new Error("No test here restarts.")),
  };
  const ids = { next: 0 };
  const broken = new World(under, namespaceId, ids);
  const other = new World(under, otherNamespaceId, ids);
  await broken.configure();
  await other.configure();
  const stateOf = (world: World) => engine.states().get(world.namespaceId);
  const hashOf = (world: World) => stateHash(stateOf(world)!);
  return { engine, broken, other, stateOf, hashOf };
}

function throwIn(world: World) {
  const { revision } = world;
  const lobby = world.newLobby({ maxPlayers: 9 });
  const seats = { clientId: "192.0.2.9", playerIds: world.players(3), idempotency: throwing };
  return world.execute<"createLobby">({ type: "createLobby", revision, reason: "created", lobby, ...seats });
}

const journals: [string, () => Promise<Journal>][] = [
  ["memory", async () => createMemoryJournal()],
  ["SQLite", async () => journalIn(temporaryFolder())],
];

describe.each(journals)("a rule that throws, on the journal in %s", (_, open) => {
  test("[DU8] costs its namespace what it wrote, and nothing that was decided before", async () => {
    const { broken, hashOf } = await twoNamespaces(await open());
    const lobby = await broken.ready({ party: 2 });
    const before = hashOf(broken);
    const closing = broken.setClosed(lobby.id);
    const thrown = throwIn(broken);
    const reading = broken.counts();
    await expect(thrown).rejects.toThrow("a rule that throws");
    expect(await closing).toEqual({ ok: true, isChanged: true });
    expect(await reading).toMatchObject({ starting: 0, ready: 1, reserved: 2 });
    expect(await broken.lobby(lobby.id)).toMatchObject({ isClosed: true });
    await broken.setClosed(lobby.id, false);
    expect(hashOf(broken)).toBe(before);
  });

  test("[DU8] leaves the memory of the other namespaces as it is", async () => {
    const { broken, other, stateOf } = await twoNamespaces(await open());
    const { id } = await other.ready({ heartbeatMs: 10_000 });
    const state = stateOf(other);
    await expect(throwIn(broken)).rejects.toThrow("a rule that throws");
    await broken.counts();
    expect(stateOf(other)).toBe(state);
    // A reload would have started its heartbeat clock again.
    await other.pass(10_000);
    expect(await other.lobby(id)).toMatchObject({ silentSince: other.now });
  });

  test("[DU8] starts the heartbeat clocks of its namespace again, because heartbeats could not be taken", async () => {
    const { broken } = await twoNamespaces(await open());
    const { id } = await broken.ready({ heartbeatMs: 10_000 });
    await expect(throwIn(broken)).rejects.toThrow("a rule that throws");
    broken.now += 9_000;
    await broken.setClosed(id);
    await broken.pass(9_000);
    expect(await broken.lobby(id)).toMatchObject({ silentSince: null });
  });

  test("[DU8] the list of namespaces waits for it, so that none is missing", async () => {
    const { engine, broken } = await twoNamespaces(await open());
    const thrown = throwIn(broken);
    const listed = engine.read({ type: "namespaces" });
    await expect(thrown).rejects.toThrow("a rule that throws");
    expect((await listed).map((one) => one.namespaceId)).toEqual([namespaceId, otherNamespaceId]);
  });

  test("[DU6] [DU8] an id that is used twice costs no memory, and what was due before has happened", async () => {
    const { broken, stateOf } = await twoNamespaces(await open());
    const lobby = await broken.ready({ party: 1, reservationMs: 1000 });
    const state = stateOf(broken);
    const receive = listen(broken);
    broken.now += 1000;
    const again = broken.execute<"createLobby">({
      type: "createLobby",
      revision: broken.revision,
      reason: "registered",
      lobby: broken.newLobby({ lobbyId: lobby.id, isExternal: true }),
      clientId: null,
      playerIds: [],
      idempotency: null,
    });
    await expect(again).rejects.toThrow("exists already");
    expect(await broken.counts()).toMatchObject({ ready: 1, reserved: 0 });
    expect(stateOf(broken)).toBe(state);
    expect((await receive(1)).map(({ type }) => type)).toEqual(["player.expired"]);
  });
});

test("[DU8] while a namespace is loaded again, commands of the others continue and its own wait", async () => {
  const journal = createMemoryJournal();
  let letGo = () => {};
  const loadNamespace = (id: string) =>
    new Promise<void>((resolve) => {
      letGo = resolve;
    }).then(() => journal.loadNamespace(id));
  const { broken, other } = await twoNamespaces({ ...journal, loadNamespace });
  await expect(throwIn(broken)).rejects.toThrow("a rule that throws");
  const waiting = broken.find();
  const reading = broken.counts();
  seated(await other.find());
  expect([await outcomeOf(waiting), await outcomeOf(reading)]).toEqual(["waiting", "waiting"]);
  letGo();
  seated(await waiting);
});

test("[DU8] during a commit: what was decided before the rule threw is answered and published", async () => {
  const held = gate("commit", 3, "before");
  const journal = journalIn(temporaryFolder(), { steps: [held.step] });
  const { broken, other } = await twoNamespaces(journal);
  const receive = listen(broken);
  const finding = [broken.find(), other.find()];
  await held.reached();
  await expect(throwIn(broken)).rejects.toThrow("a rule that throws");
  held.open();
  for (const found of finding) seated(await found);
  expect((await receive(4)).map(({ type }) => type)).toEqual([
    "lobby.created",
    "player.reserved",
    "lobby.created",
    "player.reserved",
  ]);
});

test("[DU9] when the namespace cannot be loaded either, everything is loaded, and what the journal stored is published", async () => {
  const journal = createMemoryJournal();
  const { broken, other } = await twoNamespaces(journal);
  const lobby = await broken.ready();
  const receive = listen(broken);
  journal.isHeld = true;
  const closing = broken.setClosed(lobby.id);
  // As when its rows cannot be read: memory is lost while the change is on its way.
  journal.isUnreadable = true;
  await expect(throwIn(broken)).rejects.toThrow("a rule that throws");
  journal.release();
  await closing.catch(() => undefined);
  expect(await broken.lobby(lobby.id)).toMatchObject({ isClosed: true });
  expect((await receive(1)).map(({ type }) => type)).toEqual(["lobby.closed"]);
  seated(await other.find());
  seated(await broken.find());
});

test("[DU4] [DU8] memory that is lost while a namespace is loaded again is not filled from before the loss", async () => {
  const journal = createMemoryJournal();
  let letGo = () => {};
  const loadNamespace = async (id: string) => {
    const stored = await journal.loadNamespace(id);
    await new Promise<void>((resolve) => {
      letGo = resolve;
    });
    return stored;
  };
  const { broken, other } = await twoNamespaces({ ...journal, loadNamespace, append: journal.append });
  const lobby = await broken.ready();
  await expect(throwIn(broken)).rejects.toThrow("a rule that throws");
  journal.isFailing = true;
  await expect(other.find()).rejects.toThrow();
  journal.isFailing = false;
  // Everything is loaded again, and the lobby closed, before the rows from before arrive.
  await broken.setClosed(lobby.id);
  letGo();
  await turn();
  expect(await broken.lobby(lobby.id)).toMatchObject({ isClosed: true });
});

test("[DU8] a namespace whose rules throw does not keep the others from being brought up to date", async () => {
  const { engine, broken, other } = await twoNamespaces(createMemoryJournal());
  await broken.ready({ party: 1, reservationMs: 1000 });
  await other.ready({ party: 1, reservationMs: 1000 });
  const half = {
    ...engine,
    execute: (async (command) => {
      if (command.namespaceId === broken.namespaceId) throw new Error("a rule that throws");
      return engine.execute(command);
    }) as typeof engine.execute,
  };
  await expect(createExpire(half, { lease: () => ({}) }, () => other.now + 1000)()).rejects.toThrow(
    "a rule that throws",
  );
  expect(engine.states().get(other.namespaceId)?.reservedCount).toBe(0);
});
