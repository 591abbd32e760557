import { connect } from "node:net";
import { isUnspecified } from "../ground/local-host.ts";
import type { LobbyPorts, UnansweredPort } from "./runtime.ts";

const tryWithinMs = 2_000;
/** An engine accepts on a published port whatever its container does, and closes when the container refuses. */
const heldMs = 250;

/**
 * Connects once to each TCP port that is not lazy, and returns those where nothing listens. UDP ports cannot be tried
 * like this. `container`: where the server is reached itself; undefined: it is no container.
 */
export async function listUnansweredPorts(
  ports: LobbyPorts,
  bind: string,
  container?: string | null,
): Promise<UnansweredPort[]> {
  const hosts = isUnspecified(bind) ? ["127.0.0.1", "::1"] : [bind];
  const tried = Object.entries(ports).map(async ([label, { port, protocol, isLazy, routing }]) => {
    // An earlier Foyer did not write the protocol down, so it may be UDP.
    if (protocol === undefined || protocol === "udp" || isLazy) return [];
    const published = routing === "gateway" ? ["127.0.0.1"] : hosts;
    const isOpen = container === undefined ? isAnyOpen(hosts, port) : isOpenInside(container, published, port);
    return (await isOpen) ? [] : [{ label, port }];
  });
  return (await Promise.all(tried)).flat();
}

/** The address of a container is not reached where its engine has no root rights, or is in a virtual machine. */
async function isOpenInside(container: string | null, hosts: readonly string[], port: number): Promise<boolean> {
  const answer = container === null ? "unreachable" : await tryPort(container, port);
  return answer === "unreachable" ? isAnyOpen(hosts, port, heldMs) : answer === "open";
}

async function isAnyOpen(hosts: readonly string[], port: number, heldFor = 0): Promise<boolean> {
  for (const host of hosts) if ((await tryPort(host, port, heldFor)) === "open") return true;
  return false;
}

type Answer = "open" | "refused" | "unreachable";

/** `heldFor`: only a connection counts that says something or is not closed for so long. */
function tryPort(host: string, port: number, heldFor = 0): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: tryWithinMs });
    const end = (answer: Answer) => {
      clearTimeout(held);
      socket.destroy();
      resolve(answer);
    };
    let held: NodeJS.Timeout | undefined;
    socket.once("connect", () => {
      if (heldFor === 0) return end("open");
      socket.once("data", () => end("open")).once("end", () => end("refused"));
      held = setTimeout(end, heldFor, "open");
    });
    socket.once("timeout", () => end("unreachable"));
    socket.once("error", ({ code }: NodeJS.ErrnoException) =>
      end(code === "ECONNREFUSED" || code === "ECONNRESET" ? "refused" : "unreachable"),
    );
  });
}
