import { describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { listenTo } from "../support/event-streams.ts";
import { aUuid, expectAnswer, expectRefusal } from "../support/expectations.ts";
import {
  createCloudToken,
  createGame,
  createNamespace,
  createToken,
  createVersion,
  type NamespaceAtHand,
  type Service,
  startService,
  until,
} from "../support/harness.ts";
import { sendRaw } from "../support/raw.ts";

const version = (...containers: object[]) => ({
  display_name: "containers",
  config: {
    regions: { local: {} },
    game_modes: Object.fromEntries(
      containers.map((docker, index) => [
        `mode-${index}`,
        { max_players: 2, runtime: { docker: { image: "game:1", ...docker } } },
      ]),
    ),
  },
});
const endpoint = { lobbyApiEndpoint: "http://10.0.0.1:7100" };

async function withService(config: Partial<Config>, work: (service: Service) => Promise<void>): Promise<void> {
  const service = await startService("sqlite", config);
  try {
    await work(service);
  } finally {
    await service.close();
  }
}

test("[DK11] the operator's view and the events of a lobby in a container say docker", async () => {
  await withService({ ...endpoint, dockerSocket: "/nonexistent/docker.sock", dockerWaitS: 1 }, async (service) => {
    const game = await createGame(service);
    const containers = version({}).config.game_modes;
    const program = { max_players: 2, runtime: { process: { command: "sleep", args: ["60"] } } };
    const external = { max_players: 2, runtime: { external: {} } };
    const config = { regions: { local: {} }, game_modes: { ...containers, program, external } };
    const versionId = await createVersion(service, game, config);
    const namespace = await createNamespace(service, game, { versionId });
    const listener = await listenTo(service, `${namespace.path}/events`, { token: service.adminToken });
    const { token } = await createToken(service, namespace, "pub");
    for (const mode of ["mode-0", "program"]) {
      void service.request("POST", "/matchmaker/lobbies/find", { token, body: { game_modes: [mode] } });
    }
    await until(async () => (await listLobbies(service, namespace)).length === 2);
    expect(Object.fromEntries((await listLobbies(service, namespace)).map(runtimeByMode))).toEqual({
      "mode-0": "docker",
      program: "process",
    });
    const shown = () => listener.events().flatMap(({ data }) => (data.lobby ? [data.lobby] : []));
    await until(() => new Set(shown().map((lobby) => lobby.game_mode_id)).size === 2);
    expect(Object.fromEntries(shown().map(runtimeByMode))).toEqual({ "mode-0": "docker", program: "process" });
    const [lobby] = (await listLobbies(service, namespace)).filter((one) => one.game_mode_id === "mode-0");
    const one = await service.admin("GET", `${namespace.path}/lobbies/${lobby!.lobby_id}`);
    expect(one.lobby.runtime).toBe("docker");
    const resumed = await listenTo(service, `${namespace.path}/events`, {
      token: service.adminToken,
      lastEventId: listener.events()[0]!.id,
    });
    listener.leave();
    await until(() => resumed.events().some(({ data }) => data.lobby?.runtime === "docker"));
    resumed.leave();
  });
});

interface ShownLobby {
  readonly lobby_id: string;
  readonly game_mode_id: string;
  readonly runtime: string;
}

async function listLobbies(service: Service, namespace: NamespaceAtHand): Promise<ShownLobby[]> {
  return (await service.admin("GET", `${namespace.path}/lobbies?include_stopped=true`)).lobbies;
}

const runtimeByMode = ({ game_mode_id, runtime }: ShownLobby) => [game_mode_id, runtime];

describe("who may run containers", () => {
  test("[DK2] [WH1] containers need the admin token, or an operator who trusts cloud tokens; the machine's network always the admin token", async () => {
    await withService({ ...endpoint, dockerTrust: "cloud" }, async (service) => {
      const game = await createGame(service);
      const { token } = await createCloudToken(service, game);
      const create = (as: string, ...containers: object[]) =>
        service.request("POST", `${game.path}/versions`, { token: as, body: version(...containers) });
      expectAnswer(await create(token, {}), { version_id: aUuid });
      const host = await create(token, {}, { network: "host" });
      expectRefusal(host, "TOKEN_FORBIDDEN");
      expect(host.json.message).toContain("network");
      expectAnswer(await create(service.adminToken, { network: "host" }), { version_id: aUuid });
      const { may } = (await service.request("GET", "/cloud/whoami", { token })).json;
      expect(may).toEqual({ create_games: false, run_processes: false, run_containers: true });
    });
    await withService(endpoint, async (service) => {
      const game = await createGame(service);
      const { token } = await createCloudToken(service, game);
      const body = version({});
      expectRefusal(await service.request("POST", `${game.path}/versions`, { token, body }), "TOKEN_FORBIDDEN");
      const { may } = (await service.request("GET", "/cloud/whoami", { token })).json;
      expect(may.run_containers).toBe(false);
    });
  });

  test("[DK2] [RT13] [WH1] without docker in the settings no version with containers is made", async () => {
    await withService({ ...endpoint, runtimes: ["process", "external"] }, async (service) => {
      const game = await createGame(service);
      const { errors } = await service.admin("POST", `${game.path}/versions/validate`, version({}));
      expect(errors.map(({ path }: { path: string[] }) => path.slice(2).join("."))).toEqual([
        "mode-0.runtime.docker.disabled",
      ]);
      expect((await service.admin("GET", "/cloud/whoami")).may.run_containers).toBe(false);
    });
  });

  test("[DK2] root and files that can be changed need the admin token, in every spelling of root", async () => {
    await withService({ ...endpoint, dockerTrust: "cloud" }, async (service) => {
      const game = await createGame(service);
      const { token } = await createCloudToken(service, game);
      const create = (as: string, container: object) =>
        service.request("POST", `${game.path}/versions`, { token: as, body: version({}, container) });
      for (const user of ["0", "root", "0:0", "root:games", "00"]) {
        const refused = await create(token, { user });
        expectRefusal(refused, "TOKEN_FORBIDDEN");
        expect(refused.json.message).toContain("root");
      }
      const writable = await create(token, { read_only: false });
      expectRefusal(writable, "TOKEN_FORBIDDEN");
      expect(writable.json.message).toContain("read_only");
      expectAnswer(await create(service.adminToken, { user: "0", read_only: false }), { version_id: aUuid });
      for (const user of ["1000", "1000:0", "rooty"]) {
        expectAnswer(await create(token, { user, read_only: true }), { version_id: aUuid });
      }
    });
  });

  test("[DK12] a version may not ask for more memory, processors or processes than the settings allow", async () => {
    const maxima = { dockerMemoryMibMax: 100, dockerCpusMax: 2, dockerPidsMax: 10 };
    await withService({ ...endpoint, ...maxima }, async (service) => {
      const game = await createGame(service);
      const most = { memory_mib: 100, cpus: 2, pids: 10 };
      const validate = (...containers: object[]) =>
        service.admin("POST", `${game.path}/versions/validate`, version(...containers));
      expect((await validate(most, { ...most, cpus: null })).errors).toEqual([]);
      const { errors } = await validate(
        most,
        { ...most, memory_mib: 101 },
        { ...most, cpus: 2.1 },
        { ...most, pids: 11 },
      );
      expect(errors.map(({ path }: { path: string[] }) => path.slice(2).join("."))).toEqual([
        "mode-1.runtime.docker.memory_mib.disabled",
        "mode-2.runtime.docker.cpus.disabled",
        "mode-3.runtime.docker.pids.disabled",
      ]);
      expect(errors[0].message).toBe("is more than this service allows: FOYER_DOCKER_MEMORY_MIB_MAX is 100");
    });
  });

  test("[DK2] images outside the patterns, and bridges without an address of the service, are refused and named", async () => {
    await withService({ dockerImages: ["registry.example.com/*"] }, async (service) => {
      const game = await createGame(service);
      const containers = [{}, { image: "registry.example.com/game:1", network: "host" }, { network: "host" }];
      const { errors } = await service.admin("POST", `${game.path}/versions/validate`, version(...containers));
      expect(errors.map(({ path }: { path: string[] }) => path.slice(2).join("."))).toEqual([
        "mode-0.runtime.docker.image.disabled",
        "mode-0.runtime.docker.network.disabled",
        "mode-2.runtime.docker.image.disabled",
      ]);
      expect(errors[1].message).toContain("FOYER_LOBBY_API_ENDPOINT");
    });
  });

  test("[DK2] [T29] the host of lobby_api_endpoint is accepted", async () => {
    await withService({ lobbyApiEndpoint: "http://foyer.internal:7100" }, async (service) => {
      const ask = (host: string) =>
        sendRaw(service.port, `GET /healthz HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
      expect((await ask("foyer.internal:7100"))!.status).toBe(200);
      expectRefusal((await ask("foyer.external:7100"))!, "API_WRONG_HOST");
    });
  });
});
