import { statfs } from "node:fs/promises";

/** Keeps a part of the disk free: Foyer itself needs it, and the machine does. */
export interface DiskSpace {
  /** Null: less than 5 % of the disk would be left. The space counts as taken until it is written or given back. */
  claim(bytes: number): Promise<SpaceClaim | null>;
}

interface SpaceClaim {
  /** So much of it is on the disk now. */
  written(bytes: number): void;
  end(): void;
}

const keptShare = 0.05;

export function createDiskSpace(folder: string, read: typeof readDisk = readDisk): DiskSpace {
  let claimed = 0;
  return {
    async claim(bytes) {
      claimed += bytes;
      let left = bytes;
      const take = (part: number) => {
        const taken = Math.min(part, left);
        left -= taken;
        claimed -= taken;
      };
      const { free, total } = await read(folder);
      if (free - claimed >= total * keptShare) return { written: take, end: () => take(left) };
      take(left);
      return null;
    },
  };
}

async function readDisk(folder: string): Promise<{ readonly free: number; readonly total: number }> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}

/** Less than 5 % of the disk would be left. */
export class DiskFull extends Error {
  override readonly name = "DiskFull";
}

/** So much is claimed at a time when the size is not known before. */
const claimBytes = 8 * 1024 * 1024;

/** The space that one upload or one unpacking has claimed so far, more of it as it grows. */
export interface Claims {
  claim(bytes: number): Promise<void>;
  take(bytes: number): Promise<void>;
  end(): void;
}

export function createClaims(disk: DiskSpace): Claims {
  const claims: SpaceClaim[] = [];
  let left = 0;

  async function claim(bytes: number): Promise<void> {
    const made = await disk.claim(bytes);
    if (made === null) throw new DiskFull("Less than 5 % of the disk would be left.");
    claims.push(made);
    left += bytes;
  }

  return {
    claim,
    async take(bytes) {
      if (bytes > left) await claim(Math.max(bytes, claimBytes));
      left -= bytes;
      claims.at(-1)?.written(bytes);
    },
    end() {
      for (const each of claims) each.end();
    },
  };
}
