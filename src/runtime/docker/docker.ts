import { every } from "../every.ts";
import { listPortNumbers } from "../process-ports.ts";
import { type DockerProgram, type Driver, LobbyNotStarted } from "../runtime.ts";
import type { ServerParts } from "../server-parts.ts";
import { listUnansweredPorts } from "../try-ports.ts";
import { containerPath } from "./container-spec.ts";
import { readAddress } from "./container-state.ts";
import { createContainers, createRunningContainer, type RunningContainer } from "./containers.ts";
import { createLogCopy } from "./copy-logs.ts";
import type { DockerOptions, DockerParts } from "./docker-parts.ts";
import { endContainer } from "./end-container.ts";
import { createEngine, EngineAway } from "./engine.ts";
import { followLogs } from "./follow-logs.ts";
import { createResolveImage } from "./images.ts";
import { createOwner } from "./owner.ts";
import { within } from "./patience.ts";
import { startContainer } from "./start-container.ts";
import { stopContainer } from "./stop-container.ts";
import { checkContainer, type OnNotRunning, syncContainers } from "./sync-containers.ts";
import { watchEvents } from "./watch-events.ts";

/**
 * One container per lobby, run by the container engine of this machine, so that it outlives the service. At the start
 * the driver takes over the containers of an earlier service. An engine that does not answer says nothing about its
 * containers: they count as running until it answers again.
 */
export async function createDockerDriver(shared: ServerParts, docker: DockerOptions): Promise<Driver<DockerProgram>> {
  const parts: DockerParts = {
    ...shared,
    docker,
    engine: createEngine(docker.socket),
    containers: createContainers(shared.slots),
    owner: createOwner(shared.options.dataDir),
  };
  const { containers, slots, records } = parts;
  for (const record of await records.readAll()) {
    if (record.kind !== "docker" || record.hasEnded) continue;
    containers.add(createRunningContainer({ ...record, memoryMib: record.memoryMib ?? 0 }));
    parts.ports.hold(listPortNumbers(record.ports));
  }
  const watch = createWatch(parts);
  if (parts.owner.hasContainers()) await watch.recover();
  const resolveImage = createResolveImage(parts.engine, docker);

  return {
    async start(lobby) {
      if (!docker.isEnabled) throw new LobbyNotStarted("This service runs no containers: see FOYER_RUNTIMES.");
      watch.begin();
      return startContainer(parts, lobby, resolveImage, watch.follow);
    },
    async stop(lobbyId) {
      const container = containers.get(lobbyId);
      return container ? stopContainer(parts, container, watch) : null;
    },
    list: async () => containers.all().flatMap(({ lobbyId, isEnding }) => (isEnding ? [] : [lobbyId])),
    async unansweredPorts(lobbyId) {
      const container = containers.get(lobbyId);
      if (!container) return null;
      // The engine itself listens on published ports, so the container is asked where it can be reached.
      return listUnansweredPorts(container.ports, shared.options.bind, await readAddress(parts.engine, lobbyId));
    },
    async adopt(lobbyId, namespaceId) {
      const container = containers.get(lobbyId);
      // Its end was noticed and is being handled: afterwards the caller can ask how it ended.
      if (container?.isEnding) await within(container.ended, docker.waitMs, "").catch(() => undefined);
      if (!container || container.isEnding) return null;
      slots.claim(lobbyId, namespaceId);
      return container.ports;
    },
    close: watch.close,
  };
}

/** Notices the ends of containers, by the engine's events and by asking it now and then. */
function createWatch(parts: DockerParts) {
  const { engine, docker, containers, logs, records, owner } = parts;
  const stopping = new AbortController();
  const isClosed = () => stopping.signal.aborted;
  let timer: NodeJS.Timeout | undefined;
  let isAway = false;

  const onNotRunning: OnNotRunning = async (container, state) => {
    const exit = state.status === "ended" ? state.exit : { code: null, signal: null };
    await endContainer(parts, container, exit, isClosed);
  };

  async function sync(): Promise<void> {
    try {
      await syncContainers(parts, onNotRunning);
      if (isAway) docker.log.info({ socket: docker.socket }, "the container engine answers again");
      isAway = false;
    } catch (error) {
      if (isAway || !(error instanceof EngineAway) || isClosed()) return;
      isAway = true;
      const message = "the container engine does not answer; its containers count as running, and Foyer tries again";
      docker.log.warn({ err: error, socket: docker.socket }, message);
    }
  }

  function check(lobbyId: string): void {
    const container = containers.get(lobbyId);
    // When the engine does not answer, the next sync asks again.
    if (container && !isClosed()) void checkContainer(parts, container, onNotRunning).catch(() => undefined);
  }

  function follow(container: RunningContainer): void {
    const { lobbyId } = container;
    const copy = createLogCopy(logs, records.folderPath(lobbyId), lobbyId);
    container.logs = followLogs(engine, containerPath(lobbyId), copy, docker.backoff, () => check(lobbyId));
  }

  /** From the first container on: a service that runs none never asks the engine. */
  function begin(): void {
    if (timer !== undefined || isClosed()) return;
    timer = every(docker.syncEveryMs, sync);
    const onConnected = () => void sync();
    void watchEvents(
      { engine, owner: owner.id(), backoff: docker.backoff, onEvent: check, onConnected },
      stopping.signal,
    );
  }

  return {
    begin,
    check,
    follow,
    isClosed,
    /** Handles what happened while the service was down, unless the engine does not answer in time. */
    async recover(): Promise<void> {
      const left = containers.all();
      for (const container of left) follow(container);
      if (left.length > 0) begin();
      // Without a container there is nothing to wait for; what a crash left behind is removed meanwhile.
      const syncing = left.length > 0 ? sync() : syncContainers(parts, onNotRunning).catch(() => undefined);
      // The end of its output may have shown first that one has ended. Its exit must be known before others can ask.
      const handled = syncing.then(() => Promise.all(left.map(({ isEnding, ended }) => isEnding && ended)));
      if (left.length > 0) await within(handled, docker.waitMs, "").catch(() => undefined);
    },
    async close(): Promise<void> {
      stopping.abort();
      clearInterval(timer);
      for (const { logs: follower } of containers.all()) follower?.close();
    },
  };
}
