import { withoutLostRaces } from "./cache.ts";

const rowsPerStep = 1_000;

/**
 * A statement on SQLite blocks everything else, so no statement may delete very many rows. `deleteSome` deletes at most
 * the given number. Returns the number of deleted rows. Does not use write(): pruned rows are not in any cache.
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
