import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import type { ContainerEngine } from "./container-engine.ts";
import { freePort } from "./programs.ts";

/** What Podman runs containers and their networks with. Which of them work depends on the kernel and its cgroups. */
export interface PodmanChoice {
  readonly runtime: string;
  readonly network: keyof typeof describeNetwork;
}

const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/sbin"];
const helpers = ["/usr/lib/podman", "/usr/libexec/podman", "/usr/local/libexec/podman"];
const plugins = ["/usr/lib/cni", "/opt/cni/bin", "/usr/libexec/cni"];

/** What is installed here, in the order in which Podman itself prefers it. */
export function podmanChoices(): PodmanChoice[] {
  const isIn = (all: readonly string[], name: string) => all.some((folder) => existsSync(join(folder, name)));
  const networks = [
    ...(isIn(helpers, "netavark") ? (["netavark"] as const) : []),
    ...(isIn(plugins, "bridge") ? (["cni"] as const) : []),
  ];
  const runtimes = ["crun", "runc"].filter((name) => isIn(folders, name));
  return runtimes.flatMap((runtime) => networks.map((network) => ({ runtime, network })));
}

const answersWithinMs = 10_000;

/** Runs one container with a port published for others and one for this machine, and asks both. Null: all works. */
export async function whyUnable(engine: ContainerEngine, image: Buffer): Promise<string | null> {
  const [all, own] = [await freePort(), await freePort()];
  const name = `foyer-trial-${randomUUID()}`;
  try {
    const body = {
      Image: await engine.importImage("foyer-shell:trial", image),
      Entrypoint: ["/bin/sh"],
      Cmd: ["-c", [all, own].map((port) => `nc -ll -p ${port} -e /bin/echo hello`).join(" & ")],
      ExposedPorts: { [`${all}/tcp`]: {}, [`${own}/tcp`]: {} },
      HostConfig: {
        Init: true,
        PortBindings: {
          [`${all}/tcp`]: [{ HostIp: "0.0.0.0", HostPort: String(all) }],
          [`${own}/tcp`]: [{ HostIp: "127.0.0.1", HostPort: String(own) }],
        },
      },
    };
    await engine.ask("POST", "/containers/create", { query: { name }, body });
    await engine.ask("POST", `/containers/${name}/start`);
    const until = performance.now() + answersWithinMs;
    while (performance.now() < until) if ((await saysHello(all)) && (await saysHello(own))) return null;
    return "published ports do not answer";
  } catch (error) {
    return (error as Error).message;
  } finally {
    await engine.ask("DELETE", `/containers/${name}`, { query: { force: "true", v: "true" } }).catch(() => undefined);
  }
}

function saysHello(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    let said = "";
    const socket = connect({ port, host: "127.0.0.1", timeout: answersWithinMs / 5 });
    socket.setEncoding("utf8").on("data", (piece: string) => {
      said += piece;
    });
    socket.once("timeout", () => socket.destroy()).once("error", () => undefined);
    // A refused connection is tried again, but not without a pause.
    socket.once("close", () => setTimeout(resolve, 50, said === "hello\n"));
  });
}

type Describe = (folder: string, bridge: string, network: string) => [string, object];

/** The file of a network in the form of each program that sets it up. */
export const describeNetwork = {
  cni(folder, bridge, network) {
    const ranges = [[{ subnet: `${network}.0/24`, gateway: `${network}.1` }]];
    const ipam = { type: "host-local", dataDir: join(folder, "addresses"), routes: [{ dst: "0.0.0.0/0" }], ranges };
    const plugins = [
      { type: "bridge", bridge, isGateway: true, ipMasq: false, hairpinMode: true, ipam },
      { type: "portmap", capabilities: { portMappings: true } },
    ];
    return ["87-podman.conflist", { cniVersion: "0.4.0", name: "podman", plugins }];
  },
  netavark(_folder, bridge, network) {
    const description = {
      ...{ name: "podman", id: "0".repeat(64), driver: "bridge", network_interface: bridge },
      ...{ created: new Date().toISOString(), subnets: [{ subnet: `${network}.0/24`, gateway: `${network}.1` }] },
      ...{ ipv6_enabled: false, internal: false, dns_enabled: false, ipam_options: { driver: "host-local" } },
    };
    return ["podman.json", description];
  },
} satisfies Record<string, Describe>;
