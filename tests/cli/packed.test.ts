import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isRunning } from "../runtime/driver.ts";
import { until } from "../support/harness.ts";
import { lobbyPids } from "../support/runtime-world.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What npm itself sets for the programs it runs would otherwise reach the npm that this test runs. */
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_|^FOYER_/i.test(name)));

test("[PK1] the packed service starts with npx in an empty folder, seats a player in the demo, and stops cleanly", async () => {
  const folder = temporaryFolder();
  const empty = join(folder, "empty");
  mkdirSync(empty);
  execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: root, env: environment });
  const tarball = readdirSync(folder).find((name) => /^foyer-server-.*\.tgz$/.test(name))!;

  const args = [
    "--yes",
    "--prefer-offline",
    `--package=${join(folder, tarball)}`,
    "foyer",
    "--port",
    "0",
    "--metrics-port",
    "0",
  ];
  let pids: number[] = [];
  const child = spawn("npx", args, { cwd: empty, env: environment, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  try {
    const url = await readAddress(child);
    const answers = await Promise.all(
      ["/readyz", "/openapi.json", "/play"].map(async (path) => (await fetch(url + path)).status),
    );
    expect(answers).toEqual([200, 200, 200]);
    // Cast: what the page reads.
    const { public_token } = (await (await fetch(`${url}/play/config.json`)).json()) as { public_token: string };
    const found = await fetch(`${url}/matchmaker/lobbies/find`, {
      method: "POST",
      headers: { authorization: `Bearer ${public_token}`, "content-type": "application/json" },
      body: JSON.stringify({ game_modes: ["arena"] }),
    });
    // It is answered when the packed server of the demo has said that it is ready.
    expect(found.status).toBe(200);
    expect(readdirSync(empty)).toEqual([".foyer"]);
    // The player's lobby, and the one that the demo keeps idle beside it.
    await until(() => lobbyPids(join(empty, ".foyer")).length === 2);
    pids = lobbyPids(join(empty, ".foyer"));
  } finally {
    // npx exits before the service does; the output is closed when both have.
    const closed = once(child, "close");
    process.kill(-child.pid!, "SIGINT");
    await closed;
  }
  expect(pids.filter(isRunning)).toEqual([]);
});

/** Where the service says that it listens. */
function readAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
        const address = /API +(http:\/\/127\.0\.0\.1:\d+)/.exec(text)?.[1];
        if (address !== undefined) resolve(address);
      });
    }
    child.on("exit", () => reject(new Error(`The packed service ended before it said where it listens:\n${text}`)));
  });
}
