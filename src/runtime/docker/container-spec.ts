import { portVariables } from "../process-environment.ts";
import type { DockerProgram, LobbyToStart } from "../runtime.ts";
import type { ContainerMaxima } from "./docker-parts.ts";

/** The name contains the lobby, so that a container can be found again however its creation ended. */
export function containerPath(lobbyId: string): string {
  return `/containers/${containerName(lobbyId)}`;
}

export function containerName(lobbyId: string): string {
  return `foyer-${lobbyId}`;
}

export const ownerLabel = "foyer.owner";
export const lobbyLabel = "foyer.lobby";

export interface ContainerChoice {
  readonly imageId: string;
  readonly owner: string;
  readonly nodeId: string;
  /** The port numbers by label. */
  readonly ports: Readonly<Record<string, number>>;
  /** The address of the machine under which direct ports are published. */
  readonly bind: string;
  readonly logMaxBytes: number;
}

/**
 * The container of a lobby, as the engine's API wants it. It has no rights but those of its user: no capabilities, no
 * mounts, no devices, no namespaces of the machine except its network when the version says so.
 */
export function describeContainer(lobby: LobbyToStart<DockerProgram>, choice: ContainerChoice) {
  const { program, env } = lobby;
  const isBridge = program.network === "bridge";
  return {
    Image: choice.imageId,
    ...(program.command !== null && { Entrypoint: [program.command] }),
    // An image's own arguments are meant for its own command.
    ...((program.args !== null || program.command !== null) && { Cmd: [...(program.args ?? [])] }),
    ...(program.user !== null && { User: program.user }),
    Env: Object.entries({ ...env, ...portVariables(choice.ports) }).map(([name, value]) => `${name}=${value}`),
    Labels: {
      [ownerLabel]: choice.owner,
      "foyer.node": choice.nodeId,
      "foyer.namespace": lobby.namespaceId,
      [lobbyLabel]: lobby.lobbyId,
    },
    StopSignal: "SIGTERM",
    // What an image wants to have checked is not what makes a lobby ready.
    Healthcheck: { Test: ["NONE"] },
    ...(isBridge && { ExposedPorts: Object.fromEntries(listPorts(lobby, choice).map(({ key }) => [key, {}])) }),
    HostConfig: {
      ...limitResources(program),
      NetworkMode: program.network,
      ...(isBridge && {
        PortBindings: Object.fromEntries(
          listPorts(lobby, choice).map(({ key, address, port }) => [
            key,
            [{ HostIp: address, HostPort: String(port) }],
          ]),
        ),
      }),
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      Privileged: false,
      Init: true,
      ReadonlyRootfs: program.isReadOnly,
      // In memory, and so within the limit of memory.
      Tmpfs: { "/tmp": "rw,nosuid,nodev,mode=1777,size=64m" },
      RestartPolicy: { Name: "no" },
      // Foyer copies the output; the engine keeps what is written while Foyer is down.
      LogConfig: { Type: "json-file", Config: { "max-size": `${engineLogKib(choice.logMaxBytes)}k`, "max-file": "2" } },
    },
  };
}

/** No more than the maxima. An engine refuses more processors than the machine has. */
export function limitProgram(program: DockerProgram, maxima: ContainerMaxima, machineCpus: number): DockerProgram {
  const cpus = program.cpus ?? (maxima.cpus < machineCpus ? maxima.cpus : null);
  return {
    ...program,
    memoryMib: Math.min(program.memoryMib, maxima.memoryMib),
    cpus: cpus === null ? null : Math.min(cpus, maxima.cpus),
    pids: Math.min(program.pids, maxima.pids),
  };
}

/** A small file would be replaced before Foyer has read it. */
function engineLogKib(logMaxBytes: number): number {
  return Math.max(Math.ceil(logMaxBytes / 1024), 10 * 1024);
}

function limitResources({ memoryMib, pids, cpus }: DockerProgram) {
  const bytes = memoryMib * 1024 * 1024;
  // As much memory and swap together as memory alone: no swap.
  const memory = { Memory: bytes, MemorySwap: bytes };
  return { ...memory, PidsLimit: pids, ...(cpus !== null && { NanoCpus: Math.round(cpus * 1e9) }) };
}

/** The same number inside and outside, because a lobby reports its ports to others. */
function listPorts(lobby: LobbyToStart, { ports, bind }: ContainerChoice) {
  return Object.entries(ports).map(([label, port]) => {
    const { protocol, routing } = lobby.ports[label] ?? { protocol: "" };
    const transport = protocol === "udp" ? "udp" : "tcp";
    // Players reach it through the gateway only.
    return { key: `${port}/${transport}`, address: routing === "gateway" ? "127.0.0.1" : bind, port };
  });
}
