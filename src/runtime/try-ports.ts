import { connect } from "node:net";
import { isUnspecified } from "../ground/local-host.ts";
import type { LobbyPorts, UnansweredPort } from "./runtime.ts";

const tryWithinMs = 2_000;

/** Connects once to each TCP port and returns those where nothing listens. UDP ports cannot be tried like this. */
export async function listUnansweredPorts(ports: LobbyPorts, bind: string): Promise<UnansweredPort[]> {
  const hosts = isUnspecified(bind) ? ["127.0.0.1", "::1"] : [bind];
  const tried = Object.entries(ports).map(async ([label, { port, protocol }]) => {
    // An earlier Foyer did not write the protocol down, so it may be UDP.
    const isTried = protocol !== undefined && protocol !== "udp";
    return isTried && !(await isAnyOpen(hosts, port)) ? [{ label, port }] : [];
  });
  return (await Promise.all(tried)).flat();
}

async function isAnyOpen(hosts: readonly string[], port: number): Promise<boolean> {
  for (const host of hosts) if (await isOpen(host, port)) return true;
  return false;
}

function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: tryWithinMs });
    const end = (isConnected: boolean) => {
      socket.destroy();
      resolve(isConnected);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(false));
    socket.once("error", () => end(false));
  });
}
