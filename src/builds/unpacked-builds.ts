import { createHash, randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { chmod, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StoreUnavailable } from "../ground/unavailable.ts";
import { type Claims, createClaims, DiskFull, type DiskSpace } from "./disk-space.ts";
import { InvalidBuild } from "./invalid-build.ts";
import { removeUnpacked, unpackArchive } from "./unpack-archive.ts";

/** What is to be unpacked. */
interface BuildToUnpack {
  readonly buildId: string;
  readonly sha256: string;
  readonly size: number;
}

/** The folders of builds on this machine: each is unpacked once, and lobbies run in it. */
export interface UnpackedBuilds {
  /** The folder of the build's files. `read` gives the archive, which is checked; null: its bytes are not there. */
  prepare(build: BuildToUnpack, read: () => Promise<AsyncIterable<Buffer> | null>): Promise<string>;
  /** Those whose folders are there. */
  list(): readonly string[];
  /** The lobby runs in the build's folder, which stays as long as the lobby's server does. */
  noteUse(buildId: string, lobbyId: string): Promise<void>;
  /** Removes the folders of other builds, unless a lobby that runs uses them. */
  removeOthers(buildIds: ReadonlySet<string>, isRunning: (lobbyId: string) => boolean): Promise<void>;
  /** Unpacking that is under way ends with StoreUnavailable. */
  stop(): void;
}

/** The build cannot be unpacked; the message is for operators and contains no path. */
export class NotUnpacked extends Error {
  override readonly name = "NotUnpacked";
}

const markerName = "unpacked.json";
const filesName = "files";
const usesName = "lobbies";
const draftPrefix = "new-";

/**
 * `folder` is for this alone. What a killed service left half-made there is removed. After a restart of the machine
 * everything is unpacked again: the files were not synced, so they may be damaged.
 */
export async function openUnpackedBuilds(
  folder: string,
  options: { readonly isOpenToOthers: boolean; readonly disk: DiskSpace; wallClock(): number },
): Promise<UnpackedBuilds> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Another user's lobbies pass through it.
  chmodSync(folder, options.isOpenToOthers ? 0o711 : 0o700);
  const { wallClock, disk } = options;
  const boot = readBootId();
  const ready = new Set<string>();
  let isStopped = false;
  const preparing = new Map<string, Promise<string>>();
  for (const name of readdirSync(folder)) {
    if (isUnpacked(join(folder, name), boot)) ready.add(name);
    else await removeUnpacked(join(folder, name));
  }
  const filesOf = (buildId: string) => join(folder, buildId, filesName);
  /** It may have been removed by hand. */
  const isThere = (buildId: string) => ready.has(buildId) && existsSync(filesOf(buildId));

  async function unpack(build: BuildToUnpack, read: () => Promise<AsyncIterable<Buffer> | null>): Promise<string> {
    const { buildId } = build;
    const draft = join(folder, `${draftPrefix}${randomUUID()}`);
    try {
      await mkdir(join(draft, usesName), { recursive: true, mode: 0o700 });
      // Whatever the service's umask is.
      await chmod(draft, 0o711);
      const claims = createClaims(disk);
      try {
        await unpackChecked(build, await read(), join(draft, filesName), { claims, isStopped: () => isStopped });
      } finally {
        claims.end();
      }
      await writeFile(join(draft, markerName), JSON.stringify({ sha256: build.sha256, boot }), { mode: 0o600 });
      // What is left of one that was removed by hand.
      await removeUnpacked(join(folder, buildId));
      await rename(draft, join(folder, buildId));
    } catch (error) {
      await removeUnpacked(draft);
      throw toNotUnpacked(error);
    }
    ready.add(buildId);
    return filesOf(buildId);
  }

  return {
    async prepare(build, read) {
      const { buildId } = build;
      if (isThere(buildId)) return filesOf(buildId);
      ready.delete(buildId);
      const known = preparing.get(buildId);
      if (known) return known;
      const started = unpack(build, read).finally(() => preparing.delete(buildId));
      preparing.set(buildId, started);
      return started;
    },
    list: () => [...ready].filter(isThere),
    noteUse: (buildId, lobbyId) => writeFile(join(folder, buildId, usesName, lobbyId), ""),
    async removeOthers(buildIds, isRunning) {
      for (const buildId of [...ready].filter((each) => !buildIds.has(each))) {
        const uses = join(folder, buildId, usesName);
        if (await forgetEnded(uses, isRunning, wallClock())) continue;
        ready.delete(buildId);
        await removeUnpacked(join(folder, buildId));
      }
      for (const buildId of ready) await forgetEnded(join(folder, buildId, usesName), isRunning, wallClock());
    },
    stop() {
      isStopped = true;
    },
  };
}

async function unpackChecked(
  build: BuildToUnpack,
  chunks: AsyncIterable<Buffer> | null,
  folder: string,
  { claims, isStopped }: { readonly claims: Claims; isStopped(): boolean },
): Promise<void> {
  if (chunks === null) {
    throw new NotUnpacked(`The bytes of the build ${build.buildId} are missing. Upload the same archive again.`);
  }
  const hash = createHash("sha256");
  let size = 0;
  async function* counted(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      if (isStopped()) throw new StoreUnavailable("The service is stopping.");
      hash.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  }
  await unpackArchive(counted(chunks), folder, claims.take);
  if (size !== build.size || hash.digest("hex") !== build.sha256) {
    throw new InvalidBuild("its SHA-256 is another one");
  }
}

function toNotUnpacked(error: unknown): unknown {
  if (error instanceof InvalidBuild) {
    const message = "The stored bytes of the build are damaged. Delete the build and upload it again.";
    return new NotUnpacked(message, { cause: error });
  }
  if (error instanceof DiskFull || (error as NodeJS.ErrnoException).code === "ENOSPC") {
    const message = "The disk of the machine is full, so the build could not be unpacked: 5 % of it stay free.";
    return new NotUnpacked(message, { cause: error });
  }
  return error;
}

/** A lobby notes its use shortly before its server is started. */
const startWithinMs = 60_000;

/** Forgets the uses by lobbies whose servers have ended. Whether others are left. */
async function forgetEnded(uses: string, isRunning: (lobbyId: string) => boolean, now: number): Promise<boolean> {
  let isUsed = false;
  for (const lobbyId of await readdir(uses).catch(() => [])) {
    const file = join(uses, lobbyId);
    const { mtimeMs } = await stat(file);
    if (isRunning(lobbyId) || mtimeMs > now - startWithinMs) isUsed = true;
    else await rm(file, { force: true });
  }
  return isUsed;
}

function isUnpacked(folder: string, boot: string): boolean {
  try {
    return JSON.parse(readFileSync(join(folder, markerName), "utf8")).boot === boot;
  } catch {
    return false;
  }
}

/** Another one after each restart of the machine. Without one (no Linux) the folders are trusted. */
function readBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}
