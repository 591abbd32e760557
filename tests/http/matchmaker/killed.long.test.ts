import { randomInt } from "node:crypto";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Arena, arenaOf, config, type LobbyAtHand, tokensOf } from "../../support/arena.ts";
import { type Child, newDataDir, startChild } from "../../support/child.ts";
import { expectAnswer, expectRefusal } from "../../support/expectations.ts";
import { type Answer, type NamespaceAtHand, until } from "../../support/harness.ts";
import { ensureServerBuilt } from "../../support/server.ts";

const patient = { timeout: 240_000 };
const children: Child[] = [];

beforeAll(ensureServerBuilt, 120_000);
afterEach(() => {
  for (const child of children.splice(0)) child.process.kill("SIGKILL");
});

async function start(dataDir: string): Promise<Child> {
  const child = await startChild(dataDir);
  children.push(child);
  return child;
}

interface Seat {
  readonly key: string;
  readonly answer: Answer;
  /** What was acknowledged last, and what was asked for when the process ended: that may have happened or not. */
  status: "reserved" | "connected" | "ended";
  asked: "connected" | "ended" | null;
}

/** One lobby's life as far as it was acknowledged. */
interface Notes {
  lobbyId: string;
  token: string;
  isReady: boolean;
  isClosed: boolean;
  closing: boolean | null;
  readonly seats: Seat[];
}

const isCutOff = (error: unknown) =>
  error instanceof Error &&
  /ECONNRE|socket hang up|EPIPE/.test(`${error.message} ${"code" in error ? String(error.code) : ""}`);

function must(answer: Answer, status: number): Answer {
  if (answer.status !== status) throw new Error(`${answer.status} ${answer.text}`);
  return answer;
}

/** Plays lobby after lobby until the process ends under it. */
async function playUntilKilled(arena: Arena, worker: number, notes: Notes[], acknowledged: () => void): Promise<void> {
  try {
    for (let turn = 0; ; turn++) {
      const tag = `${worker}-${turn}-${randomInt(1e9)}`;
      const lobby = await arena.register({ tags: { tag } });
      acknowledged();
      const note: Notes = { ...lobby, isReady: false, isClosed: false, closing: null, seats: [] };
      notes.push(note);
      must(await lobby.ready(), 204);
      note.isReady = true;
      acknowledged();
      for (let player = 0; player < 4; player++) await playSeat(arena, lobby, note, tag, player, acknowledged);
      for (const isClosed of [true, false, true].slice(0, 1 + (turn % 3))) {
        note.closing = isClosed;
        must(await lobby.setClosed(isClosed), 204);
        note.isClosed = isClosed;
        note.closing = null;
        acknowledged();
      }
    }
  } catch (error) {
    if (!isCutOff(error)) throw error;
  }
}

async function playSeat(
  arena: Arena,
  lobby: LobbyAtHand,
  note: Notes,
  tag: string,
  player: number,
  acknowledged: () => void,
): Promise<void> {
  const key = `${tag}-${player}`;
  const answer = must(await arena.find({ tags: { tag } }, { key }), 200);
  acknowledged();
  const seat: Seat = { key, answer, status: "reserved", asked: null };
  note.seats.push(seat);
  const [token] = tokensOf(answer) as [string];
  for (const next of (["connected", "ended"] as const).slice(0, player % 3)) {
    seat.asked = next;
    if (next === "connected") must(await lobby.connect(token), 200);
    else must(await lobby.disconnect(token), 204);
    seat.status = next;
    seat.asked = null;
    acknowledged();
  }
}

/** Everything that was acknowledged is there; what was under way is there or not, and nothing else. */
async function expectKept(arena: Arena, note: Notes): Promise<void> {
  const lobby = arena.lobby(note.lobbyId, note.token);
  const seen = await lobby.seen();
  if (note.isReady) expect(seen.status).toBe("ready");
  if (note.closing === null) expect(seen.is_closed).toBe(note.isClosed);
  const players = new Map<string, string>(
    seen.players.map((player: { player_id: string; status: string }) => [player.player_id, player.status]),
  );
  for (const { answer, status, asked } of note.seats) {
    const found = players.get(answer.json.players[0].player_id) ?? "ended";
    expect(asked === null ? [status] : [status, asked]).toContain(found);
  }
  // Only the find that was in progress may have a seat without an answer.
  const known = note.seats.filter(({ answer }) => players.has(answer.json.players[0].player_id)).length;
  expect(players.size - known).toBeLessThanOrEqual(1);
  expect(seen.total_player_count).toBe(players.size);

  for (const { key, answer, status, asked } of note.seats) {
    if (status === "ended" || asked === "ended") continue;
    const [, tag] = /^(.*)-\d$/.exec(key)!;
    expectAnswer(await arena.find({ tags: { tag } }, { key }), answer.json);
    const again = await lobby.connect(tokensOf(answer)[0]!);
    if (status === "connected") expectRefusal(again, "MATCHMAKER_PLAYER_ALREADY_CONNECTED");
    else expect([200, 409]).toContain(again.status);
  }
}

describe("a service that is killed under load and started again", patient, () => {
  test("[10] [18] has every effect that it acknowledged, five times in a row", async () => {
    const dataDir = newDataDir();
    let child = await start(dataDir);
    const first = await createArenaOn(child);
    for (let round = 0; round < 5; round++) {
      const arena = arenaOf(child.client, first.namespace, first);
      const notes: Notes[] = [];
      let count = 0;
      const workers = Array.from({ length: 24 }, (_, worker) =>
        playUntilKilled(arena, worker, notes, () => {
          count += 1;
        }),
      );
      const enough = randomInt(100, 1200);
      await Promise.race([until(() => count >= enough), Promise.all(workers)]);
      child.process.kill("SIGKILL");
      await Promise.all([child.ended, ...workers]);

      child = await start(dataDir);
      const same = arenaOf(child.client, first.namespace, first);
      await Promise.all(notes.map((note) => expectKept(same, note)));
      await expectSums(same);
      for (const { lobbyId, token } of notes) await same.lobby(lobbyId, token).stop();
    }
  });
});

async function createArenaOn(child: Child): Promise<Arena> {
  const { client } = child;
  const document = config({ max_players: 4, max_players_direct: 4 });
  const { game_id } = await client.admin("POST", "/cloud/games", { display_name: "G", name_id: "g" });
  const path = `/cloud/games/${game_id}`;
  const { version_id } = await client.admin("POST", `${path}/versions`, { display_name: "V", config: document });
  const { namespace_id } = await client.admin("POST", `${path}/namespaces`, {
    display_name: "N",
    name_id: "prod",
    version_id,
  });
  const at = `${path}/namespaces/${namespace_id}`;
  const pub = await client.admin("POST", `${at}/tokens/public`);
  const server = await client.admin("POST", `${at}/tokens/server`);
  const game = { gameId: game_id, nameId: "g", path };
  const namespace: NamespaceAtHand = { namespaceId: namespace_id, nameId: "prod", game, path: at };
  return arenaOf(client, namespace, { versionId: version_id, pub: pub.token, server: server.token });
}

/** What players see of all lobbies together matches what the operator sees of each. */
async function expectSums(arena: Arena): Promise<void> {
  let seats = 0;
  for (const lobby of await arena.lobbies("?limit=500")) {
    expect(lobby.total_player_count).toBe(lobby.reserved_count + lobby.connected_count);
    expect(lobby.total_player_count).toBeLessThanOrEqual(4);
    seats += lobby.total_player_count;
  }
  expect((await arena.play("GET", "players/statistics")).json.player_count).toBe(seats);
}
