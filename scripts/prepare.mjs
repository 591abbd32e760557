import { ensureBuilt, ensureDashboardBuilt } from "./ensure-built.mjs";
import { ensureInstalled } from "./ensure-installed.mjs";

/** Exits when something does not compile. */
export function buildOrExit({ withDashboard = false } = {}) {
  ensureInstalled();
  if (ensureBuilt() && (!withDashboard || ensureDashboardBuilt())) return;
  console.error("Foyer does not compile; see above.");
  process.exit(1);
}

/** From now on this process can import TypeScript. */
export async function allowTypeScript() {
  const { register } = await import("tsx/esm/api");
  register();
}
