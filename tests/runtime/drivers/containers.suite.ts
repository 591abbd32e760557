import { randomUUID } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { describeExit } from "../../../src/runtime/how-it-ended.ts";
import { until } from "../../support/harness.ts";
import type { ContainerEngine } from "../../support/services/container-engine.ts";
import { type Driver, ownPorts, shellLobby } from "../driver.ts";
import { containerDriver, containerLobby, stopAfterEach } from "./under-test.ts";

const image = "foyer-shell:1";
const forever = "exec sleep 1000";

/** What containers promise besides what every driver does. */
export function describeContainers(engine: () => ContainerEngine): void {
  const { open, isGone } = containerDriver(engine, image);
  const inspect = async (lobbyId: string) =>
    // biome-ignore lint/suspicious/noExplicitAny: the engine's API defines the shape.
    (await engine().ask("GET", `/containers/foyer-${lobbyId}/json`)) as any;
  const text = async (driver: Driver, lobbyId: string) => (await driver.logs(lobbyId, "stdout", 100_000)).text;

  describe("a container", () => {
    stopAfterEach();

    test("[DK3] has no capabilities, no new privileges, an init, its limits, and files that cannot be changed", async () => {
      const driver = await open();
      const script =
        "cat /proc/self/status; cat /proc/1/comm; id -u; touch /x || echo read-only; touch /tmp/x && echo writable; exec sleep 1000";
      const lobby = containerLobby(image, script, { program: { user: "player", memoryMib: 96, pids: 50, cpus: 0.5 } });
      await driver.start(lobby);
      await until(async () => (await text(driver, lobby.lobbyId)).includes("writable"));
      const seen = await text(driver, lobby.lobbyId);
      for (const set of ["CapEff", "CapPrm", "CapBnd"]) expect(seen).toMatch(new RegExp(`${set}:\\s+0{16}\n`));
      expect(seen).toMatch(/NoNewPrivs:\s+1\n/);
      expect(seen).toMatch(/-init\n1234\nread-only\nwritable\n$/);
      const { HostConfig } = await inspect(lobby.lobbyId);
      expect([HostConfig.Memory, HostConfig.PidsLimit, HostConfig.NanoCpus]).toEqual([96 * 1024 * 1024, 50, 5e8]);
      expect([HostConfig.Privileged, HostConfig.Binds ?? [], HostConfig.Devices ?? []]).toEqual([false, [], []]);
    });

    test("[DV3] [DV4] shares slots and ports with the processes of the same machine, and each is stopped by its own driver", async () => {
      const { min } = ownPorts(1);
      const driver = await open({ processesMax: 2, ports: { min, max: min + 2 } });
      const [container, program] = [containerLobby(image, forever), shellLobby(forever)];
      const ports = [await driver.start(container), await driver.start(program)];
      expect(new Set(ports.map(({ default: port }) => port!.port)).size).toBe(2);
      expect([...(await driver.list())].sort()).toEqual([container.lobbyId, program.lobbyId].sort());
      for (const more of [containerLobby(image, forever), shellLobby(forever)]) {
        await expect(driver.start(more)).rejects.toThrow(/FOYER_MAX_LOBBY_PROCESSES/);
      }
      await driver.stop(container.lobbyId);
      expect([await driver.list(), driver.room()]).toEqual([[program.lobbyId], 1]);
      await driver.stop(program.lobbyId);
      expect(driver.room()).toBe(2);
    });

    test("[DK3] runs the image's own program when the version names none", async () => {
      const driver = await open();
      const lobby = containerLobby(image, "", { program: { command: null, args: ["echo", "mine"] } });
      await driver.start(lobby);
      await until(() => driver.exits.length === 1);
      expect(await text(driver, lobby.lobbyId)).toBe("mine\n");
    });

    test("[DK4] publishes each port under its own number, and gateway ports for this machine alone", async () => {
      const driver = await open();
      const ports = {
        game: { protocol: "tcp" },
        voice: { protocol: "udp" },
        page: { protocol: "http", routing: "gateway" },
      };
      const lobby = containerLobby(image, "exec nc -ll -p $PORT_GAME -e /bin/echo hello", { ports });
      const announced = await driver.start(lobby);
      const { HostConfig } = await inspect(lobby.lobbyId);
      const bindings = Object.entries(
        HostConfig.PortBindings as Record<string, { HostIp: string; HostPort: string }[]>,
      );
      const { game, voice, page } = announced;
      expect(bindings.map(([key, [to]]) => [key, to!.HostIp || "0.0.0.0", to!.HostPort]).sort()).toEqual(
        [
          [`${game!.port}/tcp`, "0.0.0.0", String(game!.port)],
          [`${voice!.port}/udp`, "0.0.0.0", String(voice!.port)],
          [`${page!.port}/tcp`, "127.0.0.1", String(page!.port)],
        ].sort(),
      );
      await until(async () => (await readFrom(game!.port)) === "hello\n");
      // The engine listens on all of them; only in the container it shows what does.
      expect(await driver.unansweredPorts(lobby.lobbyId)).toEqual([{ label: "page", port: page!.port }]);
    });

    test("[DK4] has the network of the machine when its version says so", async () => {
      const driver = await open();
      const lobby = containerLobby(image, "exec nc -ll -p $PORT -e /bin/echo hello", {
        program: { network: "host" },
      });
      const { default: port } = await driver.start(lobby);
      await until(async () => (await readFrom(port!.port)) === "hello\n");
      expect(await driver.unansweredPorts(lobby.lobbyId)).toEqual([]);
    });

    test("[DK5] says in its labels whose it is, and nothing secret", async () => {
      const driver = await open();
      const lobby = containerLobby(image, forever, { env: { FOYER_TOKEN: "lobby_secret" } });
      await driver.start(lobby);
      const { Config } = await inspect(lobby.lobbyId);
      expect(Config.Labels).toMatchObject({
        "foyer.owner": expect.stringMatching(/^[0-9a-f-]{36}$/),
        "foyer.node": "node",
        "foyer.namespace": lobby.namespaceId,
        "foyer.lobby": lobby.lobbyId,
      });
      expect(JSON.stringify(Config.Labels)).not.toContain("secret");
    });

    test("[DK8] that ran out of memory is reported as such", async () => {
      const driver = await open();
      const lobby = containerLobby(image, "tail /dev/zero", { program: { memoryMib: 16 } });
      await driver.start(lobby);
      await until(() => driver.exits.length === 1);
      const [{ exit }] = driver.exits as [Driver["exits"][number]];
      const words = describeExit(exit, { wasReady: true, output: "" });
      // Podman does not notice it on every machine; then it is a SIGKILL that Foyer did not send.
      if (engine().kind === "podman" && !exit.isOutOfMemory) {
        expect(words).toMatch(/^Its process was killed by SIGKILL, which Foyer did not send: .* out of memory/);
        return;
      }
      expect(exit).toEqual({ code: null, signal: "SIGKILL", isOutOfMemory: true, memoryMib: 16 });
      expect(words).toBe("Its process ran out of memory: its container may use 16 MiB (memory_mib).");
    });

    test("[DK8] that ended while no service ran is found with its exit code and its last output, and removed", async () => {
      const before = await open();
      const lobby = containerLobby(image, "while [ ! -e /tmp/end ]; do sleep 0.05; done; echo bye; exit 7");
      await before.start(lobby);
      await before.close();
      const { State } = await inspect(lobby.lobbyId);
      // As the lobby itself would.
      await createFile(`/proc/${State.Pid}/root/tmp/end`);
      await until(async () => (await inspect(lobby.lobbyId)).State.Status === "exited");
      const after = await open({ dataDir: before.dataDir });
      expect(await after.adopt(lobby.lobbyId, lobby.namespaceId)).toBe(null);
      expect(after.exitOf(lobby.lobbyId)).toEqual({ code: 7, signal: null });
      expect(await text(after, lobby.lobbyId)).toBe("bye\n");
      expect(await isGone(after, lobby.lobbyId)).toBe(true);
      await after.close();
      // And the next one still knows it, from its record.
      const third = await open({ dataDir: before.dataDir });
      expect(third.exitOf(lobby.lobbyId)).toEqual({ code: 7, signal: null });
    });

    test("[DK9] that no lobby needs is removed if it is of this data folder, and left alone otherwise", async () => {
      const driver = await open();
      const known = containerLobby(image, forever);
      await driver.start(known);
      const { Config } = await inspect(known.lobbyId);
      const create = async (owner: string) => {
        const lobbyId = randomUUID();
        const Labels = { "foyer.owner": owner, "foyer.lobby": lobbyId };
        const body = { Image: image, Entrypoint: ["/bin/sleep"], Cmd: ["1000"], Labels };
        await engine().ask("POST", "/containers/create", { query: { name: `foyer-${lobbyId}` }, body });
        return lobbyId;
      };
      const foreign = await create(randomUUID());
      const leftover = await create(Config.Labels["foyer.owner"]);
      await until(() => isGone(driver, leftover));
      expect(await isGone(driver, known.lobbyId)).toBe(false);
      expect(await isGone(driver, foreign)).toBe(false);
      await engine().ask("DELETE", `/containers/foyer-${foreign}`, { query: { force: "true" } });
    });
  });
}

/** What a port says to whoever connects; empty: nothing does. */
function readFrom(port: number): Promise<string> {
  return new Promise((resolve) => {
    let said = "";
    const socket = connect(port, "127.0.0.1");
    socket.setEncoding("utf8").on("data", (piece: string) => {
      said += piece;
    });
    socket.on("error", () => undefined);
    socket.once("close", () => resolve(said));
  });
}

/** Inside a container: its root is seen from outside through its process, and its init has started its program. */
async function createFile(file: string): Promise<void> {
  await until(() => existsSync(file.replace(/\/end$/, "")));
  writeFileSync(file, "");
}
