import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createDiskSpace, DiskFull } from "../../src/builds/disk-space.ts";
import { openReceiveBuilds } from "../../src/builds/receive-build.ts";
import { archive } from "../support/tar.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const mebibyte = 1024 * 1024;
/** A disk of 1,000 MiB, of which that much is free. */
const diskWith = (freeMib: number) =>
  createDiskSpace("", async () => ({ free: freeMib * mebibyte, total: 1_000 * mebibyte }));

async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}

test("[BU15] 5 % of the disk stay free; what is claimed and not yet written counts", async () => {
  const disk = diskWith(100);
  const first = await disk.claim(30 * mebibyte);
  expect(first).not.toBeNull();
  expect(await disk.claim(21 * mebibyte)).toBeNull();
  const second = await disk.claim(20 * mebibyte);
  expect(second).not.toBeNull();
  expect(await disk.claim(1)).toBeNull();
  first?.written(10 * mebibyte);
  expect(await disk.claim(10 * mebibyte)).not.toBeNull();
  first?.end();
  first?.end();
  second?.end();
  expect(await disk.claim(40 * mebibyte)).not.toBeNull();
  expect(await disk.claim(1)).toBeNull();
});

test("[BU15] an upload that the disk has no room for is refused before or while it comes, and leaves nothing", async () => {
  const folder = join(temporaryFolder(), "incoming");
  const bytes = archive([{ name: "a", content: "x" }]);
  const full = openReceiveBuilds(folder, diskWith(50));
  await expect(full.receive(inPieces(bytes), bytes.length)).rejects.toBeInstanceOf(DiskFull);
  await expect(full.receive(inPieces(bytes), null)).rejects.toBeInstanceOf(DiskFull);
  const roomy = openReceiveBuilds(folder, diskWith(60));
  await expect(roomy.receive(inPieces(bytes), 11 * mebibyte)).rejects.toBeInstanceOf(DiskFull);
  expect(readdirSync(folder)).toEqual([]);

  const received = await roomy.receive(inPieces(bytes), null);
  expect(readdirSync(folder)).toHaveLength(1);
  await received.discard();
  expect(readdirSync(folder)).toEqual([]);
});
