import { spawnSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createDiskSpace } from "../../src/builds/disk-space.ts";
import { openUnpackedBuilds } from "../../src/builds/unpacked-builds.ts";
import { archive } from "../support/tar.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const roomyDisk = createDiskSpace("/nowhere", async () => ({ free: 1e12, total: 1e12 }));
const options = { isOpenToOthers: false, disk: roomyDisk, wallClock: Date.now };

function someBuild(content = "play") {
  const bytes = archive([{ name: "server", content, mode: 0o755 }]);
  const build = {
    buildId: randomUUID(),
    sha256: createHash("sha256").update(bytes).digest("hex"),
    size: bytes.length,
  };
  let reads = 0;
  const read = async () => {
    reads += 1;
    return (async function* () {
      yield bytes;
    })();
  };
  return { build, bytes, read, reads: () => reads };
}

test("[BU16] a build is unpacked once, for all who wait for it, and found again after a restart", async () => {
  const folder = temporaryFolder();
  const unpacked = await openUnpackedBuilds(folder, options);
  const { build, read, reads } = someBuild();
  const places = await Promise.all([1, 2, 3].map(() => unpacked.prepare(build, read)));
  expect(new Set(places).size).toBe(1);
  expect(readFileSync(join(places[0]!, "server"), "utf8")).toBe("play");
  expect(reads()).toBe(1);
  expect(statSync(folder).mode & 0o777).toBe(0o700);

  const later = await openUnpackedBuilds(folder, { ...options, isOpenToOthers: true });
  expect(await later.prepare(build, read)).toBe(places[0]);
  expect([later.list(), reads(), statSync(folder).mode & 0o777]).toEqual([[build.buildId], 1, 0o711]);
});

test("[BU16] what was half-made, or unpacked before the machine restarted, is removed and made again", async () => {
  const folder = temporaryFolder();
  const { build, read, reads } = someBuild();
  await (await openUnpackedBuilds(folder, options)).prepare(build, read);
  writeFileSync(
    join(folder, build.buildId, "unpacked.json"),
    JSON.stringify({ sha256: build.sha256, boot: "another" }),
  );
  mkdirSync(join(folder, "new-half/files/a"), { recursive: true });
  const later = await openUnpackedBuilds(folder, options);
  expect(readdirSync(folder)).toEqual([]);
  await later.prepare(build, read);
  expect(reads()).toBe(2);
});

test("[BU16] a build whose folder was removed by hand is unpacked again, also what is left of it", async () => {
  const folder = temporaryFolder();
  const unpacked = await openUnpackedBuilds(folder, options);
  const { build, read, reads } = someBuild();
  for (const removed of [build.buildId, join(build.buildId, "files")]) {
    await unpacked.prepare(build, read);
    rmSync(join(folder, removed), { recursive: true });
    expect(unpacked.list()).toEqual([]);
    const places = await Promise.all([1, 2].map(() => unpacked.prepare(build, read)));
    expect(readFileSync(join(places[0]!, "server"), "utf8")).toBe("play");
    expect([unpacked.list(), readdirSync(folder)]).toEqual([[build.buildId], [build.buildId]]);
    await unpacked.noteUse(build.buildId, randomUUID());
  }
  expect(reads()).toBe(3);
});

test("[BU13] a build that would leave less than 5 % of the disk free is not unpacked, and its bytes are given back", async () => {
  const folder = temporaryFolder();
  let free = 60_000_000;
  const sizeOf = (path: string): number =>
    statSync(path).isDirectory()
      ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
      : statSync(path).size;
  const disk = createDiskSpace("", async () => ({ free: free - sizeOf(folder), total: 1_000_000_000 }));
  const unpacked = await openUnpackedBuilds(folder, { ...options, disk });
  // It is small until it is unpacked.
  const { build, read } = someBuild("0".repeat(20_000_000));
  for (let tries = 0; tries < 3; tries++) {
    await expect(unpacked.prepare(build, read)).rejects.toThrow(/^The disk of the machine is full/);
    expect([unpacked.list(), readdirSync(folder)]).toEqual([[], []]);
  }
  free = 80_000_000;
  await unpacked.prepare(build, read);
});

test("[BU13] bytes that are missing, cut off or others leave nothing, and the next try may succeed", async () => {
  const folder = temporaryFolder();
  const unpacked = await openUnpackedBuilds(folder, options);
  const { build, bytes, read } = someBuild();
  const other = someBuild("evil");
  const cut = async () =>
    (async function* () {
      yield bytes.subarray(0, 40);
    })();
  await expect(unpacked.prepare(build, async () => null)).rejects.toThrow("missing");
  await expect(unpacked.prepare(build, cut)).rejects.toThrow("damaged");
  await expect(unpacked.prepare(build, other.read)).rejects.toThrow("damaged");
  expect([unpacked.list(), readdirSync(folder)]).toEqual([[], []]);
  await unpacked.prepare(build, read);
});

test("[BU17] the folder of a deleted build is removed when no lobby uses it", async () => {
  const folder = temporaryFolder();
  const unpacked = await openUnpackedBuilds(folder, options);
  const [kept, used] = [someBuild("kept"), someBuild("used")];
  for (const { build, read } of [kept, used]) await unpacked.prepare(build, read);
  const [lobbyId, starting] = [randomUUID(), randomUUID()];
  for (const id of [lobbyId, starting]) await unpacked.noteUse(used.build.buildId, id);
  const known = new Set([kept.build.buildId]);
  const isThere = () => existsSync(join(folder, used.build.buildId));
  /** As if the lobbies had been started some time ago. */
  const age = (id: string) => utimesSync(join(folder, used.build.buildId, "lobbies", id), 0, 0);

  // Neither runs yet, but both may be about to.
  await unpacked.removeOthers(known, () => false);
  expect(isThere()).toBe(true);
  age(lobbyId);
  age(starting);
  await unpacked.removeOthers(known, (id) => id === lobbyId);
  expect([isThere(), readdirSync(join(folder, used.build.buildId, "lobbies"))]).toEqual([true, [lobbyId]]);
  // The next process of the service knows the lobby too.
  const later = await openUnpackedBuilds(folder, options);
  await later.removeOthers(known, (id) => id === lobbyId);
  expect(isThere()).toBe(true);
  await later.removeOthers(known, () => false);
  expect([isThere(), later.list()]).toEqual([false, [kept.build.buildId]]);
});

test("[BU22] another user can read and run a build, and cannot change it", async () => {
  // Only root can act as another user.
  if (process.getuid?.() !== 0) return;
  const folder = temporaryFolder();
  chmodSync(folder, 0o711);
  const before = process.umask(0o077);
  const unpacked = await openUnpackedBuilds(join(folder, "unpacked"), { ...options, isOpenToOthers: true });
  const { build, read } = someBuild("#!/bin/sh\necho it runs\n");
  const place = await unpacked.prepare(build, read).finally(() => process.umask(before));
  const asNobody = (script: string) =>
    spawnSync("/bin/sh", ["-c", script], { uid: 65_534, gid: 65_534, cwd: "/", encoding: "utf8" });
  expect(asNobody(`cd ${place} && ./server`).stdout).toBe("it runs\n");
  for (const change of ["echo x >server", "rm -f server", "chmod 777 server", "echo x >more", "mv server other"]) {
    expect([change, asNobody(`cd ${place} && ${change}`).status === 0]).toEqual([change, false]);
  }
  expect(asNobody(`cat ${place}/../unpacked.json || ls ${place}/../lobbies`).status === 0).toBe(false);
});
