import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** An id of the data folder, which distinguishes its containers from those of other services on the same engine. */
export interface Owner {
  /** Whether the data folder has ever had a container. */
  hasContainers(): boolean;
  /** Created for the first container. */
  id(): string;
}

export function createOwner(dataDir: string): Owner {
  const file = join(dataDir, "container-owner");
  const hasContainers = () => existsSync(file);
  let known: string | null = null;

  function read(): string {
    if (!hasContainers()) writeFileSync(file, `${randomUUID()}\n`, { mode: 0o600 });
    return readFileSync(file, "utf8").trim();
  }

  return {
    hasContainers,
    id() {
      known ??= read();
      return known;
    },
  };
}
