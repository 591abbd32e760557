import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createEngine, type Engine } from "../../../src/runtime/docker/engine.ts";
import { splitReference } from "../../../src/runtime/docker/images.ts";
import { describeNetwork, type PodmanChoice, podmanChoices, whyUnable } from "./podman-choice.ts";
import { run } from "./programs.ts";
import { makeShellImage } from "./root-file-system.ts";

export type EngineKind = "docker" | "podman";

/** A private container engine with its own socket, images and network; it can be hurt and healed. */
export interface ContainerEngine extends Pick<Engine, "ask"> {
  readonly kind: EngineKind;
  readonly socket: string;
  /** Where containers with a network of their own reach this machine. */
  readonly hostAddress: string;
  /** Makes an image of the files of a folder. Gives its name. */
  importImage(name: string, tar: Buffer): Promise<string>;
  /** Sends an image to the registry of its name. */
  push(name: string): Promise<void>;
  /** Removes all images but those that containers use. */
  removeImages(): Promise<void>;
  /** kill -9 of the engine; its containers run on. */
  halt(): Promise<void>;
  resume(): Promise<void>;
  /** It takes connections and answers nothing. */
  freeze(): void;
  thaw(): void;
  /** Ends it with its containers, and removes what it made. */
  stop(): Promise<void>;
}

/** Everything that differs between the two. */
interface Setup {
  readonly folder: string;
  readonly socket: string;
  readonly bridge: string;
  /** The first three numbers of the addresses of its network. */
  readonly network: string;
  readonly insecureRegistry: string;
}

interface Prepared {
  spawnEngine(): ChildProcess;
  /** Stops what runs beside the engine. */
  stopHelper(): Promise<void>;
}

export async function startContainerEngine(kind: EngineKind, insecureRegistry: string): Promise<ContainerEngine> {
  for (const program of programs[kind]) requireProgram(program);
  return kind === "docker" ? startWith(prepareDocker, kind, insecureRegistry) : startPodman(insecureRegistry);
}

/** With the first runtime and network that run a container here and publish a port; it says in one line which. */
async function startPodman(insecureRegistry: string): Promise<ContainerEngine> {
  const image = await makeShellImage("shell");
  const failed: string[] = [];
  for (const choice of podmanChoices()) {
    const engine = await startWith((setup) => preparePodman(setup, choice), "podman", insecureRegistry);
    const reason = await whyUnable(engine, image);
    const name = `${choice.runtime} and ${choice.network}`;
    if (reason === null) {
      console.log(`Podman runs with ${name}, tried on this machine.${failed.join("")}`);
      return engine;
    }
    failed.push(` Not with ${name}: ${reason}.`);
    await engine.stop();
  }
  throw new Error(`Podman runs no container here.${failed.join("")} Run \`npm run setup\`.`);
}

async function startWith(
  prepare: (setup: Setup) => Promise<Prepared>,
  kind: EngineKind,
  insecureRegistry: string,
): Promise<ContainerEngine> {
  const folder = await mkdtemp(join(tmpdir(), `foyer-${kind}-`));
  const part = process.pid % 250;
  const network = `10.${kind === "docker" ? 213 : 214}.${part}`;
  const setup = {
    folder,
    socket: join(folder, "engine.sock"),
    bridge: `foyer-${kind[0]}${part}`,
    network,
    insecureRegistry,
  };
  const { spawnEngine, stopHelper } = await prepare(setup);
  const { socket } = setup;
  let child = await startEngine(spawnEngine, socket);
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  const { ask } = createEngine(socket);

  async function kill(signal: NodeJS.Signals): Promise<void> {
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  return {
    kind,
    socket,
    hostAddress: `${network}.1`,
    ask,
    async importImage(name, tar) {
      const { name: repo, tag } = splitReference(name);
      // Podman's import takes no tag.
      await ask("POST", `/images/${await importImage(socket, tar)}/tag`, { query: { repo, tag } });
      return name;
    },
    push: (name) => push(socket, name),
    async removeImages() {
      // The engine's API defines the shape.
      const all = (await ask("GET", "/images/json")) as { Id: string; RepoTags: string[] | null }[];
      for (const { Id, RepoTags } of all) {
        if (RepoTags?.some((name) => name.includes("foyer-shell"))) continue;
        await ask("DELETE", `/images/${Id}`, { query: { force: "true" } });
      }
    },
    halt: () => kill("SIGKILL"),
    async resume() {
      child = await startEngine(spawnEngine, socket);
    },
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
    async stop() {
      process.removeListener("exit", end);
      // The engine's API defines the shape.
      const all = (await ask("GET", "/containers/json", { query: { all: "true" } })) as { Id: string }[];
      for (const { Id } of all) await ask("DELETE", `/containers/${Id}`, { query: { force: "true", v: "true" } });
      await kill("SIGTERM");
      await stopHelper();
      await run("ip", ["link", "delete", setup.bridge]).catch(() => undefined);
      await removeFolder(folder);
    },
  };
}

const programs = { docker: ["dockerd", "containerd", "ip"], podman: ["podman", "conmon", "ip", "tini-static"] };

/** No rules for the firewall of the machine, and a bridge of its own: other programs are not disturbed. */
async function prepareDocker({ folder, socket, bridge, network }: Setup): Promise<Prepared> {
  await run("ip", ["link", "add", bridge, "type", "bridge"]);
  await run("ip", ["addr", "add", `${network}.1/24`, "dev", bridge]);
  await run("ip", ["link", "set", bridge, "up"]);
  const flags = [
    ...["--data-root", join(folder, "data"), "--exec-root", join(folder, "exec"), "--pidfile", join(folder, "pid")],
    ...["-H", `unix://${socket}`, "--bridge", bridge, "--iptables=false", "--ip-masq=false", "--ip-forward=false"],
    // Containers survive the engine.
    "--live-restore",
    ...["--config-file", join(folder, "daemon.json")],
  ];
  await writeFile(join(folder, "daemon.json"), "{}");
  const containerd = await startContainerd(folder);
  flags.push("--containerd", containerd.address);
  return {
    spawnEngine: () => spawn(requireProgram("dockerd"), flags, { stdio: ["ignore", "ignore", "pipe"] }),
    stopHelper: containerd.stop,
  };
}

async function preparePodman(
  { folder, socket, bridge, network, insecureRegistry }: Setup,
  choice: PodmanChoice,
): Promise<Prepared> {
  const networks = join(folder, "networks");
  await mkdir(networks);
  const limit = (name: string) => Number(/^\s*(\d+)/.exec(readLimit(name))?.[1] ?? 1024);
  await writeFile(
    join(folder, "containers.conf"),
    // Without the right to raise limits, the engine's own defaults would be refused.
    `[containers]
default_ulimits = ["nofile=${limit("Max open files")}:${limit("Max open files")}", "nproc=4096:4096"]
[engine]
init_path = "${requireProgram("tini-static")}"
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "${choice.runtime}"
[network]
network_backend = "${choice.network}"
network_config_dir = "${networks}"
`,
  );
  const [file, description] = describeNetwork[choice.network](folder, bridge, network);
  await writeFile(join(networks, file), JSON.stringify(description));
  await writeFile(
    join(folder, "registries.conf"),
    `unqualified-search-registries = ["docker.io"]\n[[registry]]\nlocation = "${insecureRegistry}"\ninsecure = true\n`,
  );
  await writeFile(join(folder, "policy.json"), '{"default":[{"type":"insecureAcceptAnything"}]}');
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    CONTAINERS_CONF: join(folder, "containers.conf"),
    CONTAINERS_REGISTRIES_CONF: join(folder, "registries.conf"),
  };
  const flags = [
    ...["--root", join(folder, "root"), "--runroot", join(folder, "run"), "--tmpdir", join(folder, "tmp")],
    ...["system", "service", "--time", "0", `unix://${socket}`],
  ];
  return {
    spawnEngine: () =>
      spawn(requireProgram("podman"), flags, { env, cwd: folder, stdio: ["ignore", "ignore", "pipe"] }),
    async stopHelper() {},
  };
}

/** Beside dockerd, which would otherwise start one that ends with it. */
async function startContainerd(folder: string): Promise<{ address: string; stop(): Promise<void> }> {
  const address = join(folder, "containerd.sock");
  const flags = ["--root", join(folder, "containerd"), "--state", join(folder, "state"), "--address", address];
  await writeFile(join(folder, "containerd.toml"), 'version = 2\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n');
  const all = ["--config", join(folder, "containerd.toml"), ...flags];
  const child = spawn(requireProgram("containerd"), all, { stdio: "ignore" });
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  while (!existsSync(address) && child.exitCode === null) await setTimeout(20);
  return {
    address,
    async stop() {
      process.removeListener("exit", end);
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Resolves when it answers. */
async function startEngine(spawnEngine: () => ChildProcess, socket: string): Promise<ChildProcess> {
  await rm(socket, { force: true });
  const child = spawnEngine();
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output = (output + text).slice(-4000);
  });
  child.once("error", (error) => {
    output += String(error);
  });
  const engine = createEngine(socket);
  while (child.exitCode === null && child.signalCode === null) {
    const isUp = await engine.ask("GET", "/info").then(
      () => true,
      () => setTimeout(50, false),
    );
    if (isUp) return child;
  }
  throw new Error(
    `The container engine ${child.spawnfile} did not start. The tests of containers need root, cgroups that can be ` +
      `written and network namespaces: run them as root, in a container with --privileged.\n${output}`,
  );
}

/** Gives the image's id. */
async function importImage(socketPath: string, tar: Buffer): Promise<string> {
  const headers = { "content-type": "application/x-tar", "content-length": tar.length };
  const text = await post(socketPath, "/v1.41/images/create?fromSrc=-", headers, tar);
  const [, id] = /"status":"(sha256:[0-9a-f]+)"/.exec(text) ?? [];
  if (id === undefined) throw new Error(`The image could not be imported: ${text}`);
  return id;
}

async function push(socketPath: string, reference: string): Promise<void> {
  const { name, tag } = splitReference(reference);
  const headers = { "x-registry-auth": Buffer.from("{}").toString("base64") };
  const text = await post(socketPath, `/v1.41/images/${name}/push?${new URLSearchParams({ tag })}`, headers);
  if (/"error"|"cause"/.test(text)) throw new Error(`The image could not be pushed: ${text}`);
}

function post(socketPath: string, path: string, headers: object, body?: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, method: "POST", path, headers: { ...headers } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      response.on("end", () => resolve(text));
    });
    sent.once("error", reject).end(body);
  });
}

/** Engines leave mounts behind for a moment. */
async function removeFolder(folder: string): Promise<void> {
  for (const line of readFileSync("/proc/mounts", "utf8").split("\n").reverse()) {
    const mount = line.split(" ")[1] ?? "";
    if (mount.startsWith(`${folder}/`)) await run("umount", ["-l", mount]).catch(() => undefined);
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

function readLimit(name: string): string {
  const lines = readFileSync("/proc/self/limits", "utf8").split("\n");
  return lines.find((line) => line.startsWith(name))?.slice(name.length) ?? "";
}

function requireProgram(name: string): string {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/sbin"].filter((each) => each !== "");
  const file = folders.map((each) => join(each, name)).find(existsSync);
  if (file) return file;
  throw new Error(`The tests of containers need the program ${name}. Run \`npm run setup\`.`);
}
