import { expect, test } from "vitest";
import { createMemoryJournal } from "../../../tests/support/memory-journal.ts";
import { becomeWritable } from "./memory-phases.ts";
import { createMemory, loseMemory } from "./memory-state.ts";

// Through the engine, a second outage that does not end would be a loop that lets nothing else run.
test("[DU4] the second outage of the journal ends like the first", async () => {
  const journal = createMemoryJournal();
  const memory = createMemory(journal, () => false);
  for (let outage = 1; outage <= 3; outage++) {
    loseMemory(memory);
    journal.isFailing = true;
    await expect(becomeWritable(memory)).rejects.toThrow("accepts no changes");
    expect(memory.phase).toBe("read-only");
    journal.isFailing = false;
    await becomeWritable(memory);
    expect(memory.phase).toBe("running");
  }
});
