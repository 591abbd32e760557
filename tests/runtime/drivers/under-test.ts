import { afterEach } from "vitest";
import type { LobbyToStart } from "../../../src/runtime/runtime.ts";
import type { ContainerEngine } from "../../support/services/container-engine.ts";
import { type Driver, type DriverOptions, isRunning, openDriver, pidOf, shellLobby } from "../driver.ts";

/** One way to run lobby servers, for the suite that all of them pass. */
export interface DriverUnderTest {
  open(options?: DriverOptions): Promise<Driver>;
  /** A lobby whose program is a line of shell. */
  lobby(script: string, more?: Partial<Pick<LobbyToStart, "ports" | "env">>): LobbyToStart;
  /** One that cannot be started. */
  impossible(): LobbyToStart;
  /** kill -9 of its program, by somebody else. */
  kill(driver: Driver, lobbyId: string): Promise<void>;
  /** Whether anything of it is left: processes, folders, containers. */
  isGone(driver: Driver, lobbyId: string): Promise<boolean>;
}

const opened: Driver[] = [];

/** Ends what a test left running. */
export function stopAfterEach(): void {
  afterEach(async () => {
    for (const driver of [...opened].reverse()) {
      await Promise.all((await driver.list()).map((lobbyId) => driver.stop(lobbyId).catch(() => null)));
      await driver.close();
    }
  });
}

async function noted(opening: Promise<Driver>): Promise<Driver> {
  const driver = await opening;
  const noting = {
    ...driver,
    async close() {
      opened.splice(opened.indexOf(noting), 1);
      await driver.close();
    },
  };
  opened.push(noting);
  return noting;
}

export const processDriver: DriverUnderTest = {
  open: (options) => noted(openDriver(options)),
  lobby: (script, more) => shellLobby(script, { cwd: null, ...more }),
  impossible: () => shellLobby("", { command: "no-such-program" }),
  async kill(driver, lobbyId) {
    process.kill(pidOf(driver, lobbyId), "SIGKILL");
  },
  async isGone(driver, lobbyId) {
    const pid = pidOf(driver, lobbyId);
    return pid === null || !isRunning(pid);
  },
};

/** `image` has a shell. */
export function containerDriver(engine: () => ContainerEngine, image: string): DriverUnderTest {
  const path = (lobbyId: string) => `/containers/foyer-${lobbyId}`;
  return {
    open: ({ docker, ...options } = {}) =>
      noted(openDriver({ ...options, docker: { isEnabled: true, socket: engine().socket, ...docker } })),
    lobby: (script, more) => containerLobby(image, script, more),
    impossible: () => containerLobby("no-such-image:1", ""),
    async kill(_driver, lobbyId) {
      await engine().ask("POST", `${path(lobbyId)}/kill`, { query: { signal: "SIGKILL" } });
    },
    async isGone(_driver, lobbyId) {
      return engine()
        .ask("GET", `${path(lobbyId)}/json`)
        .then(
          () => false,
          ({ status }) => status === 404,
        );
    },
  };
}

export function containerLobby(
  image: string,
  script: string,
  {
    program = {},
    ...more
  }: Partial<Omit<LobbyToStart, "program">> & { program?: Partial<LobbyToStart["program"] & { kind: "docker" }> } = {},
): LobbyToStart {
  const { program: _, ...lobby } = shellLobby(script);
  return {
    ...lobby,
    ...more,
    program: {
      kind: "docker",
      image,
      versionId: "version",
      command: "/bin/sh",
      args: ["-c", script],
      network: "bridge",
      memoryMib: 64,
      cpus: null,
      pids: 64,
      pull: "never",
      isReadOnly: true,
      user: null,
      ...program,
    },
  };
}
