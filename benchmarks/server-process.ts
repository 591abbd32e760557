import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A server under test, in a process of its own so that its processor time can be told from the client's. */
export interface ServerProcess {
  readonly url: string;
  /** Microseconds of processor time, user and system, since the process began. */
  cpuMicroseconds(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a Node program and waits until it has written its address to standard error, as `API http://…`. */
export async function startServer(program: string, args: readonly string[], cwd: string): Promise<ServerProcess> {
  const child = spawn(process.execPath, [...nodeFlags, "--import", reporter, program, ...args], {
    cwd,
    env: plainEnvironment(),
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const url = await addressOf(child, program);
  return {
    url,
    async cpuMicroseconds() {
      const answer = once(child, "message");
      child.send("cpu");
      const [{ user, system }] = (await answer) as [NodeJS.CpuUsage];
      return user + system;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** `npm start` gives Node these, and so does the foyer command; the bare server gets the same. */
const nodeFlags = ["--max-semi-space-size=32"];

const reporter = new URL("report-cpu.mjs", import.meta.url).href;

export const foyerProgram = fileURLToPath(new URL("../dist/cli/foyer.js", import.meta.url));
export const bareProgram = fileURLToPath(new URL("bare-server.mjs", import.meta.url));

/** What the operator has set for his own service must not change what is measured. */
function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:FOYER_|NODE_OPTIONS$)/.test(name)));
}

function addressOf(child: ChildProcess, program: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let written = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      written += text;
      const url = /\bAPI\s+(http:\/\/\S+)/.exec(written)?.[1];
      if (url) resolve(url);
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${program} ended with ${code} before it listened:\n${written}`)));
  });
}
