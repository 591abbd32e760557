import { createSqliteJournal } from "../../src/engine/memory/sqlite-journal.ts";
import { toChanges } from "../support/changes.ts";

// Appends in threes without end and says on its output which are acknowledged; or, given a count, ends by itself.
const [dataDir = "", round = "", count = "Infinity"] = process.argv.slice(2);
const namespaceId = "eeeeeeee-0000-7000-8000-00000000000e";
const journal = createSqliteJournal({ dataDir });
await journal.load();

let acknowledged: number[] = [];
for (let i = 0; i < Number(count); i++) {
  const changes = ["a", "b", "c"].map((part) => ({
    entity: "player" as const,
    id: `${round}-${i}-${part}`,
    row: [3, part, "x".repeat(i % 300)],
  }));
  void journal.append(namespaceId, toChanges(changes)).then(() => acknowledged.push(i));
  if (i % 20 !== 0) continue;
  await new Promise((resolve) => setImmediate(resolve));
  while (journal.pendingChanges() > 3_000) await new Promise((resolve) => setImmediate(resolve));
  if (acknowledged.length > 0) process.stdout.write(`${acknowledged.join(" ")}\n`);
  acknowledged = [];
}
await journal.close();
process.stdout.write(`${acknowledged.join(" ")}\nclosed\n`);
