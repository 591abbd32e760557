import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GameFile } from "../dev/game-file.ts";
import { type Client, uploadClient } from "../remote/client.ts";
import { bar, mib, type Progress } from "../remote/progress.ts";
import type { Remote } from "../remote/run-remote.ts";
import { clean } from "../remote/show.ts";
import { readRules } from "./ignore.ts";
import { type Listing, listFiles } from "./list-files.ts";
import { type Archive, packFiles } from "./pack.ts";

/** `foyer deploy --list`: what would be packed, and what was left out. */
export function showFiles({ cwd, terminal, print }: Remote, game: GameFile): void {
  const listing = listFiles(cwd, readRules(cwd, game));
  for (const line of describeLeftOut(listing)) terminal.err(`${line}\n`);
  const files = listing.entries.filter(({ kind }) => kind !== "folder");
  const { secrets, development } = listing;
  print({ files: files.map(({ path, size }) => ({ path, size })), left_out: { secrets, development } }, () =>
    files.map(({ path }) => `${clean(path)}\n`).join(""),
  );
}

/** The packed folder; `use` has it while it exists. */
export async function withArchive<T>(
  { cwd, signal }: Remote,
  game: GameFile,
  progress: Progress,
  use: (archive: Archive) => Promise<T>,
): Promise<T> {
  const scratch = mkdtempSync(join(tmpdir(), "foyer-deploy-"));
  try {
    const listing = listFiles(cwd, readRules(cwd, game));
    for (const line of describeLeftOut(listing)) progress.done(line);
    const onProgress = (done: number, of: number) => progress.update(`Packing   ${bar(done, of)}`);
    const archive = await packFiles(cwd, listing.entries, join(scratch, "build.tar.gz"), { signal, onProgress });
    progress.done(`Packed ${archive.fileCount} files, ${mib(archive.size)}.`);
    return await use(archive);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const secretsShown = 5;

function describeLeftOut({ secrets, development: { packages, bytes } }: Listing): string[] {
  const names = secrets.slice(0, secretsShown).map(clean).join(", ");
  const rest = secrets.length > secretsShown ? ` and ${secrets.length - secretsShown} more` : "";
  const count = packages.length === 1 ? "1 package" : `${packages.length} packages`;
  return [
    ...(secrets.length === 0
      ? []
      : [`Left out, because it may be secret: ${names}${rest}. "include" in foyer.game.json packs what it names.`]),
    ...(packages.length === 0
      ? []
      : [
          `Left out ${mib(bytes)} of ${count} for development. "development_packages": true in foyer.game.json packs them.`,
        ]),
  ];
}

/** Uploads the archive unless the game has the same bytes, and returns the build's id. */
export async function uploadArchive(
  client: Client,
  game_id: string,
  { file, sha256, size }: Archive,
  { signal }: Remote,
  progress: Progress,
): Promise<string> {
  const { builds } = await client.games.builds.listBuilds(game_id, { sha256 });
  if (builds[0] !== undefined) {
    progress.done("The service has this build already.");
    return builds[0].build_id;
  }
  let sent = 0;
  const upload = uploadClient(client.connection, file, signal, (bytes) => {
    sent += bytes;
    progress.update(`Uploading ${bar(sent, size)}`);
  });
  const { build_id } = await upload.games.builds.createBuild(game_id, new Uint8Array(), { sha256 });
  progress.done(`Uploaded the build ${build_id}.`);
  return build_id;
}
