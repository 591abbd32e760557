import { spawn } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { run } from "./programs.ts";

/** Runs nginx with this configuration; what it writes goes to the folder. Ends when `stop` is called. */
export async function startNginx(folder: string, text: string): Promise<{ stop(): Promise<void> }> {
  const nginx = requireProgram("nginx");
  // When root starts it, its workers run as another user and keep larger bodies there.
  chmodSync(folder, 0o755);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const paths = temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n");
  const file = join(folder, "nginx.conf");
  writeFileSync(file, text.replace("http {", `http {\n${paths}`).replace(/^pid .*;$/m, `pid ${folder}/pid;`));
  await run(nginx, ["-t", "-p", folder, "-c", file]);
  return startProgram(nginx, ["-p", folder, "-c", file, "-g", "daemon off;"]);
}

/** Runs Caddy with this Caddyfile; its data goes to the folder. */
export async function startCaddy(folder: string, text: string): Promise<{ stop(): Promise<void> }> {
  const caddy = requireProgram("caddy");
  const file = join(folder, "Caddyfile");
  writeFileSync(file, text);
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  return startProgram(caddy, ["run", "--config", file, "--adapter", "caddyfile"], env);
}

function startProgram(program: string, given: readonly string[], env = process.env): { stop(): Promise<void> } {
  const child = spawn(program, given, { stdio: "ignore", env });
  const ended = new Promise((resolve) => child.once("close", resolve));
  return {
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

function requireProgram(name: string): string {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  const found = folders.find((folder) => folder !== "" && existsSync(join(folder, name)));
  if (found === undefined) throw new Error(`The tests need ${name}. Run \`npm run setup\`.`);
  return join(found, name);
}
