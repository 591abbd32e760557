import { expect, test, vi } from "vitest";
import { chooseLobbies, type LobbyFilter } from "../../dashboard/src/live/filter-lobbies.ts";
import type { NamespaceEvent } from "../../dashboard/src/live/follow-events.ts";
import { LobbyTable } from "../../dashboard/src/live/lobby-table.ts";
import type { HeldBackMode, OperatorLobby } from "../../sdk/src/index.ts";

function lobby(id: string, more: Partial<OperatorLobby> = {}): OperatorLobby {
  const own = {
    ...{ lobby_id: id, game_mode_id: "duel", region_id: "local", status: "ready", publicity: "public", code: null },
    ...{ is_closed: false, is_silent: false, is_outdated: false, tags: {}, create_ts: `2026-01-0${id}T00:00:00Z` },
    ...{ total_player_count: 1, max_players_normal: 4 },
  };
  // Cast: the fields that the table and its filter read.
  return { ...own, ...more } as unknown as OperatorLobby;
}

// Cast: an event with what the table reads of it.
const event = (name: string, data: object) => ({ event: name, data }) as unknown as NamespaceEvent;

/** A service whose list is answered when the test says so. */
function createTable(listed: OperatorLobby[] = []) {
  const got = new Map<string, OperatorLobby | null>();
  const held = { modes: [] as HeldBackMode[], reads: 0, fails: false };
  let [lists, changes] = [0, 0];
  let open = Promise.resolve();
  const table = new LobbyTable(
    {
      async *list() {
        lists += 1;
        await open;
        yield* listed;
      },
      get: async (id) => got.get(id) ?? null,
      heldBack: async () => {
        held.reads += 1;
        if (held.fails) throw new Error("The service is away.");
        return held.modes;
      },
    },
    () => (changes += 1),
  );
  const wait = () => {
    let release = () => {};
    open = new Promise((resolve) => (release = resolve));
    return () => release();
  };
  const seen = () => new Map(table.snapshot().lobbies.map((each) => [each.lobby_id, each.total_player_count]));
  return { table, got, held, wait, seen, lists: () => lists, changes: () => changes };
}

test("[DB28] seats are counted when they are taken and when they end, once each and never below none", async () => {
  const { table, seen, changes } = createTable([lobby("1")]);
  await table.load();
  const before = changes();
  const names = ["reserved", "connected", "disconnected", "returned", "left", "expired", "expired"];
  const counts = names.map((name) => {
    table.apply(event(`player.${name}`, { lobby_id: "1" }));
    return seen().get("1");
  });
  expect(counts).toEqual([2, 2, 2, 2, 1, 0, 0]);
  expect(changes() - before).toBe(names.length);
  table.apply(event("player.reserved", { lobby_id: "unknown" }));
  expect([...seen().keys()]).toEqual(["1"]);
});

test("[DB28] what changed while the list was read is read once more, for every such lobby", async () => {
  const many = Array.from({ length: 9 }, (_, index) => lobby(String(index + 1)));
  const { table, got, wait, seen, lists } = createTable(many);
  const release = wait();
  const loading = table.load();
  for (const { lobby_id } of many.slice(0, 8)) {
    got.set(lobby_id, lobby(lobby_id, { total_player_count: 3 }));
    table.apply(event("player.reserved", { lobby_id }));
  }
  table.apply(event("lobby.stopped", { lobby: lobby("9", { status: "stopped" }) }));
  release();
  await loading;
  expect(seen()).toEqual(new Map(many.slice(0, 8).map(({ lobby_id }) => [lobby_id, 3])));
  expect({ lists: lists(), isLoaded: table.snapshot().isLoaded }).toEqual({ lists: 1, isLoaded: true });
});

test("[DB28] a gap in the events while the list is read has it read again, and a stopped lobby leaves the table", async () => {
  const { table, wait, seen, lists } = createTable([lobby("1"), lobby("2")]);
  const release = wait();
  const loading = table.load();
  table.apply(event("reset", {}));
  release();
  await loading;
  expect(lists()).toBe(2);
  table.apply(event("lobby.created", { lobby: lobby("3") }));
  table.apply(event("lobby.stopped", { lobby: lobby("1", { status: "stopped" }) }));
  expect([...seen().keys()]).toEqual(["2", "3"]);
});

test("[DB28] which game modes keep failing is read after a lobby ended, and kept when it cannot be read", async () => {
  vi.useFakeTimers();
  try {
    const { table, held } = createTable([]);
    // Cast: the table only passes it on.
    held.modes = [{ game_mode_id: "duel" }] as unknown as HeldBackMode[];
    await table.load();
    for (const fails of [true, false]) {
      held.fails = fails;
      for (const id of ["1", "2"]) table.apply(event("lobby.stopped", { lobby: lobby(id, { status: "stopped" }) }));
      await vi.advanceTimersByTimeAsync(2_000);
      expect(table.snapshot().heldBack).toHaveLength(1);
    }
    expect(held.reads).toBe(3);
  } finally {
    vi.useRealTimers();
  }
});

const everything: LobbyFilter = { text: "", mode: "", region: "", state: "", order: "newest", key: "" };
const lobbies = [
  lobby("1"),
  lobby("2", { is_closed: true, tags: { map: "Harbour" } }),
  lobby("3", { total_player_count: 4, code: "BCDF" }),
  lobby("4", { total_player_count: 0, status: "starting", publicity: "private" }),
  lobby("5", { is_silent: true, region_id: "far" }),
  lobby("6", { is_outdated: true, game_mode_id: "ffa" }),
];
const idsWith = (filter: Partial<LobbyFilter>, withKey: ReadonlySet<string> | null = null) =>
  chooseLobbies(lobbies, { ...everything, ...filter }, withKey)
    .map(({ lobby_id }) => lobby_id)
    .join("");

test.each([
  [{}, "654321"],
  [{ order: "oldest" }, "123456"],
  [{ order: "fullest" }, "312564"],
  [{ state: "open" }, "1"],
  [{ state: "closed" }, "2"],
  [{ state: "full" }, "3"],
  [{ state: "empty" }, "4"],
  [{ state: "starting" }, "4"],
  [{ state: "private" }, "4"],
  [{ state: "silent" }, "5"],
  [{ state: "outdated" }, "6"],
  [{ mode: "ffa" }, "6"],
  [{ region: "far" }, "5"],
  [{ text: " MAP=har " }, "2"],
  [{ text: "bcd" }, "3"],
  [{ state: "closed", text: "bcd" }, ""],
])("[DB28] the filter %j shows the lobbies %s", (filter, expected) => {
  expect(idsWith(filter)).toBe(expected);
});

test("[DB28] a player's key shows the lobbies in which the player has a seat, and no others", () => {
  expect(idsWith({ key: "anna" }, new Set(["2", "3"]))).toBe("32");
  expect(idsWith({ key: "anna" }, new Set())).toBe("");
});
