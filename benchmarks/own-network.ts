import { spawn } from "node:child_process";

/** Where the service is for clients that reach it without a proxy. */
export const serverAddress = "198.18.0.1";
/** Everything in these ranges is an address of the machine; they are reserved for examples and benchmarks. */
const local = [`${serverAddress}/32`, "192.0.2.0/24", "198.51.0.0/16", "203.0.113.0/24"];
const setUp = ["ip link set lo up", ...local.map((range) => `ip route add local ${range} dev lo`), 'exec "$@"'];

/**
 * Runs a Node program in a network of its own, which has nothing but this machine, with as many addresses as clients need.
 * Gives what the program wrote.
 */
export function runInOwnNetwork(program: string, args: readonly string[]): Promise<string> {
  const command = ["--net", "sh", "-c", setUp.join(" && "), "sh", process.execPath, program, ...args];
  return new Promise((resolve, reject) => {
    const child = spawn("unshare", command, { stdio: ["ignore", "pipe", "inherit"] });
    let written = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      written += text;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) return resolve(written);
      reject(new Error(`${program} ended with ${code}. It needs the programs unshare and ip, and root.`));
    });
  });
}

/** How a client with this address reaches the service: from that address, or through a trusted proxy on this machine. */
export type Way = "direct" | "proxied";

export const hostOf = (way: Way) => (way === "direct" ? serverAddress : "127.0.0.1");
