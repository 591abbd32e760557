import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import type { Config } from "../../src/config/config.ts";
import { ownRange, testFolder } from "../runtime/driver.ts";
import {
  type Answer,
  createGame,
  createNamespace,
  createToken,
  createVersion,
  type GameAtHand,
  type NamespaceAtHand,
  type Service,
  startService,
  until,
} from "./harness.ts";

/** What a test asks of a service, in this process or another. */
export type Client = Pick<Service, "request" | "admin">;

export interface World {
  readonly client: Client;
  readonly game: GameAtHand;
  readonly namespace: NamespaceAtHand;
  readonly publicToken: string;
  find(more?: object): Promise<Answer>;
  /** The operator's list. */
  // biome-ignore lint/suspicious/noExplicitAny: as for Answer.json.
  lobbies(includeStopped?: boolean): Promise<any[]>;
}

export function runtimeConfig(offset = 0): Partial<Config> {
  return { lobbyPorts: ownRange(offset), lobbyRoot: testFolder, lobbyStopGraceS: 10 };
}

export function startRuntimeService(overrides: Partial<Config> = {}): Promise<Service> {
  return startService("sqlite", { ...runtimeConfig(), ...overrides });
}

/** A version whose only mode is served by the lobby program of these tests. */
export function lobbyVersion(mode: object = {}, env: Record<string, string> = {}) {
  const runtime = { process: { command: "node", args: ["lobby.mjs"], cwd: ".", env } };
  return { regions: { local: {} }, game_modes: { duel: { max_players: 2, runtime, ...mode } } };
}

/** A namespace with the version deployed and a public token. */
export async function createWorld(client: Client, version: unknown): Promise<World> {
  // On a busy machine a service that has just started may still find itself overloaded.
  await until(async () => (await client.request("GET", "/readyz")).status === 200);
  // Cast: what creates things needs nothing of a service but these two calls.
  const service = client as Service;
  const game = await createGame(service, `game-${randomUUID().slice(0, 8)}`);
  const versionId = await createVersion(service, game, version);
  const namespace = await createNamespace(service, game, { versionId });
  const { token } = await createToken(service, namespace, "pub");
  return worldOf(client, game, namespace, token);
}

/** The same world after the service was started again. */
export function worldOf(client: Client, game: GameAtHand, namespace: NamespaceAtHand, publicToken: string): World {
  return {
    client,
    game,
    namespace,
    publicToken,
    find: (more = {}) =>
      client.request("POST", "/matchmaker/lobbies/find", {
        token: publicToken,
        body: { game_modes: ["duel"], ...more },
      }),
    lobbies: async (includeStopped = false) =>
      (await client.admin("GET", `${namespace.path}/lobbies?include_stopped=${includeStopped}`)).lobbies,
  };
}

export interface Player {
  readonly socket: Socket;
  /** Sends a line and gives the one that comes back. */
  ask(line: string): Promise<string>;
  close(): void;
}

/** A player's connection to the lobby that a find answered. */
export function connectTo(answer: Answer): Promise<Player> {
  const { hostname, port } = answer.json.ports.default;
  return new Promise((resolve, reject) => {
    const socket = connect(port, hostname, () => {
      socket.setEncoding("utf8");
      resolve({
        socket,
        ask: (line) =>
          new Promise((answered, failed) => {
            socket.once("data", (text) => answered(String(text).trim()));
            socket.once("close", () => failed(new Error("the lobby closed the connection")));
            socket.write(`${line}\n`);
          }),
        close: () => socket.destroy(),
      });
    });
    socket.once("error", reject);
  });
}

/** The numbers of the lobby processes that a service has written down as running. */
export function lobbyPids(dataDir: string): number[] {
  const root = join(dataDir, "lobbies");
  return readdirSync(root).flatMap((name) => {
    const file = join(root, name, "process.json");
    const { pid } = JSON.parse(textOf(file) ?? '{"pid":null}');
    return pid === null ? [] : [pid];
  });
}

/** Null: it is not there. A folder whose record is still to come has no process yet, one that is being removed none any more. */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
