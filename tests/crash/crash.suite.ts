import { beforeAll, expect, test } from "vitest";
import { ensureServerBuilt } from "../support/server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runCrashCycles } from "./cycles.ts";

export function crashes(cycles: number, seed: number): void {
  beforeAll(ensureServerBuilt, 120_000);

  test("[I10] [I13] [I18] [I22] a server that is killed under load has lost nothing that it acknowledged", {
    timeout: 240_000,
  }, async () => {
    const { acknowledgements, violations } = await runCrashCycles(temporaryFolder(), { cycles, seed });
    console.log(
      `crash: seed ${seed}, ${cycles} kills, ${acknowledgements} acknowledgements, ${violations.length} lost`,
    );
    expect(violations).toEqual([]);
    // A load that was killed before it did anything would prove nothing.
    expect(acknowledgements).toBeGreaterThan(cycles * 10);
  });
}
