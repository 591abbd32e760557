import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { createSqliteJournal, journalFileName, type SqliteJournal } from "../src/engine/memory/sqlite-journal.ts";
import { createIds } from "../src/ids.ts";
import { type Change, loadState } from "../src/matchmaker/changes.ts";

// How many changes a second the journal of the embedded engine takes, how long one waits for the disk, and how long
// loading takes. Run: node --import tsx benchmarks/journal.ts [lobbies] [players per lobby]
const [lobbyCount = 100_000, playersPerLobby = 10] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(process.env.TMPDIR ?? tmpdir(), "foyer-journal-"));
const newId = createIds(Date.now);
const namespaceId = newId();
const versionId = newId();
const startedAt = Date.now();

try {
  await measureWriting(join(folder, "writing"));
  await measureLoading(join(folder, "loading"));
} finally {
  rmSync(folder, { recursive: true });
}

async function measureWriting(dataDir: string): Promise<void> {
  const journal = createSqliteJournal({ dataDir });
  await journal.load();
  await measureSingle(journal);
  for (const perTurn of [16, 256, 1024]) await measureTurns(journal, perTurn);
  await journal.close();
}

async function measureSingle(journal: SqliteJournal): Promise<void> {
  const waits: number[] = [];
  for (let i = 0; i < 2_000; i++) {
    const from = performance.now();
    await journal.append(namespaceId, [player(newId(), newId())]);
    waits.push(performance.now() - from);
  }
  waits.sort((a, b) => a - b);
  const [median, late] = [waits[1_000], waits[1_980]].map((ms) => ms?.toFixed(2));
  print("one append at a time", `median ${median} ms, 99 of 100 within ${late} ms`);
}

/** As the engine does under load: each turn of the event loop decides many finds, and does not wait for the disk. */
async function measureTurns(journal: SqliteJournal, findsPerTurn: number): Promise<void> {
  const changes = 200_000;
  const commitsBefore = journal.commitCount();
  const from = performance.now();
  let loopMs = 0;
  for (let made = 0; made < changes; made += findsPerTurn * 2) {
    const turnFrom = performance.now();
    for (let i = 0; i < findsPerTurn; i++) {
      const lobbyId = newId();
      void journal.append(namespaceId, [lobby(lobbyId), player(newId(), lobbyId)]);
    }
    loopMs += performance.now() - turnFrom;
    await (journal.isBehind() ? journal.flush() : turn());
  }
  await journal.flush();
  const seconds = (performance.now() - from) / 1000;
  const commits = journal.commitCount() - commitsBefore;
  print(
    `${findsPerTurn} finds a turn`,
    `${Math.round(changes / seconds).toLocaleString("en")} changes/s, ${commits} commits, ` +
      `appending takes the event loop ${((loopMs * 1000) / changes).toFixed(1)} µs a change`,
  );
}

async function measureLoading(dataDir: string): Promise<void> {
  await fill(dataDir);
  const journal = createSqliteJournal({ dataDir });
  const from = performance.now();
  const stored = await journal.load();
  const readAt = performance.now();
  const changes = stored.get(namespaceId) ?? [];
  loadState(namespaceId, changes);
  const builtAt = performance.now();
  const bytes = statSync(join(dataDir, journalFileName)).size;
  print(
    `loading ${changes.length.toLocaleString("en")} rows (${Math.round(bytes / 1e6)} MB)`,
    `reading ${((readAt - from) / 1000).toFixed(1)} s, building the state ${((builtAt - readAt) / 1000).toFixed(1)} s, ` +
      `${Math.round(process.memoryUsage().rss / 1e6)} MB resident`,
  );
  await journal.close();
}

async function fill(dataDir: string): Promise<void> {
  const journal = createSqliteJournal({ dataDir });
  await journal.load();
  for (let i = 0; i < lobbyCount; i++) {
    const lobbyId = newId();
    const changes = [lobby(lobbyId)];
    for (let seat = 0; seat < playersPerLobby; seat++) changes.push(player(newId(), lobbyId));
    void journal.append(namespaceId, changes);
    if (journal.isBehind()) await journal.flush();
  }
  await journal.close();
}

// The shapes of src/matchmaker/rows.ts.
function lobby(id: string): Change {
  const ports = '{"default":{"hostname":"127.0.0.1","port":20000,"is_tls":false}}';
  const facts = [1, versionId, "duel", "local", 100, 100, 0, {}, 300_000, 120_000, 0, 30_000, ports, null, null];
  const life = ["find", "203.0.113.7", startedAt, "ready", startedAt, null, startedAt, null, null, null];
  return { entity: "lobby", id, value: [...facts, ...life] };
}

function player(id: string, lobbyId: string): Change {
  return { entity: "player", id, value: [1, lobbyId, "203.0.113.7", startedAt, "connected", startedAt, null, 0] };
}

function print(what: string, figures: string): void {
  console.log(`${what}: ${figures}`);
}
