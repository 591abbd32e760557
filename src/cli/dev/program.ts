import { type ChildProcess, spawn } from "node:child_process";

/** The developer's program: started, ended and started again. */
export interface Program {
  /** Ends what runs and starts it with these variables. */
  start(env: Readonly<Record<string, string>>): Promise<void>;
  /** Ends it and its children. Resolves when it has ended. */
  stop(): Promise<void>;
}

/**
 * `onExit` is called when the program ends without being asked to. It is ended with SIGKILL: a game server that gets
 * SIGTERM ends its lobby, and the lobby has to stay.
 */
export function createProgram(
  command: string,
  args: readonly string[],
  surroundings: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  onExit: (how: string) => void,
): Program {
  let running: { readonly child: ChildProcess; readonly ended: Promise<void> } | null = null;

  async function stop(): Promise<void> {
    const current = running;
    if (current === null) return;
    running = null;
    killGroup(current.child);
    await current.ended;
  }

  return {
    stop,
    async start(env) {
      await stop();
      // A group of its own, so that its children end with it.
      const child = spawn(command, args, {
        cwd: surroundings.cwd,
        stdio: ["ignore", "inherit", "inherit"],
        env: { ...surroundings.env, ...env },
        detached: true,
      });
      const ended = new Promise<void>((resolve) => {
        const end = (how: string) => {
          resolve();
          if (running?.child !== child) return;
          running = null;
          killGroup(child);
          onExit(how);
        };
        child.once("error", (error) => end(`cannot be started: ${error.message}`));
        child.once("exit", (code, signal) => end(signal === null ? `ended with code ${code}` : `ended with ${signal}`));
      });
      running = { child, ended };
    },
  };
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
