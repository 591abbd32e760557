import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { createSqliteJournal, type SqliteJournal } from "../src/engine/memory/sqlite-journal.ts";
import { createIds } from "../src/ground/ids.ts";
import { type Changes, changeLine } from "../src/matchmaker/changes.ts";
import { encodeLobby, encodePlayer } from "../src/matchmaker/codec.ts";
import { createPool } from "../src/matchmaker/pools.ts";
import { newLobby, newPlayer } from "../src/matchmaker/record-makers.ts";
import { anyLobby } from "../tests/support/any-lobby.ts";
import { quantile } from "./load.ts";
import { markdownTable } from "./table.ts";

export const question = "How long does a change wait for the disk, and how many a second does the journal take?";

const newId = createIds(Date.now);
const namespaceId = newId();
const versionId = newId();
const startedAt = Date.now();

export async function run(): Promise<string> {
  const dataDir = mkdtempSync(join(process.env.TMPDIR ?? tmpdir(), "foyer-journal-"));
  const journal = createSqliteJournal({ dataDir });
  try {
    await journal.load();
    const single = await measureSingle(journal);
    const turns: string[][] = [];
    for (const perTurn of [16, 256, 1024]) turns.push(await measureTurns(journal, perTurn));
    const head = ["finds decided in one turn", "changes/s", "commits", "µs of the event loop a change"];
    return `${single}\n\n${markdownTable(head, turns)}`;
  } finally {
    await journal.close();
    rmSync(dataDir, { recursive: true });
  }
}

async function measureSingle(journal: SqliteJournal): Promise<string> {
  const waits: number[] = [];
  for (let i = 0; i < 2_000; i++) {
    const from = performance.now();
    await journal.append(namespaceId, reservedSeat(newId()));
    waits.push(performance.now() - from);
  }
  waits.sort((a, b) => a - b);
  const row = ["one at a time", ...[0.5, 0.99].map((q) => quantile(waits, q).toFixed(2))];
  return markdownTable(["from append to synced", "p50 ms", "p99 ms"], [row]);
}

/** As the engine does under load: each turn of the event loop decides many finds, and does not wait for the disk. */
async function measureTurns(journal: SqliteJournal, findsPerTurn: number): Promise<string[]> {
  const changes = 200_000;
  const commitsBefore = journal.commitCount();
  const from = performance.now();
  let loopMs = 0;
  for (let made = 0; made < changes; made += findsPerTurn * 2) {
    const turnFrom = performance.now();
    for (let i = 0; i < findsPerTurn; i++) {
      void journal.append(namespaceId, foundSeat());
    }
    loopMs += performance.now() - turnFrom;
    await (journal.isBehind() ? journal.flush() : turn());
  }
  await journal.flush();
  const seconds = (performance.now() - from) / 1000;
  const commits = journal.commitCount() - commitsBefore;
  const perSecond = Math.round(changes / seconds).toLocaleString("en");
  return [String(findsPerTurn), perSecond, String(commits), ((loopMs * 1000) / changes).toFixed(1)];
}

/** A new lobby with one connected player, as the rules give them to the journal. */
function foundSeat(): Changes {
  const ports = '{"default":{"hostname":"127.0.0.1","port":20000,"is_tls":false}}';
  const times = { readyMs: 300_000, reservationMs: 120_000, emptyMs: 30_000 };
  const needed = {
    ...anyLobby,
    versionId,
    maxPlayers: 100,
    maxPlayersDirect: 100,
    ports,
    ...times,
    createReason: "found",
    createdBy: "203.0.113.7",
    code: null,
  } as const;
  const lobby = newLobby(newId(), needed, startedAt, createPool);
  const seat = reservedSeat(lobby.id);
  return { count: 2, text: changeLine("lobby", lobby.id, encodeLobby(lobby)) + seat.text };
}

function reservedSeat(lobbyId: string): Changes {
  const player = newPlayer(newId(), { lobbyId, clientId: "203.0.113.7", playerKey: null }, startedAt);
  return { count: 1, text: changeLine("player", player.id, encodePlayer(player)) };
}
