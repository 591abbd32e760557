import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { type Config, loadConfig } from "../config/config.ts";
import { openDataFolder } from "../ground/data-folder.ts";
import { DatabaseInUse, holdDatabase } from "../store/only-node.ts";
import { openDb } from "../store/open-db.ts";
import type { CopiedBuilds } from "../store/transfer/export-builds.ts";
import { countsInWords, type RowCounts } from "../store/transfer/format.ts";
import { checkDocument, importDocument, StoreNotEmpty } from "../store/transfer/import.ts";
import { importBuilds } from "../store/transfer/import-builds.ts";
import { DocumentError, type DocumentSource } from "../store/transfer/lines.ts";
import { describeMissing } from "./build-lines.ts";
import { explainStartFailure } from "./start-failure.ts";
import type { Terminal } from "./terminal.ts";

/** `foyer import FILE [--builds DIR]`: imports an export into an empty store; `-` reads standard input. */
export async function importCommand(
  file: string,
  argv: readonly string[],
  terminal: Terminal,
  { input = process.stdin, builds = null }: { input?: AsyncIterable<Uint8Array>; builds?: string | null } = {},
): Promise<number> {
  const config = loadConfig({ argv });
  const name = file === "-" ? "standard input" : resolve(file);
  try {
    const source = file === "-" ? await kept(input) : () => createReadStream(name);
    // Reads the document twice, so that an invalid one is refused before a store is created for it.
    await checkDocument(source);
    const { counts, archives } = await importInto(config, source, builds && resolve(builds), terminal.now);
    const copied = archives.count === 0 ? "" : `Imported the archives of ${archives.count} builds.\n`;
    terminal.out(summary(counts, config, name) + copied + describeMissing(archives, uploadAgain));
    return 0;
  } catch (error) {
    terminal.err(`foyer: ${inWords(error, config, name)}\n`);
    return 1;
  }
}

const uploadAgain =
  "Upload the same archives again, or import with --builds DIR; until then their lobbies do not start.";

/** A pipe can be read only once, so its content is kept in memory. */
async function kept(input: AsyncIterable<Uint8Array>): Promise<DocumentSource> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of input) chunks.push(chunk);
  return async function* () {
    yield* chunks;
  };
}

/** Only while no service uses the store: a running service would not notice the new rows. */
async function importInto(
  config: Config,
  source: DocumentSource,
  folder: string | null,
  wallClock: () => number,
): Promise<{ counts: RowCounts; archives: CopiedBuilds }> {
  const { databaseUrl, dataDir } = config;
  const hold = databaseUrl === null ? await openDataFolder(dataDir) : await holdDatabase(databaseUrl, () => {});
  try {
    const db = await openDb({ databaseUrl, dataDir });
    try {
      const counts = await importDocument(db, source);
      return { counts, archives: await importBuilds(db, { dataDir, folder, wallClock }) };
    } finally {
      await db.close();
    }
  } finally {
    await hold.release();
  }
}

function inWords(error: unknown, config: Config, name: string): string {
  if (error instanceof DocumentError) return `${name} was not imported. ${error.message}`;
  if (error instanceof StoreNotEmpty) {
    return `${error.message} An import needs an empty one: choose another data_dir or database_url. (The first start creates the demo game arena, unless FOYER_DEMO=false.)`;
  }
  if (error instanceof DatabaseInUse) {
    return "A running Foyer uses this PostgreSQL database. Stop all its nodes, then import.";
  }
  if (error instanceof Error && "code" in error && error.code === "ENOENT" && "path" in error && error.path === name) {
    return `There is no file ${name}.`;
  }
  return explainStartFailure(error, config);
}

function summary(counts: RowCounts, config: Config, name: string): string {
  const place = config.databaseUrl === null ? config.dataDir : "the PostgreSQL database";
  return [
    `Imported ${countsInWords(counts)} from ${name} into ${place}. There are no live lobbies yet.`,
    "Tokens of games and namespaces work as before. The admin token and the secret are those of this installation.",
    "",
  ].join("\n");
}
