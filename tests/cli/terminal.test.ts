import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isRunning, ownRange, testFolder } from "../runtime/driver.ts";
import { newDataDir } from "../support/child.ts";
import { clientOf, createVersion, noteIssued, type Service, until } from "../support/harness.ts";
import { createWorld, lobbyPids, lobbyVersion } from "../support/runtime-world.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const dataDir = newDataDir();
let terminal: ChildProcess;
let output = "";
let client: ReturnType<typeof clientOf>;

/** `script` gives the service a terminal, and writes here what the service writes there. */
beforeAll(async () => {
  const flags = [`--data-dir=${dataDir}`, `--lobby-ports=${ownRange()}`, `--lobby-root=${testFolder}`];
  const more = ["--port=0", "--metrics-port=off", "--no-demo", "--log-level=debug", ...flags];
  const command = [process.execPath, join(root, "dist/cli/foyer.js"), "serve", ...more].join(" ");
  terminal = spawn("script", ["-qfec", command, "/dev/null"], {
    cwd: dataDir,
    env: { PATH: process.env.PATH, TERM: "xterm" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  terminal.stdout!.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await until(() => output.includes("Stop with Ctrl-C"));
  const token = readFileSync(join(dataDir, "admin-token"), "utf8").trim();
  noteIssued(token);
  client = clientOf("sqlite", /API\S* +(\S+)/.exec(plain())![1]!, token);
});

afterAll(() => {
  terminal.kill("SIGKILL");
});

/** What a person reads. */
function plain(): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what this removes.
  return output.replace(/\u001b\[[0-9;]*m/g, "");
}

test("[VF7] [VF1] a terminal shows one line for each step, and names a server that forgets ready", async () => {
  const world = await createWorld(client, lobbyVersion());
  const found = await world.find();
  const lobbyId: string = found.json.lobby.lobby_id;
  const name = `duel ${lobbyId.slice(-8)} in local, ${world.game.nameId}/${world.namespace.nameId}`;
  const { port } = found.json.ports.default;
  await until(() => plain().includes(` ready    ${name}`));
  expect(plain()).toContain(` deployed "`);
  expect(plain()).toContain(` started  ${name}, port default ${port}\r\n`);
  expect(output).toContain("\u001b[32mready   \u001b[0m");
  for (const is_closed of [true, false]) {
    await client.admin("PUT", `${world.namespace.path}/lobbies/${lobbyId}/closed`, { is_closed });
  }
  await client.admin("DELETE", `${world.namespace.path}/lobbies/${lobbyId}`);
  const after = [`closed   ${name}, by the operator`, `opened   ${name}`, `stopped  ${name}: The operator stopped it.`];
  await until(() => after.every((line) => plain().includes(` ${line}\r\n`)));
  expect(plain()).toContain(
    ` player out ${found.json.players[0].player_id.slice(-8)} of lobby ${lobbyId.slice(-8)}: ended`,
  );

  const forgetful = lobbyVersion({ idle_lobbies: { min: 1 } }, { BEHAVIOUR: "never-ready" });
  const version_id = await createVersion(client as Service, world.game, forgetful);
  await client.admin("PUT", `${world.namespace.path}/version`, { version_id });
  await until(() => /WARN .+ has not called ready.+ last_output=starting/.test(plain()));
});

test("[SG7] a terminal shows an address that signs in once", async () => {
  const { origin, hash } = new URL(/Dashboard +(\S+)/.exec(plain())![1]!);
  expect(origin).toBe(client.url);
  const code = hash.replace("#sign-in=", "");
  noteIssued(code);
  const signIn = () => client.request("POST", "/cloud/sign-in", { body: { code } });
  const { json } = await signIn();
  expect((await client.request("GET", "/cloud/whoami", { token: json.token })).json.kind).toBe("session");
  expect((await signIn()).status).toBe(401);
});

test("[VF8] closing the terminal stops the service and its lobbies", async () => {
  const pids = lobbyPids(dataDir);
  const service = Number(readFileSync(`/proc/${terminal.pid}/task/${terminal.pid}/children`, "latin1").trim());
  expect([pids.length, isRunning(service)]).toEqual([1, true]);
  terminal.kill("SIGKILL");
  await until(() => !isRunning(service) && !pids.some(isRunning));
});
