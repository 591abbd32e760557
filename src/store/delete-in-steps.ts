import { withoutLostRaces } from "./cache.ts";

const rowsPerStep = 1_000;

/**
 * A statement on SQLite holds up everything else, so that none may delete very many rows. `deleteSome` deletes at most so
 * many as it is given. Gives the number of rows deleted. Not by write(): what is pruned is no change for anybody.
 */
export async function deleteInSteps(
  deleteSome: (rowsMax: number) => Promise<{ readonly numDeletedRows: bigint }>,
  rowsMax = Number.POSITIVE_INFINITY,
): Promise<number> {
  for (let deleted = 0; ; ) {
    const step = Math.min(rowsPerStep, rowsMax - deleted);
    const { numDeletedRows } = await withoutLostRaces(() => deleteSome(step));
    deleted += Number(numDeletedRows);
    if (deleted >= rowsMax || numDeletedRows < step) return deleted;
  }
}
