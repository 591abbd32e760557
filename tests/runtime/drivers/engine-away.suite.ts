import { describe, expect, test } from "vitest";
import { LobbyNotStarted } from "../../../src/runtime/runtime.ts";
import { until } from "../../support/harness.ts";
import type { ContainerEngine } from "../../support/services/container-engine.ts";
import { containerDriver, containerLobby, stopAfterEach } from "./under-test.ts";

const image = "foyer-shell:1";
const forever = "exec sleep 1000";

/** The container engine ends and comes back while it has containers. */
export function describeEngineAway(engine: () => ContainerEngine): void {
  const { open, isGone } = containerDriver(engine, image);

  describe("an engine that does not answer", () => {
    stopAfterEach();

    test("[DK7] that ends while a lobby is started: the start continues when it is back, and there is one container", async () => {
      const driver = await open();
      const lobbies = [1, 2, 3].map(() => containerLobby(image, forever));
      const starting = lobbies.map((lobby) => driver.start(lobby));
      // The first request may be on its way by then, or done: each is a moment in the middle of a start.
      await until(() => driver.room() === 61);
      await engine().halt();
      await engine().resume();
      await Promise.all(starting);
      expect([...(await driver.list())].sort()).toEqual(lobbies.map(({ lobbyId }) => lobbyId).sort());
      for (const { lobbyId } of lobbies) {
        // biome-ignore lint/suspicious/noExplicitAny: the engine's API defines the shape.
        const { State } = (await engine().ask("GET", `/containers/foyer-${lobbyId}/json`)) as any;
        expect(State.Status).toBe("running");
      }
    });

    test("[DK7] says nothing about its containers: none counts as ended, and what is written meanwhile is in the log", async () => {
      const driver = await open();
      const script = "i=0; while :; do echo $i; i=$((i+1)); sleep 0.01; done";
      const [kept, lost] = [containerLobby(image, script), containerLobby(image, forever)];
      for (const lobby of [kept, lost]) await driver.start(lobby);
      // biome-ignore lint/suspicious/noExplicitAny: the engine's API defines the shape.
      const { State } = (await engine().ask("GET", `/containers/foyer-${lost.lobbyId}/json`)) as any;
      const count = async () => (await driver.logs(kept.lobbyId, "stdout", 100_000)).text.split("\n").length;
      await until(async () => (await count()) > 10);
      await engine().halt();
      process.kill(State.Pid, "SIGKILL");
      const before = await count();
      // Several attempts to reach the engine fail meanwhile.
      const started = performance.now();
      await until(() => performance.now() - started > 1_500);
      expect([driver.exits, (await driver.list()).length]).toEqual([[], 2]);
      await engine().resume();
      await until(() => driver.exits.length === 1);
      expect(driver.exits[0]!.lobbyId).toBe(lost.lobbyId);
      await until(async () => (await count()) > before + 150);
      await driver.stop(kept.lobbyId);
      const { text } = await driver.logs(kept.lobbyId, "stdout", 100_000);
      const lines = text.trimEnd().split("\n").map(Number);
      expect(lines).toEqual(lines.map((_, index) => index));
    });

    test("[DK7] a stop is carried out when the engine is back", async () => {
      const driver = await open();
      const lobby = containerLobby(image, forever);
      await driver.start(lobby);
      await engine().halt();
      const stopping = driver.stop(lobby.lobbyId);
      await engine().resume();
      expect(await stopping).not.toBe(null);
      await until(() => isGone(driver, lobby.lobbyId));
      expect(driver.exits).toEqual([]);
    });

    test("[DK7] starts and stops that wait for it end in time, and leave nothing behind when it is back", async () => {
      const driver = await open({ stopGraceMs: 100, docker: { waitMs: 400 } });
      const running = containerLobby(image, forever);
      await driver.start(running);
      engine().freeze();
      const waiting = Promise.allSettled([driver.start(containerLobby(image, forever)), driver.stop(running.lobbyId)]);
      await engine().halt();
      const [refused, stopped] = await waiting;
      expect(refused).toMatchObject({ reason: expect.any(LobbyNotStarted) });
      expect(refused).toMatchObject({
        reason: { isShortage: true, message: expect.stringContaining("FOYER_DOCKER_SOCKET") },
      });
      expect(stopped).toMatchObject({ reason: { message: expect.stringContaining("does not answer") } });
      await engine().resume();
      await until(() => driver.room() === 64);
      await until(() => isGone(driver, running.lobbyId));
      // What it is asked next, it does.
      const next = containerLobby(image, forever);
      await driver.start(next);
      expect(await driver.list()).toEqual([next.lobbyId]);
    });

    test("[DK7] a service that starts while it does not answer takes its containers over as they were", async () => {
      const before = await open();
      const lobby = containerLobby(image, forever);
      const ports = await before.start(lobby);
      await before.close();
      await engine().halt();
      const after = await open({ dataDir: before.dataDir });
      expect(await after.adopt(lobby.lobbyId, lobby.namespaceId)).toEqual(ports);
      await engine().resume();
      expect(await after.stop(lobby.lobbyId)).not.toBe(null);
    });
  });
}
