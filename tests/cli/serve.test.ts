import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const program = fileURLToPath(new URL("../../src/cli/foyer.ts", import.meta.url));
const loader = import.meta.resolve("tsx");
const running = new Set<ChildProcess>();

afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
});

/** Starts `foyer serve` in an empty folder, as a user would, with its output in files as far as it is concerned. */
function start(...argv: string[]) {
  const cwd = temporaryFolder();
  const flags = argv.some((flag) => flag.startsWith("--port")) ? argv : ["--port=0", ...argv];
  const child = spawn(process.execPath, ["--import", loader, program, "--metrics-port=0", "--no-demo", ...flags], {
    cwd,
    env: { PATH: process.env.PATH },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  const text = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    text.out += piece;
  });
  child.stderr.setEncoding("utf8").on("data", (piece: string) => {
    text.err += piece;
  });
  const ended = once(child, "close").then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  const ready = async () => {
    while (!text.err.includes("Stop with Ctrl-C")) {
      const isOver = await Promise.race([ended.then(() => true), once(child.stderr, "data").then(() => false)]);
      if (isOver) throw new Error(`foyer ended before it was ready: ${text.err}${text.out}`);
    }
    return { url: /API +(\S+)/.exec(text.err)![1]!, dataDir: join(cwd, ".foyer") };
  };
  return { child, cwd, text, ended, ready };
}

// Each test starts a process or two, and the machine may be busy.
const patient = { timeout: 240_000 };

describe("a running service", patient, () => {
  test("[K9] [SG7] [O4] [O5] says where everything is, without the token, and stops on SIGTERM with exit code 0", async () => {
    const foyer = start();
    const { url, dataDir } = await foyer.ready();
    const token = readFileSync(join(dataDir, "admin-token"), "utf8").trim();
    expect(foyer.text.err).toContain(`in ${join(dataDir, "admin-token")}`);
    expect(foyer.text.err + foyer.text.out).not.toContain("sign-in=");
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const metricsUrl = /Metrics +(\S+)/.exec(foyer.text.err)![1]!;
    expect(await (await fetch(metricsUrl)).text()).toContain("foyer_http_requests_total");

    foyer.child.kill("SIGTERM");
    expect(await foyer.ended).toBe(0);
    expect(foyer.text.out + foyer.text.err).not.toContain(token);
    for (const line of foyer.text.out.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("level");
    expect(foyer.text.out).toContain('"msg":"stopping"');
  });

  test("[O5] stops on SIGINT with exit code 0, also when npm passes it on a second time", async () => {
    const foyer = start();
    await foyer.ready();
    foyer.child.kill("SIGINT");
    foyer.child.kill("SIGINT");
    expect(await foyer.ended).toBe(0);
  });

  test("[O11] the calls it proposes work as they stand in a shell", async () => {
    const foyer = start();
    const { dataDir } = await foyer.ready();
    const commands = foyer.text.err.match(/^ {2}curl [^\n]+\\\n(?: {4}[^\n]+\n)+/gm) ?? [];
    expect(commands).toHaveLength(2);
    const [created, validated] = commands.map((command) => JSON.parse(runInShell(command)));
    expect(created).toEqual({ status: 200, body: { game_id: expect.any(String) } });
    expect(validated).toEqual({ status: 200, body: { errors: [] } });

    const copy = join(foyer.cwd, "copy.db");
    const backup = spawnSync(process.execPath, ["--import", loader, program, "backup", copy, "--data-dir", dataDir], {
      cwd: foyer.cwd,
      env: { PATH: process.env.PATH },
      encoding: "utf8",
    });
    expect(backup).toMatchObject({ status: 0, stderr: "" });
    expect(existsSync(copy)).toBe(true);
  });
});

describe(
  "a start that cannot succeed says why in one sentence and exits with 1, or 2 for a wrong setting",
  patient,
  () => {
    const oneSentence = /^foyer: [^\n]+\n$/;

    test("[O6] the data folder is in use", async () => {
      const first = start();
      const { dataDir } = await first.ready();
      const second = start("--data-dir", dataDir);
      expect(await second.ended).toBe(1);
      expect(second.text.err).toMatch(oneSentence);
      expect(second.text.err).toContain(`The data folder ${dataDir} is in use`);
    });

    test("the port is in use", async () => {
      const holder = createServer().listen(0, "127.0.0.1");
      await once(holder, "listening");
      const { port } = holder.address() as { port: number };
      const foyer = start(`--port=${port}`);
      expect(await foyer.ended).toBe(1);
      expect(foyer.text.err).toMatch(oneSentence);
      expect(foyer.text.err).toContain(`Port ${port} on 127.0.0.1 is in use`);
      holder.close();
    });

    test("the secret is damaged", async () => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, "secret"), "oops");
      const foyer = start("--data-dir", folder);
      expect(await foyer.ended).toBe(1);
      expect(foyer.text.err).toMatch(oneSentence);
      expect(foyer.text.err).toContain(join(folder, "secret"));
    });

    test("the configuration is wrong", async () => {
      const foyer = start("--host=*");
      expect(await foyer.ended).toBe(2);
      expect(foyer.text.err).toMatch(oneSentence);
      expect(foyer.text.out).toBe("");
    });
  },
);

/** Lets a shell read the command as it stands; a function stands in for curl, which not every machine has. */
function runInShell(command: string): string {
  const client = `
    const [url, ...rest] = process.argv.slice(1);
    const headers = {};
    let body;
    for (let i = 0; i < rest.length; i += 2) {
      if (rest[i] === "-d") body = rest[i + 1];
      else { const [name, value] = rest[i + 1].split(": "); headers[name] = value; }
    }
    const response = await fetch(url, { method: "POST", headers, body });
    console.log(JSON.stringify({ status: response.status, body: await response.json() }));`;
  const script = `curl() { "$NODE" --input-type=module -e "$CLIENT" -- "$@"; }\n${command}`;
  const env = { PATH: process.env.PATH, NODE: process.execPath, CLIENT: client };
  const { stdout, stderr, status } = spawnSync("sh", ["-c", script], { env, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
