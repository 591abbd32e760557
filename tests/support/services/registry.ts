import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { temporaryFolder } from "../temporary-folder.ts";
import { freePort } from "./programs.ts";

export interface Registry {
  /** `127.0.0.1:PORT`, the beginning of its images' names. */
  readonly address: string;
  stop(): Promise<void>;
}

/** A private registry of images on loopback. */
export async function startRegistry(): Promise<Registry> {
  const folder = temporaryFolder();
  const address = `127.0.0.1:${await freePort()}`;
  const config = {
    version: "0.1",
    log: { level: "error" },
    storage: { filesystem: { rootdirectory: join(folder, "images") } },
    http: { addr: address },
  };
  const file = join(folder, "config.yml");
  // JSON is YAML.
  await writeFile(file, JSON.stringify(config));
  const child = spawn("docker-registry", ["serve", file], { stdio: "ignore" });
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  let failure: Error | null = null;
  child.once("error", (error) => {
    failure = new Error("The tests of containers need the program docker-registry. Run `npm run setup`.", {
      cause: error,
    });
  });
  for (;;) {
    if (failure) throw failure;
    const isUp = await fetch(`http://${address}/v2/`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) break;
    await setTimeout(50);
  }
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
