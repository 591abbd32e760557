import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { platform } from "node:os";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { until } from "../support/harness.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const program = fileURLToPath(new URL("../../src/cli/foyer.ts", import.meta.url));
const loader = import.meta.resolve("tsx");

/** More than Node needs at once to load the program: it opens many files of it at the same time. */
const limit = 1_000;

/** `foyer serve` with so many file descriptors at most. */
function start(descriptors: number) {
  const flags = ["--port=0", "--metrics-port=off", "--no-demo", "--log-format=json"];
  const command = [process.execPath, "--import", loader, program, ...flags];
  const child = spawn("sh", ["-c", `ulimit -n ${descriptors} && exec "$@"`, "sh", ...command], {
    cwd: temporaryFolder(),
    env: { PATH: process.env.PATH },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
  }
  return { child, text: () => text, ended: once(child, "exit") };
}

test("[T48] a process without free descriptors logs that and what to do, and continues when some are free", async () => {
  const { child, text, ended } = start(limit);
  const sockets: Socket[] = [];
  try {
    await until(() => text().includes("Stop with Ctrl-C") || child.exitCode !== null);
    expect(text()).toContain("Stop with Ctrl-C");
    // Only Linux tells a process its limit.
    if (platform() === "linux") {
      expect(text()).toMatch(
        new RegExp(`may have ${limit} files and connections open, and its settings allow for \\d+\\. Raise the limit`),
      );
    }
    const { hostname, port } = new URL(/API +(\S+)/.exec(text())![1]!);
    for (let i = 0; i < limit; i++) {
      const socket = connect(Number(port), hostname).on("error", () => {});
      sockets.push(socket);
    }
    await until(() => text().includes("out of file descriptors"));
    expect(text()).toContain('"code":"EMFILE"');
    for (const socket of sockets) socket.destroy();
    await until(async () => (await fetch(`http://${hostname}:${port}/readyz`).catch(() => null))?.status === 200);
  } finally {
    for (const socket of sockets) socket.destroy();
    child.kill("SIGTERM");
    await ended;
  }
});
