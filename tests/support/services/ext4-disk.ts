import { mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { temporaryFolder } from "../temporary-folder.ts";
import { readOutput, run } from "./programs.ts";

/** A small disk of its own, which can fail while files on it are open. */
export interface Ext4Disk {
  /** A folder on it. */
  readonly folder: string;
  /** What the kernel does after an error of the disk: from now on it refuses every write, also to open files. */
  becomeReadOnly(): void;
  /** Makes everything in the folder immutable, or takes that back. Also for open files. */
  setImmutable(isImmutable: boolean): Promise<void>;
  /** Unmounts it, checks it as at a boot of the machine, and mounts it again. No file on it may be open. */
  repair(): Promise<void>;
  remove(): Promise<void>;
}

const megabytes = 64;

/** A file system in a file. A remount as read-only would be refused while files are open, an error of the disk is not. */
export async function openExt4Disk(): Promise<Ext4Disk> {
  const place = temporaryFolder();
  const [image, mount] = [join(place, "image"), join(place, "mount")];
  const folder = join(mount, "data");
  mkdirSync(mount);
  writeFileSync(image, "");
  truncateSync(image, megabytes * 1024 * 1024);
  await run("mkfs.ext4", ["-q", "-F", image]).catch(explain);
  const device = await readOutput("losetup", ["--find", "--show", image]).catch(explain);
  const attach = () => run("mount", ["-o", "errors=remount-ro", device, mount]);
  await attach().catch(async (error: unknown) => {
    await run("losetup", ["--detach", device]);
    return explain(error);
  });
  mkdirSync(folder);
  return {
    folder,
    becomeReadOnly: () => writeFileSync(`/sys/fs/ext4/${basename(device)}/trigger_fs_error`, "1"),
    setImmutable: (isImmutable) => run("chattr", ["-R", isImmutable ? "+i" : "-i", folder]),
    async repair() {
      await run("umount", [mount]);
      // Its exit code 1 means that it repaired something.
      await run("e2fsck", ["-p", device]).catch((error: Error) => {
        if (!error.message.includes("ended with 1.")) throw error;
      });
      await attach();
    },
    async remove() {
      await run("chattr", ["-R", "-i", folder]).catch(() => undefined);
      await run("umount", ["--lazy", mount]);
      await run("losetup", ["--detach", device]);
      rmSync(image);
    },
  };
}

function explain(error: unknown): never {
  throw new Error(
    "The tests of failing disks need mkfs.ext4, loop devices and the right to mount: run `npm run setup`, and run the " +
      "tests as root, in a container with --privileged.",
    { cause: error },
  );
}
