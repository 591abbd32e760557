import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { ownPorts } from "./driver.ts";

/** Foyer's driver in a process that a shell has started with open files, and one lobby that lists its own. */
const program = `
  import { createProcessDriver } from "./src/runtime/process.ts";
  import { openServerParts } from "./src/runtime/server-parts.ts";
  import { createHoldings } from "./src/ground/shares.ts";
  const [dataDir, min, max] = process.argv.slice(1);
  const more = { processesMax: 1, stopGraceMs: 1000, logMaxBytes: 65536, now: Date.now, holdings: createHoldings() };
  const ports = { min: Number(min), max: Number(max) };
  const parts = openServerParts({ dataDir, hostname: "localhost", ports, bind: "127.0.0.1", ...more });
  const driver = await createProcessDriver(parts, { isEnabled: true, lobbyRoot: dataDir, user: null });
  const lobbyId = crypto.randomUUID();
  const ended = new Promise((resolve) => parts.exits.onExit(resolve));
  const args = ["-c", "for n in 5 57 90; do readlink /proc/self/fd/$n || echo none; done"];
  const program = { kind: "process", command: "/bin/sh", args, cwd: "." };
  await driver.start({ lobbyId, namespaceId: crypto.randomUUID(), env: {}, ports: {}, program });
  await ended;
  process.stdout.write((await parts.logs.piece(lobbyId, "stdout", 0, 1000)).bytes);
  await driver.close();`;

test("[RT3] files that Foyer was started with are not open in lobbies, whatever their number", () => {
  const shell = 'exec "$0" --import tsx --input-type=module -e "$@" 5</etc/hostname 57</etc/hostname 90</etc/hostname';
  const { min, max } = ownPorts();
  const args = ["-c", shell, process.execPath, program, temporaryFolder(), `${min}`, `${max}`];
  expect(execFileSync("bash", args, { encoding: "utf8" })).toBe("none\n/dev/null\n/dev/null\n");
});
