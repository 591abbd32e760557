import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { readOutput, run } from "./programs.ts";

/** Machines of their own on this one, with cables between them that can be cut: network namespaces of Linux. */
export interface Network {
  /** The beginning of a command that runs on that machine. */
  on(machine: string): readonly string[];
  /** Connects a machine with another one, or with this one (null). */
  connect(machine: string, other: string | null): Promise<Cable>;
  remove(): Promise<void>;
}

export interface Cable {
  /** The addresses of the machine and of the other one. */
  readonly address: string;
  readonly other: string;
  /** From now on packets disappear in both directions: no side gets an error or a reset. */
  cut(): Promise<void>;
  heal(): Promise<void>;
}

/** Every name and address is made from the process id, so that runs at the same time do not meet. */
const prefix = `foyer-${process.pid}`;
let networks = 0;
let cables = 0;

export async function openNetwork(machines: readonly string[]): Promise<Network> {
  networks += 1;
  const nameOf = (machine: string) => `${prefix}-${networks}-${machine}`;
  const all = [...machines, "switch"].map(nameOf);
  const hub = nameOf("switch");
  const removeNow = () => {
    for (const name of all) spawnSync("ip", ["netns", "delete", name]);
  };
  process.once("exit", removeNow);
  try {
    for (const name of all) {
      await run("ip", ["netns", "add", name]);
      await run("ip", ["-n", name, "link", "set", "lo", "up"]);
    }
  } catch (error) {
    removeNow();
    throw new Error(
      "The tests of partitions need the program ip and network namespaces: run `npm run setup`, and run the tests as " +
        "root, in a container with --privileged.",
      { cause: error },
    );
  }

  /** One end of a cable: an interface of the machine whose other side is a port of the switch. */
  async function plug(port: string, machine: string | null, own: End, other: End): Promise<void> {
    const place = machine === null ? String(process.pid) : nameOf(machine);
    const on = machine === null ? [] : ["-n", place];
    const device = `fy${process.pid}${port}`;
    await run("ip", ["-n", hub, "link", "add", port, "type", "veth", "peer", "name", device, "netns", place]);
    await run("ip", [...on, "link", "set", device, "address", own.hardware, "up"]);
    await run("ip", [...on, "address", "add", `${own.address}/30`, "dev", device]);
    // A firewall that drops packets does not touch the neighbours either.
    const neighbour = [other.address, "lladdr", other.hardware, "dev", device, "nud", "permanent"];
    await run("ip", [...on, "neighbour", "replace", ...neighbour]);
    await run("ip", ["-n", hub, "link", "set", port, "up"]);
  }

  return {
    on: (machine) => ["ip", "netns", "exec", nameOf(machine)],
    async connect(machine, other) {
      const number = cables++;
      const [left, right] = endsOf(number);
      const [bridge, port, otherPort] = [`b${number}`, `p${number}`, `q${number}`];
      await run("ip", ["-n", hub, "link", "add", bridge, "type", "bridge", "forward_delay", "0"]);
      await run("ip", ["-n", hub, "link", "set", bridge, "up"]);
      await plug(port, machine, left, right);
      await plug(otherPort, other, right, left);
      await run("ip", ["-n", hub, "link", "set", otherPort, "master", bridge]);
      const heal = () => run("ip", ["-n", hub, "link", "set", port, "master", bridge]);
      await heal();
      return {
        address: left.address,
        other: right.address,
        cut: () => run("ip", ["-n", hub, "link", "set", port, "nomaster"]),
        heal,
      };
    },
    async remove() {
      process.removeListener("exit", removeNow);
      for (const name of all) {
        // Lobbies outlive their node.
        const pids = await readOutput("ip", ["netns", "pids", name]);
        for (const pid of pids.split("\n").filter((line) => line !== "")) endProcess(Number(pid));
        await run("ip", ["netns", "delete", name]);
      }
      const left = await readOutput("ip", ["netns", "list"]);
      if (all.some((name) => left.includes(name))) throw new Error(`A network namespace was not removed:\n${left}`);
    },
  };
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

interface End {
  readonly address: string;
  readonly hardware: string;
}

/** Of 198.18.0.0/15, which no network uses: it is for measuring. 64 addresses for a process, four for a cable. */
function endsOf(cable: number): readonly [End, End] {
  if (cable >= 16) throw new Error("A process has addresses for 16 cables.");
  const first = (process.pid % 2048) * 64 + cable * 4;
  const end = (host: number): End => {
    const at = first + host;
    const bytes = [198, 18 + (at >> 16), (at >> 8) & 255, at & 255];
    const hardware = ["02", "66", ...bytes.map((byte) => byte.toString(16).padStart(2, "0"))];
    return { address: bytes.join("."), hardware: hardware.join(":") };
  };
  return [end(1), end(2)];
}

/** Passes connections to that address on to a port of 127.0.0.1, where servers of other tests listen. Gives its port. */
export async function openRelay(address: string, port: number): Promise<{ port: number; close(): void }> {
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer((socket) => {
    const onward = connect(port, "127.0.0.1");
    for (const each of [socket, onward]) {
      sockets.add(each);
      each.on("error", () => each.destroy());
    }
    socket.on("close", () => onward.destroy());
    onward.on("close", () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  });
  server.listen(0, address);
  await once(server, "listening");
  const at = server.address();
  if (at === null || typeof at === "string") throw new Error("The relay has no port.");
  return {
    port: at.port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
