import type { Config } from "../../config/config.ts";
import type { GameModeConfig, ResolvedDockerRuntime, ResolvedVersionConfig } from "../../contract/version-config.ts";
import type { CallerOf } from "../callers.ts";
import { type Issue, type Refusal, refuse } from "../refusal.ts";

type DockerConfig = NonNullable<GameModeConfig["runtime"]["docker"]>;

/** Fills in every default. */
export function resolveDocker(docker: DockerConfig): ResolvedDockerRuntime {
  return {
    image: docker.image,
    command: docker.command ?? null,
    args: docker.args ? [...docker.args] : null,
    env: { ...docker.env },
    network: docker.network ?? "bridge",
    memory_mib: docker.memory_mib ?? 512,
    cpus: docker.cpus ?? null,
    pids: docker.pids ?? 512,
    pull: docker.pull ?? "missing",
    read_only: docker.read_only ?? true,
    user: docker.user ?? null,
  };
}

/** What the settings of this service do not allow of containers, by game mode. */
export function checkContainersAllowed(
  resolved: ResolvedVersionConfig,
  config: Pick<Config, "dockerImages" | "lobbyApiEndpoint" | ContainerMaxima>,
): Issue[] {
  return listContainers(resolved).flatMap(([name, { image, network, memory_mib, cpus, pids }]) => {
    const place = ["config", "game_modes", name, "runtime", "docker"];
    const issues: Issue[] = [];
    if (!isImageAllowed(image, config.dockerImages)) {
      const message = `is not allowed by this service: FOYER_DOCKER_IMAGES is ${config.dockerImages?.join(",")}`;
      issues.push({ path: [...place, "image", "disabled"], message });
    }
    if (network === "bridge" && config.lobbyApiEndpoint === null) {
      const message =
        "bridge needs FOYER_LOBBY_API_ENDPOINT, the address under which containers reach this service; or set network to host";
      issues.push({ path: [...place, "network", "disabled"], message });
    }
    const limits = [
      ["memory_mib", memory_mib, config.dockerMemoryMibMax, "FOYER_DOCKER_MEMORY_MIB_MAX"],
      ["cpus", cpus, config.dockerCpusMax, "FOYER_DOCKER_CPUS_MAX"],
      ["pids", pids, config.dockerPidsMax, "FOYER_DOCKER_PIDS_MAX"],
    ] as const;
    for (const [field, value, max, setting] of limits) {
      if (value === null || value <= max) continue;
      issues.push({
        path: [...place, field, "disabled"],
        message: `is more than this service allows: ${setting} is ${max}`,
      });
    }
    return issues;
  });
}

type ContainerMaxima = "dockerMemoryMibMax" | "dockerCpusMax" | "dockerPidsMax";

/** Null: the caller may create the version as far as its containers go. */
export function checkMayRunContainers(
  caller: Pick<CallerOf<"admin" | "session" | "cloud">, "kind">,
  resolved: ResolvedVersionConfig,
  { dockerTrust }: Pick<Config, "dockerTrust">,
): Refusal<"TOKEN_FORBIDDEN"> | null {
  const containers = listContainers(resolved);
  if (caller.kind !== "cloud" || containers.length === 0) return null;
  if (dockerTrust !== "cloud") {
    const message =
      "A version with the docker runtime runs containers on the service's machine and needs the admin token (or FOYER_DOCKER_TRUST=cloud).";
    return refuse("TOKEN_FORBIDDEN", message);
  }
  for (const [, docker] of containers) {
    const asked = adminOnly.find(({ isAsked }) => isAsked(docker));
    if (asked) return refuse("TOKEN_FORBIDDEN", asked.message);
  }
  return null;
}

/** What makes it easier for a container to reach its machine. See docs/decisions/0028-images-whose-user-is-root.md. */
const adminOnly: readonly { readonly message: string; isAsked(docker: ResolvedDockerRuntime): boolean }[] = [
  {
    message: "A container with the network of the service's machine needs the admin token. Set network to bridge.",
    isAsked: ({ network }) => network === "host",
  },
  {
    message: "A container that runs as the user root needs the admin token. Set user to another one.",
    isAsked: ({ user }) => user !== null && isRoot(user),
  },
  {
    message: "A container that may change the files of its image needs the admin token. Leave out read_only.",
    isAsked: ({ read_only }) => !read_only,
  },
];

/** `0`, `root`, with or without a group; an engine reads `00` and `+0` as 0 too. A group alone leaves the user as it is. */
function isRoot(user: string): boolean {
  const [name = ""] = user.split(":");
  return name.trim() === "root" || /^[+-]?0+$/.test(name.trim());
}

/** `*` in a pattern stands for any text. Null: any image. */
export function isImageAllowed(image: string, patterns: readonly string[] | null): boolean {
  return patterns === null || patterns.some((pattern) => matches(image, pattern.split("*")));
}

/** Compares part by part, so that no pattern takes long. */
function matches(image: string, [first = "", ...rest]: readonly string[]): boolean {
  const last = rest.pop();
  if (last === undefined) return image === first;
  if (!image.startsWith(first)) return false;
  let place = first.length;
  for (const part of rest) {
    const found = image.indexOf(part, place);
    if (found < 0) return false;
    place = found + part.length;
  }
  return image.length - place >= last.length && image.endsWith(last);
}

function listContainers({ game_modes }: ResolvedVersionConfig): [name: string, docker: ResolvedDockerRuntime][] {
  return Object.entries(game_modes).flatMap(([name, { runtime }]): [string, ResolvedDockerRuntime][] =>
    "docker" in runtime ? [[name, runtime.docker]] : [],
  );
}
