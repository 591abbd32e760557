import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { LobbyNotStarted } from "../../../src/runtime/runtime.ts";
import { until } from "../../support/harness.ts";
import { type Driver, ownPorts } from "../driver.ts";
import { type DriverUnderTest, stopAfterEach } from "./under-test.ts";

const forever = "exec sleep 1000";
/** A shell that has a signal handler must not be busy with a long command. */
const wait = "while :; do sleep 0.05; done";

/** What every driver promises. `describeDriver` runs it for one. */
export function describeDriver(name: string, { open, lobby, impossible, kill, isGone }: DriverUnderTest): void {
  const text = async (driver: Driver, lobbyId: string, stream: "stdout" | "stderr" = "stdout") =>
    (await driver.logs(lobbyId, stream, 100_000)).text;

  describe(`a driver of ${name}`, () => {
    stopAfterEach();

    test("[DV1] a started server is listed, with ports of the range under the public name", async () => {
      const driver = await open();
      const started = lobby(forever, { ports: { game: { protocol: "wss" }, voice: { protocol: "udp" } } });
      const ports = await driver.start(started);
      const { min, max } = ownPorts();
      expect(ports).toEqual({
        game: { hostname: "game.example.com", port: expect.any(Number), isTls: true, protocol: "wss" },
        voice: { hostname: "game.example.com", port: expect.any(Number), isTls: false, protocol: "udp" },
      });
      for (const { port } of Object.values(ports)) expect(port >= min && port <= max).toBe(true);
      expect([await driver.list(), driver.isRunning(started.lobbyId)]).toEqual([[started.lobbyId], true]);
      expect(driver.exitOf(started.lobbyId)).toBe(null);
    });

    test("[DV2] a server has the variables of its version, of the contract and of its ports, and none of the service", async () => {
      process.env.FOYER_SECRET = "a secret of the service itself";
      const driver = await open();
      const one = lobby("env", {
        ports: { "my-game": { protocol: "ws" } },
        env: { COLOUR: "blue", FOYER_REGION: "eu" },
      });
      const two = lobby('echo "$PORT-$PORT_A-$PORT_B"', { ports: { a: { protocol: "ws" }, b: { protocol: "ws" } } });
      const [onePorts, twoPorts] = [await driver.start(one), await driver.start(two)];
      await until(() => driver.exits.length === 2);
      delete process.env.FOYER_SECRET;
      const lines = (await text(driver, one.lobbyId)).split("\n");
      const port = onePorts["my-game"]!.port;
      for (const line of ["COLOUR=blue", "FOYER_REGION=eu", `PORT=${port}`, `PORT_MY_GAME=${port}`]) {
        expect(lines).toContain(line);
      }
      expect(lines.filter((line) => /^(FOYER_SECRET|NODE_|VITEST)/.test(line))).toEqual([]);
      expect(await text(driver, two.lobbyId)).toBe(`-${twoPorts.a!.port}-${twoPorts.b!.port}\n`);
    });

    test("[DV3] no more servers than the maximum; each takes its slot from the moment it is requested", async () => {
      const driver = await open({ processesMax: 2 });
      const lobbies = [lobby(forever), lobby(forever)];
      let isStarted = false;
      const starting = driver.start(lobbies[0]!).finally(() => {
        isStarted = true;
      });
      const rooms = new Set<number>();
      while (!isStarted) {
        rooms.add(driver.room());
        await setImmediate();
      }
      await starting;
      expect([...rooms]).toEqual([1]);
      await driver.start(lobbies[1]!);
      const refused = driver.start(lobby(forever));
      await expect(refused).rejects.toThrow(/FOYER_MAX_LOBBY_PROCESSES/);
      await expect(refused).rejects.toMatchObject({ isShortage: true });
      await driver.stop(lobbies[0]!.lobbyId);
      expect(driver.room()).toBe(1);
    });

    test("[DV4] a port belongs to one lobby; a full range is a shortage that names the setting, and an end frees it", async () => {
      const { min } = ownPorts(1);
      const driver = await open({ ports: { min, max: min + 1 } });
      const lobbies = [lobby(forever), lobby(forever)];
      const ports = [await driver.start(lobbies[0]!), await driver.start(lobbies[1]!)];
      expect(new Set(ports.map(({ default: port }) => port!.port)).size).toBe(2);
      const refused = driver.start(lobby(forever));
      await expect(refused).rejects.toThrow(/FOYER_LOBBY_PORTS/);
      await expect(refused).rejects.toMatchObject({ isShortage: true });
      await driver.stop(lobbies[1]!.lobbyId);
      expect((await driver.start(lobby(forever))).default!.port).toBe(ports[1]!.default!.port);
    });

    test("[DV5] an end that nobody asked for is reported with its exit code or signal, when its last words can be read", async () => {
      const driver = await open();
      const words: string[] = [];
      driver.onExit((lobbyId) => void text(driver, lobbyId, "stderr").then((last) => words.push(last)));
      const [one, two] = [lobby("echo bye >&2; exit 3"), lobby(forever)];
      await driver.start(one);
      await until(() => driver.exits.length === 1);
      await driver.start(two);
      await kill(driver, two.lobbyId);
      await until(() => driver.exits.length === 2 && words.length === 2);
      expect(driver.exits).toEqual([
        { lobbyId: one.lobbyId, exit: { code: 3, signal: null } },
        { lobbyId: two.lobbyId, exit: { code: null, signal: "SIGKILL" } },
      ]);
      expect(words).toEqual(["bye\n", ""]);
      await until(() => driver.room() === 64);
      expect(driver.exitOf(one.lobbyId)).toEqual({ code: 3, signal: null });
      await until(() => isGone(driver, one.lobbyId));
    });

    test("[DV6] a stop is SIGTERM first, and SIGKILL after the grace time; neither is reported as a crash", async () => {
      const driver = await open({ stopGraceMs: 400 });
      const tidy = lobby(`trap "echo saving; exit 0" TERM; echo up; ${wait}`);
      const stubborn = lobby(`trap "" TERM; echo up; ${wait}`);
      for (const each of [tidy, stubborn]) {
        await driver.start(each);
        await until(async () => (await text(driver, each.lobbyId)) === "up\n");
      }
      expect(await driver.stop(tidy.lobbyId)).toEqual({ code: 0, signal: null });
      expect(await text(driver, tidy.lobbyId)).toBe("up\nsaving\n");
      expect(await Promise.all([driver.stop(stubborn.lobbyId), driver.stop(stubborn.lobbyId)])).toEqual([
        { code: null, signal: "SIGKILL" },
        { code: null, signal: "SIGKILL" },
      ]);
      expect(await driver.stop(stubborn.lobbyId)).toBe(null);
      expect([driver.exits, await driver.list()]).toEqual([[], []]);
      for (const { lobbyId } of [tidy, stubborn]) await until(() => isGone(driver, lobbyId));
    });

    test("[DV7] another process of the service takes servers over with their ports, and keeps watching and stopping them", async () => {
      const { min } = ownPorts(2);
      const ports = { min, max: min + 3 };
      const before = await open({ ports });
      const lobbies = [lobby(forever), lobby(forever), lobby(forever)];
      const announced = await Promise.all(lobbies.map((each) => before.start(each)));
      const [one, two, three] = lobbies.map(({ lobbyId }) => lobbyId) as [string, string, string];
      await before.close();
      await kill(before, three);
      await until(async () => (await isGone(before, three)) || name !== "processes");

      const after = await open({ ports, dataDir: before.dataDir });
      const adopted = await Promise.all(lobbies.map(({ lobbyId, namespaceId }) => after.adopt(lobbyId, namespaceId)));
      expect(adopted).toEqual([announced[0], announced[1], null]);
      // Their ports are theirs.
      const next = [await after.start(lobby(forever)), await after.start(lobby(forever))];
      await expect(after.start(lobby(forever))).rejects.toThrow(/in use/);
      const taken = [adopted[0]!, adopted[1]!, ...next].map(({ default: port }) => port!.port);
      expect(new Set(taken).size).toBe(4);
      await kill(after, one);
      await until(() => after.exits.length === 1);
      expect(after.exits[0]!.lobbyId).toBe(one);
      expect(await after.stop(two)).not.toBe(null);
      expect(after.isRunning(two)).toBe(false);
    });

    test("[DV8] output goes to one log per stream, is bounded while it is written, and its newest part is kept", async () => {
      const driver = await open({ logMaxBytes: 16 * 1024 });
      const script = `echo problem >&2; i=0; while [ $i -lt 3000 ]; do echo "line $i of the log"; i=$((i+1)); done; ${forever}`;
      const { lobbyId } = await start(driver, lobby(script));
      await until(async () => (await text(driver, lobbyId)).endsWith("line 2999 of the log\n"));
      await until(async () => {
        const { first, end } = await driver.logPiece(lobbyId, "stdout", 0, 0);
        return first > 0 && end - first <= 3 * 16 * 1024;
      });
      const { bytes, end } = await driver.logPiece(lobbyId, "stdout", 0, 8 * 1024);
      expect(end).toBe(Array.from({ length: 3000 }, (_, n) => `line ${n} of the log\n`).join("").length);
      expect(bytes.toString()).toMatch(/^ Foyer dropped \d+ bytes of output.*\n(line \d+ of the log\n)+/);
      expect(await text(driver, lobbyId, "stderr")).toBe("problem\n");
    });

    test("[DV8] what is written while no service runs is in the log afterwards, each line once", async () => {
      const before = await open();
      const { lobbyId } = await start(before, lobby(`i=0; while :; do echo $i; i=$((i+1)); sleep 0.01; done`));
      const lines = async (driver: Driver) => (await text(driver, lobbyId)).trimEnd().split("\n").length;
      await until(async () => (await lines(before)) > 20);
      await before.close();
      const known = await lines(before);
      const after = await open({ dataDir: before.dataDir });
      await until(async () => (await lines(after)) > known + 50);
      await after.stop(lobbyId);
      const all = (await text(after, lobbyId)).trimEnd().split("\n").map(Number);
      expect(all).toEqual(all.map((_, index) => index));
    });

    test("[DV9] a server that cannot be started is a failure in words, and leaves nothing behind", async () => {
      const driver = await open();
      const failing = impossible();
      const refused = driver.start(failing);
      await expect(refused).rejects.toThrow(LobbyNotStarted);
      await expect(refused).rejects.toMatchObject({ isShortage: false });
      expect([await driver.list(), driver.room()]).toEqual([[], 64]);
      expect(await isGone(driver, failing.lobbyId)).toBe(true);
    });

    test("[DV10] many starts and stops side by side leave no server, port or slot behind", async () => {
      const { min } = ownPorts(3);
      const driver = await open({ ports: { min, max: min + 3 } });
      const all: string[] = [];
      for (let round = 0; round < 3; round++) {
        const lobbies = [1, 2, 3, 4].map(() => lobby(forever));
        const ports = await Promise.all(lobbies.map((each) => driver.start(each)));
        expect(new Set(ports.map(({ default: port }) => port!.port)).size).toBe(4);
        await Promise.all(lobbies.map(({ lobbyId }) => driver.stop(lobbyId)));
        all.push(...lobbies.map(({ lobbyId }) => lobbyId));
      }
      for (const lobbyId of all) await until(() => isGone(driver, lobbyId));
      expect([await driver.list(), driver.room(), driver.exits]).toEqual([[], 64, []]);
    });
  });

  async function start(driver: Driver, started: ReturnType<typeof lobby>) {
    await driver.start(started);
    return started;
  }
}
