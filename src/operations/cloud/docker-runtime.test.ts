import { expect, test } from "vitest";
import { isImageAllowed } from "./docker-runtime.ts";
import { checkVersionConfig } from "./version-document.ts";

const check = (docker: object) =>
  checkVersionConfig({ regions: { local: {} }, game_modes: { duel: { max_players: 2, runtime: { docker } } } });
const paths = (docker: object) => check(docker).issues.map(({ path }) => path.slice(4).join("."));

test("[DK1] a container needs an image; everything else has a safe default", () => {
  expect(check({ image: "game:1" }).resolved?.game_modes.duel?.runtime).toEqual({
    docker: {
      image: "game:1",
      command: null,
      args: null,
      env: {},
      network: "bridge",
      memory_mib: 512,
      cpus: null,
      pids: 512,
      pull: "missing",
      read_only: true,
      user: null,
    },
  });
  expect(paths({})).toEqual(["docker.image.required"]);
});

test("[DK1] what a container may not have is refused and named", () => {
  const wrong = {
    image: "game 1",
    network: "none",
    memory_mib: 4,
    cpus: 0,
    pids: 0,
    pull: "sometimes",
    read_only: "yes",
    user: "a b",
    env: { PORT: "1" },
  };
  expect(paths(wrong)).toEqual([
    "docker.image.invalid",
    "docker.network.invalid",
    "docker.memory_mib.out_of_range",
    "docker.cpus.out_of_range",
    "docker.pids.out_of_range",
    "docker.pull.invalid",
    "docker.read_only.wrong_type",
    "docker.user.invalid",
    "docker.env.PORT.reserved",
  ]);
  for (const field of ["mounts", "devices", "privileged", "cap_add", "volumes"]) {
    expect(paths({ image: "game", [field]: [] })).toEqual([`docker.${field}.unknown_field`]);
  }
});

test("[DK2] patterns of images: a star is any text, everything else is meant as written", () => {
  const isAllowed = (image: string, ...patterns: string[]) => isImageAllowed(image, patterns);
  expect(isImageAllowed("anything", null)).toBe(true);
  expect(isAllowed("game:1", "game:1")).toBe(true);
  expect(isAllowed("game:1", "game:2", "game:*")).toBe(true);
  expect(isAllowed("registry.example.com/games/duel:1", "registry.example.com/games/*")).toBe(true);
  expect(isAllowed("registryXexample.com/games/duel:1", "registry.example.com/games/*")).toBe(false);
  expect(isAllowed("evil/registry.example.com/games/x", "registry.example.com/games/*")).toBe(false);
  expect(isAllowed("a-b-c", "a*b*c")).toBe(true);
  expect(isAllowed("a-c-b", "a*b*c")).toBe(false);
  expect(isAllowed("ab", "ab*b")).toBe(false);
});
