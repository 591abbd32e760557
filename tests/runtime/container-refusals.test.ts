import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { DockerProgram, LobbyToStart } from "../../src/runtime/runtime.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { openDriver } from "./driver.ts";

const reason = "crun: cannot set up the cgroup for the container: `/sys/fs/cgroup` is read-only\nOCI runtime error.";

/** An engine that has every image, and can start no container, as Podman with a runtime that does not fit. */
async function startUnableEngine(pullReason?: string): Promise<{ socket: string; asked: string[] }> {
  const socket = join(temporaryFolder(), "engine.sock");
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume().once("end", () => {
      if (request.url?.endsWith("/start")) return response.writeHead(500).end(JSON.stringify({ message: reason }));
      if (pullReason !== undefined && /images\/[^?]*\/json/.test(request.url ?? ""))
        return response.writeHead(404).end();
      // The answer to a pull begins before the engine knows how it ends.
      const lines = [{ status: "Pulling from game" }, { error: pullReason }].map((line) => JSON.stringify(line));
      if (pullReason !== undefined && request.url?.includes("/images/create")) return response.end(lines.join("\n"));
      response.writeHead(200, { "api-version": "1.41" }).end(JSON.stringify({ Id: "sha256:1" }));
    });
  }).listen(socket);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return { socket, asked };
}

const program: DockerProgram = {
  ...{ kind: "docker", image: "game:1", versionId: randomUUID(), command: null, args: null, network: "bridge" },
  ...{ memoryMib: 64, cpus: null, pids: 10, pull: "missing", isReadOnly: true, user: null },
};

function someLobby(): LobbyToStart {
  return {
    lobbyId: randomUUID(),
    namespaceId: randomUUID(),
    env: {},
    ports: { default: { protocol: "tcp" } },
    program,
  };
}

test("[DK13] the engine's own reason is what the operator reads, in one line", async () => {
  const { socket } = await startUnableEngine();
  const driver = await openDriver({ docker: { isEnabled: true, socket } });
  onTestFinished(() => driver.close());
  const refused = driver.start(someLobby());
  await expect(refused).rejects.toMatchObject({
    name: "LobbyNotStarted",
    message:
      "The container engine could not start the container: crun: cannot set up the cgroup for the container: " +
      "`/sys/fs/cgroup` is read-only OCI runtime error (status 500).",
  });
  expect([await driver.list(), driver.room()]).toEqual([[], 64]);
});

test("[DK13] a pull that the engine refuses is reported in the words of the engine", async () => {
  const { socket } = await startUnableEngine('unauthorized: "game" needs\na login.');
  const driver = await openDriver({ docker: { isEnabled: true, socket } });
  onTestFinished(() => driver.close());
  await expect(driver.start(someLobby())).rejects.toMatchObject({
    name: "LobbyNotStarted",
    message:
      'The image game:1 could not be pulled: unauthorized: "game" needs a login. Check its name and its registry, or load it by hand.',
  });
  expect([await driver.list(), driver.room()]).toEqual([[], 64]);
});

test("[DK12] an image that the settings no longer allow is not started, and the engine is not asked for it", async () => {
  const { socket, asked } = await startUnableEngine();
  const findImageIssue = (image: string) => (image === "game:1" ? "is not allowed" : null);
  const driver = await openDriver({ docker: { isEnabled: true, socket, findImageIssue } });
  onTestFinished(() => driver.close());
  await expect(driver.start(someLobby())).rejects.toThrow("The image game:1 is not allowed");
  expect(asked.filter((each) => each.includes("image") || each.includes("create"))).toEqual([]);
});
